from core.answering.answerer import not_found
class ExtractiveAnswerer:
    name='extractive'
    def __init__(self, embedder): pass
    async def answer(self, q, evidences): return not_found()
