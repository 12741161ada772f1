"""Answers about a page itself, and from its form: :mod:`.direct_answers` tries them in turn.

:mod:`.page_question` recognises a question about a page, which its :mod:`.facts` answer, or its headings
(:mod:`.outline`). :mod:`.labelled_paragraphs` answers with paragraphs that are numbered by hand.
"""
