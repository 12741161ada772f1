"""Questions that name a row by its exact name."""

from __future__ import annotations

import pytest

from core.reading.plans.exact_cells import find_exact_names, list_unknown_composites
from tests.core.reading.tables import compute, evidences

HOOKS = """<h2>Hooks</h2><table><tr><th>Hook Name</th><th>Area</th><th>State</th><th>Verdict</th></tr>
<tr><td>tide.cfg</td><td>sluice</td><td></td><td>K</td></tr>
<tr><td>old-tide-cfg-with-pumps.cfg</td><td>pump</td><td>applied</td><td>D</td></tr>
<tr><td>wind.cfg</td><td>mill</td><td>applied</td><td>D</td></tr></table>"""
HAKEN = """<h2>Haken</h2><table><tr><th>Name</th><th>Bereich</th><th>Zustand</th><th>Urteil</th></tr>
<tr><td>tide.cfg</td><td>Schleuse</td><td></td><td>behalten</td></tr>
<tr><td>old-tide.cfg</td><td>Pumpe</td><td>angewendet</td><td>verwerfen</td></tr></table>"""


def answer(question: str, content: str) -> str:
    computed = compute(question, evidences(content, "Dyke queue"))
    return computed.answer.text.split("\n")[0] if computed else ""


@pytest.mark.parametrize(
    ("question", "content", "headline"),
    [
        ("What was the verdict when the tide.cfg hook was applied for the dyke queue?", HOOKS, "tide.cfg, Verdict: K"),
        ("What is the verdict of wind.cfg?", HOOKS, "wind.cfg, Verdict: D"),
        ("Wie lautete das Urteil für den angewendeten Haken tide.cfg?", HAKEN, "tide.cfg, Urteil: behalten"),
    ],
)
def test_a_cell_of_the_row_with_the_exact_name_is_the_answer(question: str, content: str, headline: str) -> None:
    assert answer(question, content) == headline


def test_a_part_of_a_longer_name_is_another_name() -> None:
    assert find_exact_names("Is old-tide.cfg applied?", ["tide.cfg", "old-tide.cfg"]) == ["old-tide.cfg"]
    assert find_exact_names("Is tide.cfg.bak applied?", ["tide.cfg"]) == []


@pytest.mark.parametrize("cells", [["queue"], ["7"], ["Dyke queue"], ["-"]])
def test_ordinary_words_and_numbers_are_no_exact_names(cells: list[str]) -> None:
    assert find_exact_names("Which 7 hooks are in the dyke queue - and where?", cells) == []


def test_two_exact_names_select_no_row() -> None:
    assert "," not in answer("What is the verdict of tide.cfg or wind.cfg?", HOOKS)


HOSTS = """<h2>Hosts</h2><table><tr><th>Host</th><th>Site</th></tr><tr><td>web</td><td>Oslo</td></tr>
<tr><td>web-eu</td><td>Bergen</td></tr><tr><td>mail</td><td>Oslo</td></tr><tr><td>db_main</td><td>Oslo</td></tr>
<tr><td>db</td><td>Bergen</td></tr></table>"""


@pytest.mark.parametrize("name", ["web-us", "Web-Asia", "db_replica", "web-eu-2"])
def test_a_composite_name_is_not_the_thing_that_its_first_part_names(name: str) -> None:
    text = answer(f"which site is {name} at", HOSTS)
    assert text.startswith(f"No row of “Hosts” matches Host: {name}.")


@pytest.mark.parametrize("name", ["web", "web-eu", "db_main"])
def test_a_name_that_a_cell_is_selects_its_row(name: str) -> None:
    assert not answer(f"which site is {name} at", HOSTS).startswith("No row")


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("the co-owner of the web", ["owner", "co"]),  # no other cell begins with "co-"
        ("a web-based mail", ["web", "mail"]),
        ("is it web-eu or web", ["web", "web-eu"]),
        ("web - us", ["web", "web-eu"]),
    ],
)
def test_a_hyphenated_word_is_no_unknown_name_without_others_of_its_kind(text: str, cells: list[str]) -> None:
    assert list_unknown_composites(text, cells) == []


SUPPLIERS = """<h2>Suppliers</h2><table><tr><th>Supplier</th><th>Town</th><th>Rating</th></tr>
<tr><td>Alumec</td><td>Gotha</td><td>A</td></tr><tr><td>Sensotek</td><td>Ilmenau</td><td>A</td></tr>
<tr><td>Froidelec</td><td>Lyon</td><td>B</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many suppliers got an A?", "2 of 3 entries"),
        ("which suppliers have an A rating?", "2 of 3 entries"),
        ("which suppliers are rated B?", "Supplier: Froidelec (Rating: B)"),
        ("Wie viele Suppliers haben ein A?", "2 von 3 Einträgen"),
        ("how many suppliers are there?", "3 entries"),
    ],
)
def test_a_letter_selects_the_rows_with_this_grade(question: str, line: str) -> None:
    assert answer(question, SUPPLIERS).startswith(line)


@pytest.mark.parametrize("question", ["how many suppliers of A parts are there?", "which suppliers are below A?"])
def test_a_letter_of_a_noun_or_a_limit_is_no_grade(question: str) -> None:
    assert "Rating: A" not in answer(question, SUPPLIERS)
