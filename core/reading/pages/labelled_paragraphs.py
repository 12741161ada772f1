"""Answers with the paragraphs of a section that are numbered by hand: "(A) …", "(B) …", with other text between them.

The question has to name the section by its heading, and nothing else in it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from core.i18n import plural
from core.model import Answer, Evidence, RankedEvidence, Scope, append_evidences
from core.ports.store import EvidenceStore
from core.reading.questions.question import read_question
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.words import has_same_noun, split_words
from core.wording.list_markers import read_label
from core.wording.quotations import make_citation, replace_brackets

_NAMED = 0.7  # of a heading's words, that the question has
_LEAST_NAMED = 2  # words of a heading
_SENTENCE = re.compile(r"(?<=[^\W\d_]{3}[.!?]) +(?=[A-ZÄÖÜ])")


async def add_labelled_paragraphs(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """Return the evidences, followed by the other numbered paragraphs of a section of the first page that is named."""
    row_question = read_question(question)
    own = _list_first_page(evidences)
    if row_question is None or not any(_is_named(row_question, each) for each in own if _read_label(each)):
        return list(evidences)
    stored = await store.load_texts([own[0].page_id], scope)
    return append_evidences(evidences, (each for each in stored if _read_label(each) and _is_named(row_question, each)))


def answer_from_labels(question: str, evidences: Sequence[RankedEvidence]) -> Answer | None:
    """Return the numbered paragraphs of the only section that the question names; None if there is none."""
    row_question = read_question(question)
    if (
        row_question is None
        or row_question.operation not in {Operation.LIST, Operation.COUNT}
        or row_question.bounds
        or row_question.negated
    ):
        return None
    sections: dict[tuple[str, ...], list[Evidence]] = defaultdict(list)
    for each in sorted(_list_first_page(evidences), key=lambda each: each.ordinal):
        if _read_label(each) and _is_named(row_question, each) and not _leaves_words(row_question, each):
            sections[each.context.heading_path].append(each)
    if len(sections) != 1:
        return None
    [(path, found)] = sections.items()
    if len(found) < 2 or [_read_label(each) for each in found] != list(range(1, len(found) + 1)):
        return None
    heading = path[-1].rstrip(":")
    headline = plural("{count} entry in “{place}”:", "{count} entries in “{place}”:", len(found), place=heading)
    items = [_SENTENCE.split(each.parts[0])[0].rstrip(" :") for each in found]
    lines = [f"- {replace_brackets(item)} [{number}]" for number, item in enumerate(items, start=1)]
    citations = tuple(make_citation(at, each, each.parts[0]) for at, each in enumerate(found, start=1))
    text = "\n".join([replace_brackets(headline.render(row_question.language)), *lines])
    return Answer(text, answered=True, citations=citations)


def _list_first_page(evidences: Iterable[RankedEvidence]) -> list[Evidence]:
    """Return the passages of the page of the first evidence, without comments."""
    every = [ranked.evidence for ranked in evidences]
    return [each for each in every if each.page_id == every[0].page_id and each.kind == "passage" and not each.thread]


def _read_label(evidence: Evidence) -> int:
    """Return the number with which a passage begins, of "(B)" 2; 0 without one."""
    label = read_label(evidence.parts[0]) if evidence.parts else None
    return label[1] if label else 0


def _is_named(row_question: RowQuestion, evidence: Evidence) -> bool:
    """Whether the question has most words of the last heading."""
    last = evidence.context.heading_path[-1] if evidence.context.heading_path else ""
    heading = [word for word in split_words(last) if word.is_content]
    said = {word.folded for word in row_question.words}
    named = sum(has_same_noun(word.folded, said) for word in heading)
    return named >= max(_LEAST_NAMED, _NAMED * len(heading))


def _leaves_words(row_question: RowQuestion, evidence: Evidence) -> bool:
    """Whether the question has a word, besides what is listed, that neither the title nor the headings have."""
    context = {word.folded for word in split_words(" ".join((evidence.context.title, *evidence.context.heading_path)))}
    others = (word for word in row_question.needed if word not in row_question.subject)
    return any(not has_same_noun(word.folded, context) for word in others)
