"""Makes a follow-up question intent-explicit, so that it stands without the conversation (RAGonite, section 4).

:mod:`heuristic` adds the page that the conversation is on; :mod:`generative` asks a language model, and accepts or
rejects its proposals.
"""
