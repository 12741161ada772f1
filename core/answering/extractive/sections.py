"""Answers that are a whole: the list or the section whose heading is what the question asks for."""

from __future__ import annotations

from collections.abc import Sequence

from core.answering.extractive.compose import Statement, passage, whole_list
from core.answering.extractive.parts import is_code, without_marker
from core.answering.extractive.units import ScoredUnit
from core.answering.focus import Focus, content_words, terms, word_matches
from core.model import Evidence, RankedEvidence

_SECTION_WORDS = 60  # a longer section is not read as an answer
_QUESTION_WORDS = frozenset(
    ["what", "when", "where", "who", "why", "how", "which", "was", "wann", "wo", "wer", "warum", "wie", "welche"]
)
_NEAR = 0.65  # of the best evidence's score: below it the same heading is another page's


def find_named_section(focus: Focus, units: Sequence[ScoredUnit]) -> Statement | None:
    """The list or short section that the question asks for by its heading, if it is among the best evidences."""
    ranked = {unit.unit.ranked.evidence.evidence_id: unit.unit.ranked for unit in units}
    near = _NEAR * max(item.score for item in ranked.values())
    said = sum(word_matches(focus.words, units[0].unit.text))
    named = [
        (_named_words(focus, item.evidence), item)
        for item in ranked.values()
        if item.score >= near and (focus.wants_list or _asks_alike(focus, item.evidence))
    ]
    # A single part that has more of the question's words than the heading answers more to the point.
    wanted = [pair for pair in named if pair[0] and (focus.wants_list or pair[0] >= said)]
    wanted.sort(key=lambda pair: (-pair[0], pair[1].evidence.kind != "list", pair[1].rank))
    return next((whole for _, item in wanted if (whole := _whole(focus, item))), None)


def _named_words(focus: Focus, evidence: Evidence) -> int:
    """How many words of a heading the question has, if it has all; of a list's, also if the heading has all of its."""
    words = content_words(_heading(evidence))
    matched = sum(1 for match in word_matches(words, focus.question) if match)
    covers = evidence.kind == "list" and bool(focus.words) and all(word_matches(focus.words, _heading(evidence)))
    return matched if matched == len(words) or covers else 0


def _asks_alike(focus: Focus, evidence: Evidence) -> bool:
    """Whether the heading asks as the question does: "What you wear", "Wann wir liefern"."""
    first = terms(_heading(evidence))[:1]
    return bool(first) and first[0] in _QUESTION_WORDS and first == terms(focus.question)[:1]


def _heading(evidence: Evidence) -> str:
    return without_marker(evidence.context.heading_path[-1]) if evidence.context.heading_path else ""


def _whole(focus: Focus, ranked: RankedEvidence) -> Statement | None:
    evidence = ranked.evidence
    if evidence.kind == "list":
        return whole_list(ranked)
    if evidence.kind != "passage":
        return None
    last = len(evidence.parts) - 1
    if evidence.parts[last].endswith(":") and evidence.context.after:
        return passage(ranked, [last])
    code = [index for index, part in enumerate(evidence.parts) if is_code(part)]
    if code:
        return passage(ranked, code)
    leading = _leading(evidence)
    return passage(ranked, leading) if len(leading) == last + 1 or _asks_alike(focus, evidence) else None


def _leading(evidence: Evidence) -> list[int]:
    """The first sentences of a passage, as many as are read as one answer."""
    words, leading = 0, [0]
    for index, part in enumerate(evidence.parts):
        words += len(part.split())
        if index and words <= _SECTION_WORDS:
            leading.append(index)
    return leading
