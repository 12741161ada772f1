"""Sections as the items of a list: "Which types of schedules are there?", where each type has a heading of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.answering.extractive.compose import Statement
from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.whole_sections import asks_for_all
from core.answering.focus import Focus, match_text, select_content_words
from core.model import Evidence, RankedEvidence
from core.text import count_words

_MOST = 20  # subheadings: more are the outline of a page
_MOST_WORDS = 40  # of the sentence that introduces them

_Path = tuple[str, ...]


def find_subsections(question: str, page: Iterable[Evidence]) -> list[Evidence]:
    """Return the first evidences of sections whose headings may be the list that the question asks for.

    ``page``: all evidences of one page. [] if the question does not ask for all of something, or no heading has all its
    content words and several headings directly below.
    """
    return [first for items in _find_lists(question, page).values() for first in items.values()]


def quote_subheadings(focus: Focus, best: ScoredUnit, evidences: Sequence[RankedEvidence]) -> list[Statement]:
    """Quote the headings that the question asks for below one of the best unit, after the section's first sentence."""
    own = [each.evidence for each in evidences if each.evidence.page_id == best.evidence.page_id]
    above = best.evidence.context.heading_path
    lists = {path: items for path, items in _find_lists(focus.question, own).items() if above[: len(path)] == path}
    if not lists:
        return []
    path = max(lists, key=len)
    section = [each for each in own if each.context.heading_path == path]
    first = min(section, key=lambda each: each.ordinal, default=next(iter(lists[path].values())))
    is_short = bool(section) and count_words(first.parts[0]) <= _MOST_WORDS
    introduction = first.parts[0] if is_short else f"{path[-1].rstrip(': ')}:"
    headings = [f"- {heading}" for heading in lists[path]]
    return [Statement("\n".join([introduction, *headings]), first, first.parts[0])]


def _find_lists(question: str, page: Iterable[Evidence]) -> dict[_Path, dict[str, Evidence]]:
    """Return the headings with all content words of the question, each with the headings below it (`_find_below`)."""
    words = select_content_words(question)
    if not words or not asks_for_all(question):
        return {}
    ordered = sorted(page, key=lambda each: each.ordinal)
    named = dict.fromkeys(path for each in ordered for path in _find_named_paths(words, each))
    below = {path: _find_below(path, ordered) for path in named if not _has_list(path, ordered)}
    return {path: items for path, items in below.items() if 1 < len(items) <= _MOST}


def _find_named_paths(words: tuple[str, ...], evidence: Evidence) -> Iterator[_Path]:
    path = evidence.context.heading_path
    return (path[: level + 1] for level, heading in enumerate(path) if all(match_text(words, heading)))


def _find_below(path: _Path, ordered: Iterable[Evidence]) -> dict[str, Evidence]:
    """Return the headings directly below a heading, each with the first evidence of its section."""
    found: dict[str, Evidence] = {}
    for each in ordered:
        headings = each.context.heading_path
        if len(headings) > len(path) and headings[: len(path)] == path:
            found.setdefault(headings[len(path)], each)
    return found


def _has_list(path: _Path, ordered: Iterable[Evidence]) -> bool:
    """Whether the section has a list or table of its own, which then has the items."""
    return any(each.context.heading_path == path and each.kind != "passage" for each in ordered)
