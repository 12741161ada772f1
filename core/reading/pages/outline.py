"""Answers which sections a page has, and how many, from the headings of all its evidences.

The question has to ask for headings or sections of a page, without a word for what is in them: not "which section
describes the reset?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.i18n import message, plural
from core.languages import Language, detect_catalogue, detect_language
from core.model import Answer, Evidence, RankedEvidence, Scope, append_evidences
from core.ports.store import EvidenceStore
from core.reading.pages.page_question import is_subject_word
from core.reading.words import EMPTY_WORDS, Word, has_same_noun, split_words
from core.text import split_subject
from core.wording.quotations import make_citation, replace_brackets

_KIND = (
    r"(?:major|main|top(?:ical|[- ]level)?|different|individual|all|the|of|wichtigsten|thematischen|obersten|einzelnen"
    r"|alle|die)"
)
_HEADINGS = r"(?:headings|sections|chapters|[^\W\d_]{0,20}(?:überschriften|abschnitte|kapitel))"
_ASKS = re.compile(
    rf"(?i)\b(?:what|which|how many|list|name|welche|wie ?viele|nenne|was)(?: (?:are|were|is|sind|waren))?"
    rf"(?: {_KIND}){{0,4}} {_HEADINGS}\b(?P<rest>[^?]*)"
    r"|\b(?:what is|what['’]s|was steht) (?:on|auf) (?:the|der) (?=(?:page|seite)\b)(?P<page>[^?]*)"
)
_BEFORE_PAGE = re.compile(
    r"(?i)^ *(?:(?:did|do|does|has|have|are|were|is|on|in|of|for|hat|haben|hatte|gibt|gab|auf|im|der|des|von)\b|$)"
)
_MOST_WORDS = 40
_MOST_SHOWN = 40
_LEAST_SHARE = 0.7  # of the words that name the page, that its title has
_LEAST_SHARED = 2  # words, usually names, if the first page is in another language than the question


@dataclass(frozen=True, slots=True)
class OutlineQuestion:
    """A question for the sections of a page, which ``words`` name."""

    words: tuple[Word, ...]
    language: Language


def read_outline_question(question: str) -> OutlineQuestion | None:
    """Return the question for the sections of a page; None for any other."""
    text, subject = split_subject(question)
    found = _ASKS.search(text)
    if found is None or len(split_words(text)) > _MOST_WORDS:
        return None
    rest = found["rest"] if found["page"] is None else found["page"]
    if found["page"] is None and not _BEFORE_PAGE.match(rest):
        return None
    words = [word for word in split_words(rest) if is_subject_word(word) and word.folded not in EMPTY_WORDS]
    words = words or [word for word in split_words(subject) if word.is_content]
    return OutlineQuestion(tuple(words), detect_catalogue(question))


async def add_headings(
    question: str, evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """Return the evidences, followed by those of the page whose sections the question asks for."""
    outline_question = read_outline_question(question)
    page_id = _find_page(outline_question, evidences) if outline_question else ""
    if not page_id:
        return list(evidences)
    own = [each for each in await store.load_texts([page_id], scope) if not each.thread]
    return append_evidences(evidences, _find_sections(own).values())


def answer_from_headings(question: str, evidences: Sequence[RankedEvidence]) -> Answer | None:
    """Return the sections of the page that the question names; None if it asks for none or the page has only one."""
    outline_question = read_outline_question(question)
    page_id = _find_page(outline_question, evidences) if outline_question else ""
    if outline_question is None or not page_id:
        return None
    own = [each.evidence for each in evidences if each.evidence.page_id == page_id and not each.evidence.thread]
    sections = _find_sections(own)
    if not 1 < len(sections) <= _MOST_SHOWN:
        return None
    title = own[0].context.title
    headline = plural(
        "“{title}” has {count} section:", "“{title}” has {count} sections:", len(sections), title=title
    ).render(outline_question.language)
    if meant := _select_sections(outline_question, title, sections):
        headline = plural(
            "{count} of {total} sections of “{title}” matches {conditions}:",
            "{count} of {total} sections of “{title}” match {conditions}:",
            len(meant.sections),
            total=len(sections),
            title=title,
            conditions=message("“{value}”", value=meant.words),
        ).render(outline_question.language)
        sections = meant.sections
    lines = [f"- {replace_brackets(heading)} [{number}]" for number, heading in enumerate(sections, start=1)]
    citations = tuple(make_citation(number, each) for number, each in enumerate(sections.values(), start=1))
    return Answer("\n".join([replace_brackets(headline), *lines]), answered=True, citations=citations)


@dataclass(frozen=True, slots=True)
class _Selection:
    """The sections whose headings have the words of the question that the page's title lacks."""

    words: str
    sections: dict[str, Evidence]


def _select_sections(outline_question: OutlineQuestion, title: str, sections: dict[str, Evidence]) -> _Selection | None:
    """Return the sections that words of the question select: "marked CANNOT TEST"; None if they select none or all."""
    of_title = {word.folded for word in split_words(title)}
    headings = {heading: {word.folded for word in split_words(heading)} for heading in sections}
    others = [word for word in outline_question.words if not has_same_noun(word.folded, of_title)]
    said = [word for word in others if any(has_same_noun(word.folded, heading) for heading in headings.values())]
    if not said or any(word.is_name and word not in said for word in others):
        return None
    meant = {
        heading: sections[heading]
        for heading, words in headings.items()
        if all(has_same_noun(word.folded, words) for word in said)
    }
    return _Selection(" ".join(word.text for word in said), meant) if 0 < len(meant) < len(sections) else None


def _find_page(outline_question: OutlineQuestion, evidences: Sequence[RankedEvidence]) -> str:
    """Return the id of the page whose title and headings have the question's words, of several the shortest title.

    "" if no title has enough of them. Of pages in another language than the question, the only one with the most words.
    """
    pages = {ranked.evidence.page_id: ranked.evidence for ranked in reversed(evidences)}
    titles = {key: [word.folded for word in split_words(each.context.title)] for key, each in pages.items()}
    bound = {
        key: sum(has_same_noun(word.folded, title) for word in outline_question.words) for key, title in titles.items()
    }
    most = max(bound.values(), default=0)
    best = [key for key in reversed(pages) if bound[key] == most]
    having = [
        key
        for key in best
        if most and _count_named(outline_question, key, evidences) >= _LEAST_SHARE * len(outline_question.words)
    ]
    if having:
        return min(having, key=lambda key: len(titles[key]))
    is_translated = most >= _LEAST_SHARED and detect_language(pages[best[0]].text) != outline_question.language
    return best[0] if is_translated and len(best) == 1 else ""


def _count_named(outline_question: OutlineQuestion, page_id: str, evidences: Sequence[RankedEvidence]) -> int:
    """Return the number of words that the title of a page or one of its headings has."""
    contexts = [each.evidence.context for each in evidences if each.evidence.page_id == page_id]
    texts = {name for context in contexts for name in (context.title, *context.heading_path)}
    known = {word.folded for text in texts for word in split_words(text)}
    return sum(has_same_noun(word.folded, known) for word in outline_question.words)


def _find_sections(own: Sequence[Evidence]) -> dict[str, Evidence]:
    """Return the headings of the highest level of which there are several, each with its first evidence."""
    ordered = sorted(own, key=lambda each: each.ordinal)
    depth = max((len(each.context.heading_path) for each in ordered), default=0)
    for level in range(depth):
        found: dict[str, Evidence] = {}
        for each in ordered:
            if len(each.context.heading_path) > level:
                found.setdefault(each.context.heading_path[level], each)
        if len(found) > 1:
            return found
    return {}
