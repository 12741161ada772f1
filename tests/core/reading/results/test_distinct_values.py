"""Questions for the different values of a column, and not for its rows."""

from __future__ import annotations

import pytest

from core.evidence.extract import extract
from core.model import Page, RankedEvidence
from tests.core.reading.tables import compute, evidences

FERRIES = """<p>The table lists all crossings.</p>
<p>ENG - ship engine generation: ST (steam), DS (diesel), EL (electric), HY (hydrogen)</p><p>CAP - capacity in cars</p>
<table><tr><th>Ferry</th><th>Harbour</th><th>ENG</th><th>CAP</th><th>Certified</th></tr>
<tr><td>Alk</td><td>Lauwersoog</td><td>DS</td><td>12</td><td>yes</td></tr>
<tr><td>Bruinvis</td><td>Harlingen</td><td>EL</td><td>20</td><td>no</td></tr>
<tr><td>Dolfijn</td><td>Lauwersoog</td><td>DS</td><td>12</td><td>yes</td></tr>
<tr><td>Eider</td><td>Den Helder</td><td>ST</td><td>40</td><td>yes</td></tr>
<tr><td>Fuut</td><td>Harlingen</td><td>EL</td><td>20</td><td>-</td></tr></table>"""
FAEHREN = """<h2>Fähren</h2><table><tr><th>Fähre</th><th>Hafen</th></tr><tr><td>Alk</td><td>Emden</td></tr>
<tr><td>Dolfijn</td><td>Leer</td></tr><tr><td>Eider</td><td>Emden</td></tr></table>"""
NAMES = {"username:mara": "Mara Lind", "username:bo": "Bo Hall", "username:jan": "Jan de Wit"}
DEFECTS = """<h2>Defects</h2><table><tr><th>Defect</th><th>Who</th></tr>{}</table>""".format(
    "".join(
        f'<tr><td>Leak {at}</td><td><ac:link><ri:user ri:username="{name}"/></ac:link></td></tr>'
        for at, name in enumerate(("mara", "bo", "mara", "jan", "bo"))
    )
)
ACTIONS = """<h2>Mooring</h2><ul><li>Anna will check the ropes of all ferries in the harbour.</li>
<li>Anna will order two new anchors before the summer.</li><li>Piet will paint the numbers on the quay.</li></ul>"""


def answer(question: str, content: str, title: str = "Ferry fleet") -> str:
    computed = compute(question, evidences(content, title))
    return computed.answer.text if computed else ""


@pytest.mark.parametrize(
    ("question", "content", "headline"),
    [
        (
            "How many different harbours are in the ferry fleet?",
            FERRIES,
            "3 different values of “Harbour” in “Ferry fleet”: Lauwersoog, Harlingen, Den Helder",
        ),
        (
            "Which harbours does the ferry fleet have?",
            FERRIES,
            "3 different values of “Harbour” in “Ferry fleet”: Lauwersoog, Harlingen, Den Helder",
        ),
        (
            "How many ship engine generations were tested in the ferry fleet?",
            FERRIES,
            "3 different values of “ENG” in “Ferry fleet”: DS, EL, ST",
        ),
        (
            "Which ship engine generations were tested in the ferry fleet?",
            FERRIES,
            "3 different values of “ENG” in “Ferry fleet”: DS, EL, ST",
        ),
        (
            "How many different harbours have a ferry with DS?",
            FERRIES,
            "1 value of “Harbour” in “Ferry fleet” for ENG: DS: Lauwersoog",
        ),
        (
            "Wie viele verschiedene Hafen haben die Fähren?",
            FAEHREN,
            "2 verschiedene Werte von „Hafen“ in „Fähren“: Emden, Leer",
        ),
    ],
)
def test_values_that_repeat_are_counted_and_listed_once(question: str, content: str, headline: str) -> None:
    first = answer(question, content).split("\n")[0]
    assert first == headline


def test_each_value_is_cited_by_its_first_row() -> None:
    rows = answer("Which harbours does the ferry fleet have?", FERRIES).split("\n")[1:]
    assert [row.split(" · ")[0] for row in rows] == ["- Ferry: Alk", "- Ferry: Bruinvis", "- Ferry: Eider"]
    assert all(row.endswith("[1]") for row in rows)


@pytest.mark.parametrize("question", ["How many people are in the list Defects?", "Wie viele Personen haben Defects?"])
def test_people_are_counted_once(question: str) -> None:
    found = extract(Page("1", "DOC", "Ferry fleet", "", DEFECTS), names=NAMES).evidences
    computed = compute(question, [RankedEvidence(evidence, at, 1 / at) for at, evidence in enumerate(found, start=1)])
    assert computed is not None
    assert computed.answer.text.split("\n")[0].endswith(": Mara Lind, Bo Hall, Jan de Wit")


@pytest.mark.parametrize("question", ["How many people like red boats?", "Wie viele Personen mögen rote Boote?"])
def test_people_with_something_that_no_row_has_are_not_counted(question: str) -> None:
    found = extract(Page("1", "DOC", "Ferry fleet", "", DEFECTS), names=NAMES).evidences
    assert compute(question, [RankedEvidence(each, at, 1 / at) for at, each in enumerate(found, start=1)]) is None


@pytest.mark.parametrize(
    "question",
    ["How many team members had actions on mooring?", "Wie viele Teammitglieder hatten Actions in Mooring?"],
)
def test_items_with_sentences_are_not_counted_as_people(question: str) -> None:
    assert answer(question, ACTIONS) == ""


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Which harbours have a ferry with DS?", FERRIES),  # one value in two rows
        ("How many ferries are in the ferry fleet?", FERRIES),  # one row each
        ("How many cars of capacity does the ferry fleet have?", FERRIES),  # figures
        ("Which ferries are certified?", FERRIES),
        ("Which tide generations does the ferry fleet have?", FERRIES),  # another kind of generation
        ("Which harbours and which ENG are in the ferry fleet?", FERRIES),  # two columns
    ],
)
def test_rows_are_not_replaced_by_values(question: str, content: str) -> None:
    assert "different values" not in answer(question, content)


LEAVE = """<h2>Sonderurlaub</h2><table><tr><th>Anlass</th><th>Bezahlte Tage</th></tr><tr><td>Umzug</td><td>1</td></tr>
<tr><td>Hochzeit</td><td>2</td></tr><tr><td>Feuerwehr</td><td>1</td></tr></table>"""


@pytest.mark.parametrize("question", ["krankenschein ab welchem tag?", "Welche Tage hat der Kalender?"])
def test_values_are_not_listed_for_a_thing_that_the_table_does_not_have(question: str) -> None:
    computed = compute(question, evidences(LEAVE, "Urlaubsregelung"))
    assert computed is None or "verschiedene Werte" not in computed.answer.text


SITES = """<p>All our sites.</p>
<table><tr><th>Country</th><th>City</th></tr><tr><td rowspan="2">Germany</td><td>Kiel</td>
</tr><tr><td>Ulm</td></tr><tr><td rowspan="3">Austria</td><td>Graz</td></tr><tr><td>Linz</td></tr><tr><td>Wien</td></tr>
</table>"""


@pytest.mark.parametrize(
    "question",
    [
        "How many countries are in the site list?",
        "How many different countries are in the site list?",
        "Which countries are in the site list?",
        "Which different countries are in the site list?",
    ],
)
def test_values_of_the_first_column_that_repeat_are_no_things_of_their_own(question: str) -> None:
    first = answer(question, SITES, "Site list").split("\n")[0]
    assert first == "2 different values of “Country” in “Site list”: Germany, Austria"


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("How many different cities are in the site list?", "5 entries in “Site list”:"),
        ("How many different sites are in the site list?", ""),  # no column says what a site is
        ("Which different sites are in the site list?", ""),
        ("How many sites are in the site list?", "5 entries in “Site list”:"),
    ],
)
def test_rows_are_counted_as_different_only_by_a_column(question: str, headline: str) -> None:
    assert answer(question, SITES, "Site list").split("\n")[0] == headline
