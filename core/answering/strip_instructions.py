"""Evidences as answers may use them: to where they begin to talk to a language model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.answering.instructions import LEFT_OUT, count_before, talks_to_a_model
from core.evidence.split import sentences
from core.model import Context, Evidence, RankedEvidence


def for_people(evidences: Sequence[RankedEvidence]) -> tuple[list[RankedEvidence], int]:
    """The evidences without what talks to a model, and how many sentences that was.

    Evidences of which nothing is left are not among them; ranks and ids stay.
    """
    kept: list[RankedEvidence] = []
    left_out = 0
    for ranked in evidences:
        evidence, count = _evidence(ranked.evidence)
        left_out += count
        if evidence.parts:
            kept.append(ranked if evidence is ranked.evidence else replace(ranked, evidence=evidence))
    return kept, left_out


def text_for_people(text: str) -> tuple[str, int]:
    """A text to the first sentence that talks to a model, and how many sentences were left out."""
    said = sentences(text)
    count = count_before(said)
    if count == len(said):
        # Line by line nothing is seen where a line ends in the middle of an instruction.
        return (LEFT_OUT, len(said)) if talks_to_a_model(text) else (text, 0)
    return _cut(text, said, count), len(said) - count


def name_for_people(title: str) -> str:
    """What a page with this title may be called in a question, which a model takes for a person's words."""
    return text_for_people(title)[0].removesuffix(LEFT_OUT).strip(" .:,;-–") if talks_to_a_model(title) else title


def _evidence(evidence: Evidence) -> tuple[Evidence, int]:
    parts = evidence.parts
    count = count_before(parts)
    context, left_out = _context(evidence.context)
    if count == len(parts) and context is evidence.context:
        return evidence, 0
    text = evidence.text if count == len(parts) else _cut(evidence.text, parts, count)
    same_place = context.heading_path == evidence.context.heading_path
    url = evidence.url if same_place else evidence.url.partition("#")[0]  # an anchor is its heading's words
    cut = replace(evidence, text=text, parts=parts[:count], rows=evidence.rows[:count], context=context, url=url)
    return cut, left_out + len(parts) - count


def _context(context: Context) -> tuple[Context, int]:
    title, before, after = (text_for_people(text) for text in (context.title, context.before, context.after))
    headings = [text_for_people(heading) for heading in context.heading_path]
    cleaned = Context(title[0], tuple(heading[0] for heading in headings), before[0], after[0])
    # What is left out before and after is left out of the neighbours themselves, and counted there.
    return (cleaned, title[1] + sum(heading[1] for heading in headings)) if cleaned != context else (context, 0)


def _cut(text: str, parts: Sequence[str], count: int) -> str:
    """The text before the part of this index, which all its parts stand in one after the other."""
    end = 0
    for part in parts[:count]:
        end = max(end, text.find(part, end) + len(part))
    return f"{text[:end]} {LEFT_OUT}".strip()
