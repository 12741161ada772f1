"""Quoted table rows shown as tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.answering.extractive.quoting.quoted_rows import find_quoted_rows
from core.model import Answer, Author, Context, Evidence, Question, RankedEvidence, Structure, Turn
from core.model.views import AnswerView
from core.views.document import Paragraph, Table, join_text
from core.views.markdown import emphasise_tables, parse_markdown, parse_with_rows
from core.views.messages import build_answer_view
from core.wording.quotations import make_citation
from tests.contracts.examples import turn

ROWS = (
    (("Country", "Netherlands"), ("Hotel per night", "€165"), ("Rental car per day", "€70")),
    (("Country", "Germany"), ("Hotel per night", "€150 [2]"), ("Rental car per day", "€65")),
)
NETHERLANDS = "Country: Netherlands · Hotel per night: €165 · Rental car per day: €70"
GERMANY = "Country: Germany · Hotel per night: €150 (2) · Rental car per day: €65"
QUESTION = "What is the hotel limit per night in Germany?"


def table(labels: tuple[str, ...] = ("", "")) -> Evidence:
    context = Context("Travel policy", ("Limits", "By country"))
    structure = Structure(1, 2, (1, 2), (0, 0), labels)
    return Evidence(
        "e1", "1", "ENG", "table", 0, "…", context, "https://wiki/1", ("a", "b"), rows=ROWS, structure=structure
    )


def answered(text: str, of: Evidence | None = None, question: str = QUESTION) -> Turn:
    source = of or table()
    made = turn()
    answer = Answer(text, True, (make_citation(1, source, "a"),), Author.WIKI)
    ranked = RankedEvidence(source, 1, 1.0)
    return replace(made, question=Question(question, question), evidences=(ranked,), answer=answer)


def blocks(made: Turn) -> list[object]:
    return list(emphasise_tables(tuple(parse_with_rows(build_answer_view(made))), made.question.intent_explicit))


def cells(found: object) -> list[list[str]]:
    assert isinstance(found, Table)
    return [[join_text(cell) for cell in row] for row in (found.head, *found.rows)]


def bold(found: object) -> list[str]:
    assert isinstance(found, Table)
    return [run.text for row in found.rows for cell in row for run in cell if "bold" in run.styles]


def test_rows_of_which_only_the_first_names_the_table_are_one_table() -> None:
    label, found = blocks(answered(f"Travel policy: {NETHERLANDS} [1]\n{GERMANY} [1]"))
    assert isinstance(label, Paragraph)
    assert join_text(label.runs) == "Travel policy:"
    assert [row[0] for row in cells(found)[1:]] == ["Germany [1]", "Netherlands [1]"]


@pytest.mark.parametrize("heading", ["By country", "By country:", "Which limits are there?"])
@pytest.mark.parametrize("is_of_several_pages", [False, True])
def test_a_row_below_its_heading_is_a_table_whatever_the_heading_ends_with(
    heading: str, is_of_several_pages: bool
) -> None:
    found = table()
    source = replace(found, context=replace(found.context, heading_path=(heading,)))
    shown = heading if heading.endswith((":", "?")) else f"{heading}:"
    name = f"Travel policy › {shown}" if is_of_several_pages else shown
    assert any(isinstance(block, Table) for block in blocks(answered(f"{name} {NETHERLANDS} [1]", source)))


def test_a_line_that_is_a_row_becomes_a_table() -> None:
    (found,) = blocks(answered(f"{NETHERLANDS} [1]"))
    assert cells(found) == [["Country", "Hotel per night", "Rental car per day"], ["Netherlands [1]", "€165", "€70"]]
    assert bold(found) == ["€165"]


def test_consecutive_rows_become_one_table_with_the_requested_row_first() -> None:
    headline, found = blocks(answered(f"2 entries:\n- {NETHERLANDS} [1]\n- {GERMANY} [1]"))
    assert isinstance(headline, Paragraph)
    assert [row[0] for row in cells(found)] == ["Country", "Germany [1]", "Netherlands [1]"]
    assert bold(found) == ["€150 [2]"]


def test_rows_may_lack_cells() -> None:
    (found,) = blocks(answered(f"- Country: Netherlands · Hotel per night: €165 [1]\n- {GERMANY} [1]"))
    assert cells(found)[2] == ["Netherlands [1]", "€165", ""]


def test_a_cell_that_the_answer_leaves_out_is_marked() -> None:
    (found,) = blocks(
        answered(f"- Country: Netherlands · Hotel per night: €165 · Rental car per day: … [1]\n- {GERMANY} [1]")
    )
    assert cells(found)[2] == ["Netherlands [1]", "€165", "…"]


def test_a_cell_that_is_left_out_may_be_in_another_evidence_of_its_row() -> None:
    short = replace(table(), rows=(ROWS[0][:2], ROWS[1]))
    line = "- Country: Netherlands · Hotel per night: €165 · Rental car per day: … [1]"
    (found,) = blocks(answered(f"{line}\n- {GERMANY} [1]", short))
    assert cells(found)[2] == ["Netherlands [1]", "€165", "…"]


def test_a_row_that_is_longer_than_its_quotation_is_a_table() -> None:
    (found,) = blocks(answered("Country: Netherlands · Hotel per night: €165 … [1]"))
    assert cells(found) == [["Country", "Hotel per night", ""], ["Netherlands [1]", "€165", "…"]]


@pytest.mark.parametrize("lead", ["{title}: ", "{heading}: ", "EU – ", "{title}: EU – "])
def test_the_name_before_the_cells_becomes_a_heading(lead: str) -> None:
    of = table(("EU", ""))
    written = lead.format(title=of.context.title, heading=of.context.heading_path[-1])
    name, found = blocks(answered(f"{written}{NETHERLANDS} [1]", of))
    assert isinstance(name, Paragraph)
    assert join_text(name.runs) == written.rstrip(" –:") + ":"
    assert len(cells(found)) == 2


@pytest.mark.parametrize(
    "line",
    ["Country: Netherlands", "Country: Netherlands · Hotel per night: €150", "A · B", f"So: {NETHERLANDS}"],
)
def test_a_line_that_is_only_partly_a_row_stays_text(line: str) -> None:
    assert all(isinstance(block, Paragraph) for block in blocks(answered(f"{line} [1]")))


def test_text_by_a_model_has_no_quoted_rows() -> None:
    made = answered(f"{NETHERLANDS} [1]")
    assert not find_quoted_rows(replace(made, answer=replace(made.answer, author=Author.MODEL)))
    assert not find_quoted_rows(replace(made, answer=replace(made.answer, erased=True)))


def test_text_without_rows_stays_text() -> None:
    view = AnswerView("t", "en", "One line.\n- an item [1]", True)
    assert [type(block) for block in parse_with_rows(view)] == [Paragraph, Paragraph]


MANY = "| City | Limit | Notes |\n|---|---|---|\n| Bonn | 1 | a |\n| Delft | 2 | b |\n| Lyon | 3 | c |"


@pytest.mark.parametrize(
    ("question", "first", "emphasised"),
    [
        ("What is the limit in Delft?", "Delft", ["2"]),
        ("Limits of Lyon and Delft", "Delft", ["2", "3"]),
        ("Tell me about Lyon", "Lyon", []),
        ("What limits are there?", "Bonn", []),
        ("", "Bonn", []),
    ],
)
def test_the_row_and_the_column_that_a_question_names(question: str, first: str, emphasised: list[str]) -> None:
    (found,) = emphasise_tables(tuple(parse_markdown(MANY, ())), question)
    assert cells(found)[1][0] == first
    assert bold(found) == emphasised
    assert sorted(row[0] for row in cells(found)[1:]) == ["Bonn", "Delft", "Lyon"]
