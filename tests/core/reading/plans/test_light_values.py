"""Cells whose words are light words of questions too: "Done", "Go", "US", "Off"."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import STOPWORDS
from core.wording.content_words import LIGHT_WORDS
from tests.core.reading.tables import compute, evidences


def _write_table(header: str, *rows: str) -> str:
    lines = ["".join(f"<th>{cell.strip()}</th>" for cell in header.split("|"))]
    lines += ["".join(f"<td>{cell.strip()}</td>" for cell in row.split("|")) for row in rows]
    return "<p>All of them.</p><table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


PROJECTS = _write_table(
    "Project | State | Country | Budget",
    "Bridge | Done | US | 20",
    "Tunnel | Open | Germany | 90",
    "Harbour | Done | US | 30",
    "Tower | In progress | Norway | 40",
)
LAMPS = _write_table(
    "Lampe | Zustand | Abteilung",
    "Flur | aus | IT",
    "Hof | an | Bau",
    "Dach | aus | IT",
    "Keller | neu | Bau",
)
PRINTERS = _write_table(
    "Printer | Use | Written in | Grade",
    "Alba | In use | Go | A",
    "Brio | Out of use | Rust | B",
    "Corso | In use | Go | A",
    "Duo | To do | C | B",
)
ROUTES = _write_table(
    "Route | Status | Remark",
    "North | ON TRACK | Bus",
    "South | OFF TRACK | Tram",
    "East | ON TRACK | Bus",
    "West | At risk | Ferry",
)
DEVICES = _write_table("Device | Colour | Position", "Pump | red | {word}", "Fan | blue | Idle", "Saw | blue | {word}")


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "content", "rows"),
    [
        ("how many projects are done", PROJECTS, ("Bridge", "Harbour")),
        ("how many projects are already done?", PROJECTS, ("Bridge", "Harbour")),
        ("which projects are in the us", PROJECTS, ("Bridge", "Harbour")),
        ("which projects are not done", PROJECTS, ("Tunnel", "Tower")),
        ("which projects are not in the us?", PROJECTS, ("Tunnel", "Tower")),
        ("how many done projects are there", PROJECTS, ("Bridge", "Harbour")),
        ("how many us projects are open", PROJECTS, ()),
        ("how many projects have the state done", PROJECTS, ("Bridge", "Harbour")),
        ("which printers are in use?", PRINTERS, ("Alba", "Corso")),
        ("how many printers are in use right now?", PRINTERS, ("Alba", "Corso")),
        ("which routes are off track", ROUTES, ("South",)),
        ("which routes are not on track", ROUTES, ("South", "West")),
        ("how many routes are on track at present?", ROUTES, ("North", "East")),
        ("which printers are still to do", PRINTERS, ("Duo",)),
        ("how many printers are written in go", PRINTERS, ("Alba", "Corso")),
        ("which printers have grade a", PRINTERS, ("Alba", "Corso")),
        ("Wie viele Lampen sind aus?", LAMPS, ("Flur", "Dach")),
        ("Welche Lampen sind noch neu?", LAMPS, ("Keller",)),
        ("Welche Lampen sind nicht an?", LAMPS, ("Flur", "Dach", "Keller")),
    ],
)
def test_a_light_word_selects_rows_where_the_question_states_a_value(
    question: str, content: str, rows: tuple[str, ...]
) -> None:
    title = {PROJECTS: "Projects", LAMPS: "Lampen", PRINTERS: "Printers", ROUTES: "Routes"}[content]
    lines = answer(question, content, title).splitlines()
    assert len(lines) > 0
    names = [name for name in rows if any(name in line for line in lines[1:])]
    assert (names, len(lines) - 1 if rows else 0) == (list(rows), len(rows))


@pytest.mark.parametrize(
    ("question", "content", "title"),
    [
        ("how many projects does us own", PROJECTS, "Projects"),
        ("which projects are made by us", PROJECTS, "Projects"),  # a country, or a pronoun
        ("Wie viele Lampen hat es an", LAMPS, "Lampen"),
        ("which devices does it have", DEVICES.format(word="it"), "Devices"),
    ],
)
def test_nothing_is_computed_if_a_light_word_may_select_rows(question: str, content: str, title: str) -> None:
    assert answer(question, content, title) == ""


def test_a_cell_that_only_contains_the_word_leaves_open_what_is_meant() -> None:
    table = PROJECTS.replace("In progress", "Done but for the roof")
    assert answer("how many projects are done", table, "Projects") == ""
    of_two = PROJECTS.replace("Norway", "US, Norway")
    assert answer("how many projects are in the us", of_two, "Projects").startswith("3 of 4 entries")


@pytest.mark.parametrize("question", ["which devices are on the list?", "list all devices", "which devices do we have"])
def test_a_light_word_in_its_ordinary_use_selects_nothing(question: str) -> None:
    word = {"which devices are on the list?": "on", "list all devices": "all"}.get(question, "do")
    found = answer(question, DEVICES.format(word=word), "Devices")
    assert found.startswith("3 entries")


@given(st.sampled_from(sorted(STOPWORDS | LIGHT_WORDS)))
def test_a_predicate_never_stands_for_all_rows(word: str) -> None:
    found = answer(f"which devices are {word}", DEVICES.format(word=word), "Devices")
    assert not found.startswith("3 entries") or word in {"the", "list"}


def test_which_of_two_failed_more_often_names_no_rows() -> None:
    question = "Which country led to the most failures of projects, Germany or Norway?"
    assert "Germany" not in answer(question, PROJECTS, "Projects")
