"""Messages with two or three questions: split them, and join their answers.

"Who approves travel, and what is the hotel limit?" is answered in two parts, each as a question of its own. The parts
stand on lines of their own in the intent-explicit question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.answerer import make_refusal
from core.answering.part_subjects import write_subjects
from core.i18n import message
from core.languages import choose_catalogue, detect_language
from core.model import Answer, Citation
from core.reading.questions.yes_no import find_first_verb
from core.text import QUESTION_WORDS, is_stopword, list_words, split_subject
from core.wording.content_words import select_content_words
from core.wording.quotations import number_citations

_MOST = 3
_BREAK = "\n"
_QUESTION_WORD = (
    r"(?:(?:in|on|at|for|from|since|by|to|with|von|bis|seit|ab|für|an|in|auf|mit|bei|zu) )?"
    rf"(?:{'|'.join(QUESTION_WORDS)})\b"
)
_BEGINS = re.compile(rf"(?i)^\W*{_QUESTION_WORD}")
_DETERMINER = re.compile(r"(?i)^\W*(?:which|what|whose|how (?:many|much)|welche[rnms]?|wessen|wie viele?n?)\b")
_NEXT_SENTENCE = re.compile(r"(?<=[?？]) ")
_ASKS_AGAIN = (
    r"(?:(?:is|are|was|were|does|do|did|has|have|can|could|may|must|should|will|would) (?:it|they|he|she|i|we|you)"
    r"|(?:ist|sind|war|hat|haben|kann|können|darf|dürfen|muss|müssen|soll|wird|gibt) (?:er|sie|es|ich|wir|man))\b"
)
"""How a further question without a question word begins: "… and does it play melodies?"."""
_NEXT_CLAUSE = re.compile(rf"(?i),? (?:and|und) (?={_QUESTION_WORD}|{_ASKS_AGAIN})")
_ONLY_VERB = re.compile(
    rf"(?i)^\W*(?:{'|'.join(QUESTION_WORDS)})(?: (?:do|does|did|can|should|must) (?:i|we|you|they))? \w+"
    r"(?: (?:ich|wir|man))?$"
)
"""A clause without its object, which only the next one has: "Who writes and who approves the release notes?"."""
_CONDITION = re.compile(r"(?i)^\W*(?:if|when (?:an?|i|my|our|the|they|we|you)|wenn|falls)\b[^,?]*, (?!and\b|und\b)")
"""The beginning of a sentence with a condition, under which both of its questions stand."""
_JOINS = re.compile(r"(?i)\b(?:between|both|difference|zwischen|sowohl|unterschied)\b")
"""Words for a relation of two clauses: "the difference between what A does and what B does"."""


def split_questions(text: str) -> tuple[str, ...]:
    """Return the questions of a message with single spaces; the message alone if it is not clearly several questions.

    Several sentences are split if all of them are questions, and a sentence at "and" before a question. Each part has a
    content word of its own: "Can it reload itself? How?" is one question. Of a pronoun for what an earlier part names,
    that name takes the place (:mod:`.part_subjects`).
    """
    *others, last = _NEXT_SENTENCE.split(text.strip())
    if not all(map(_has_question_mark, others)) or not (_has_question_mark(last) or _is_asking(last)):
        return (text,)
    parts = write_subjects([part for sentence in (*others, last) for part in _split_clauses(sentence)])
    return parts if 1 < len(parts) <= _MOST and all(map(select_content_words, parts)) else (text,)


def _split_clauses(sentence: str) -> Sequence[str]:
    clauses = _NEXT_CLAUSE.split(sentence)
    is_one = (
        _JOINS.search(sentence)
        or _CONDITION.match(sentence)
        or _ONLY_VERB.match(clauses[0])
        or _is_indirect(clauses[0])
        or not _is_clause(clauses[0])
        or not all(map(select_content_words, write_subjects(clauses)))
    )
    if is_one:
        return [sentence]
    return [clause if _has_question_mark(clause) else f"{clause}?" for clause in clauses]


def _is_clause(text: str) -> bool:
    """Whether a text begins as a question does, and is not just a noun, as in "Which build and which BIOS were used?".

    Without a parser, a clause is told from a noun with its attributes by a function word: "which build was used".
    """
    noun = _DETERMINER.sub("", text)
    return _is_asking(text) and (noun == text or any(map(is_stopword, list_words(noun))))


def _is_indirect(clause: str) -> bool:
    """Whether a clause has a question within it, which "and" may continue: "Who decides what we build and when?"."""
    found = [word for word in list_words(clause) if word in QUESTION_WORDS]
    return len(found) > (1 if _BEGINS.search(clause) else 0)


def _is_asking(text: str) -> bool:
    return bool(_BEGINS.search(text) or find_first_verb(text, detect_language(text)))


def _has_question_mark(text: str) -> bool:
    return text.endswith(("?", "？"))


def join_questions(parts: Sequence[str]) -> str:
    """Return the intent-explicit question with these parts."""
    return _BREAK.join(parts)


def list_parts(question: str) -> list[str]:
    """Return the parts of an intent-explicit question."""
    return question.split(_BREAK)


def join_answers(parts: Sequence[str], answers: Sequence[Answer]) -> Answer:
    """Return one answer with the answers to the parts in order; "not found" if none is answered.

    What was quoted for an earlier part is not repeated. A part without an answer is named.
    """
    if not any(answer.answered for answer in answers):
        return make_refusal()
    citations: dict[str, Citation] = {}
    blocks: list[str] = []
    for part, answer in zip(parts, answers, strict=True):
        if not answer.answered:
            remark = message("I found nothing in the wiki about “{question}”.", question=split_subject(part)[0])
            blocks.append(remark.render(choose_catalogue(detect_language(part))))
            continue
        numbers: dict[int, int] = {}
        for citation in answer.citations:
            known = citations.setdefault(citation.evidence_id, replace(citation, number=len(citations) + 1))
            numbers[citation.number] = known.number
        text = number_citations(answer.text, numbers)
        if not any(text in block for block in blocks):
            blocks.append(text)
    return Answer("\n\n".join(blocks), answered=True, citations=tuple(citations.values()))
