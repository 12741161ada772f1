"""Small evidences, and the choice of their parts, for tests of answers."""

from __future__ import annotations

import re

from core.answering.extractive.units import ScoredUnit
from core.answering.generative.answerer import render_answer_prompt
from core.answering.generative.extractive_answer import make_computed_answer
from core.answering.generative.prompt_sections import Reading, fit_reading
from core.model import Answer, Context, Evidence, EvidenceKind, Prompt, RankedEvidence, Structure
from tests.core.reading.tables import compute
from tests.core.scripted import ScriptedModel

Cells = tuple[tuple[str, str], ...]


def evidence(
    *parts: str,
    kind: EvidenceKind = "passage",
    page_id: str = "1",
    ordinal: int = 0,
    title: str = "Clock manual",
    heading: str = "",
    before: str = "",
    after: str = "",
    rows: tuple[Cells, ...] = (),
    numbers: tuple[int, ...] = (),
    block: int = 1,
    total: int = 0,
) -> Evidence:
    """``numbers``: of the rows or items in their table or list, the page's ``block``-th, of ``total``."""
    context = Context(title, (heading,) if heading else (), before, after)
    text = (" " if kind == "passage" else "\n").join(parts)
    positions = (numbers, (0,) * len(numbers), ("",) * len(numbers))
    structure = Structure(block, total or len(numbers), *positions) if numbers else None
    url = f"https://w/{page_id}"
    return Evidence(
        f"{page_id}-{block}-{ordinal}", page_id, "DOC", kind, ordinal, text, context, url, parts, rows, structure
    )


def verbalised(number: int, cells: Cells, section: str = "") -> str:
    place = f"Row {number} in Table 1" + (f" ({section})" if section else "")
    return f"{place}: " + ", and ".join(f"{header} is {value}" if header else value for header, value in cells)


def row(
    *cells: tuple[str, str],
    number: int = 1,
    section: str = "",
    page_id: str = "1",
    title: str = "",
    heading: str = "",
    block: int = 1,
) -> Evidence:
    return evidence(
        verbalised(number, cells, section),
        kind="table_row",
        page_id=page_id,
        ordinal=number,
        title=title,
        heading=heading,
        rows=(cells,),
        numbers=(number,),
        block=block,
    )


def table(*rows: Cells, page_id: str = "1", title: str = "") -> Evidence:
    lines = [verbalised(number, cells) for number, cells in enumerate(rows, start=1)]
    numbers = tuple(range(1, len(rows) + 1))
    return evidence(*lines, kind="table", page_id=page_id, ordinal=99, title=title, rows=rows, numbers=numbers)


def ranked(*evidences: Evidence) -> list[RankedEvidence]:
    """The evidences in this order, with falling scores."""
    return [RankedEvidence(item, place, 1.0 - 0.02 * place) for place, item in enumerate(evidences, start=1)]


def read(*evidences: Evidence, question: str = "") -> Reading:
    """What a model with a large window reads of these evidences."""
    model = ScriptedModel("", context_tokens=100_000)

    def render_prompt(reading: Reading) -> Prompt:
        return render_answer_prompt(question, reading, "en")

    found = ranked(*evidences)
    computed = compute(question, found)
    extractive_answer = computed and make_computed_answer(computed, found)
    return fit_reading(question, found, extractive_answer, render_prompt, model, model.context_tokens)[1]


def chosen(item: RankedEvidence, *indexes: int) -> list[ScoredUnit]:
    """Units as if they had been found to fit."""
    return [
        ScoredUnit(item, index, item.evidence.parts[index], score=1.0, word_share=1.0, missing_weight=0.0)
        for index in indexes
    ]


def numbers(answer: Answer) -> list[int]:
    """The citation numbers in an answer's text as a reader sees them: in order, not those within code."""
    return [int(number) for number in re.findall(r"\[(\d{1,3})\]", re.sub(r"(?s)```.*?```", "", answer.text))]


OFFICE = evidence(
    "The office in Utrecht opens at 08:00.",
    "The reception closes at 18:30.",
    "Bicycles stand in the cellar.",
    page_id="9",
    title="Office handbook",
    heading="Opening hours",
)
