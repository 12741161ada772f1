"""Columns of yes and no, and of states, that a question names by a part of their header or in another number."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

STATIONS = """<table><tbody>
<tr><th rowspan="2">Station</th><th colspan="2">Access</th><th colspan="2">Tickets</th></tr>
<tr><th>Lift</th><th>Ramp</th><th>Machines</th><th>Office</th></tr>
<tr><td>Hallow Bridge</td><td>✓</td><td>✓</td><td>4</td><td>✓</td></tr>
<tr><td>Saltmarsh</td><td>✗</td><td>✓</td><td>2</td><td>✗</td></tr>
<tr><td>Dunmere</td><td>✓</td><td>✗</td><td>1</td><td>✗</td></tr>
</tbody></table>"""
PASSES = write_table(
    ("Pass", "Price", "Dogs included"), ("Day", "£14", "No"), ("Weekend", "£23", "Yes"), ("Annual", "£90", "Yes")
)
HOURS = write_table(
    ("Office", "Saturday", "Sunday", "Public holidays"),
    ("Hallow Bridge", "08:00–17:00", "09:00–14:00", "closed"),
    ("Penbury", "07:00–20:00", "08:00–18:00", "09:00–13:00"),
    ("Corriton", "08:00–12:00", "closed", "closed"),
)
VEHICLES = write_table(
    ("Fahrzeug", "Baujahr", "Nächste Prüfung"),
    ("622 405", "2015", "14.02.2027"),
    ("622 411", "2016", "30.11.2026"),
    ("563 002", "2024", "19.06.2030"),
)


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


def headline(question: str, content: str, title: str) -> str:
    return answer(question, content, title).partition("\n")[0]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many stations have a lift", "2 of 3 entries in “Station facilities” match Access > Lift: yes:"),
        ("which stations have no ramp", "1 of 3 entries in “Station facilities” matches Access > Ramp: no:"),
        (
            "which stations have both a lift and a ramp",
            "1 of 3 entries in “Station facilities” matches Access > Lift: yes, Access > Ramp: yes:",
        ),
        (
            "which stations have a ticket office",
            "1 of 3 entries in “Station facilities” matches Tickets > Office: yes:",
        ),
    ],
)
def test_the_lower_of_two_header_rows_names_a_column_of_yes_and_no(question: str, line: str) -> None:
    assert headline(question, STATIONS, "Station facilities") == line


def test_a_word_of_its_header_alone_names_a_column_of_yes_and_no() -> None:
    line = headline("on which passes can I take my dog", PASSES, "Passes")
    assert line == "2 of 3 entries in “Passes” match Dogs included: yes:"


def test_a_word_beside_a_part_of_its_header_may_be_the_rest_of_it() -> None:
    rooms = write_table(("Room", "Air conditioning"), ("Oak", "no"), ("Elm", "yes"), ("Ash", "yes"))
    assert headline("which rooms have air con", rooms, "Rooms").startswith("2 of 3 entries")


ROOMS = write_table(
    ("Room", "Dogs included", "Lift", "API access"),
    ("Oak", "yes", "no", "no"),
    ("Elm", "no", "yes", "yes"),
    ("Ash", "yes", "yes", "yes"),
)


@pytest.mark.parametrize(
    "question",
    [
        "which rooms have a dog ban",
        "which rooms have a dog fee?",
        "how many rooms have a dog ban",
        "which rooms have a guard dog",
        "which rooms have a lift ban",
        "which rooms have a ski lift",
        "which rooms have API keys",
    ],
)
def test_a_noun_beside_the_word_makes_it_another_thing(question: str) -> None:
    assert headline(question, ROOMS, "Rooms") == ""


@pytest.mark.parametrize(
    "question",
    ["which rooms can I access", "which rooms may we access?", "which rooms can access the office"],
)
def test_a_verb_names_no_column(question: str) -> None:
    assert "API access" not in headline(question, ROOMS, "Rooms")


@pytest.mark.parametrize(
    "question", ["which rooms have a dog", "which rooms have dogs included", "in which rooms may a dog sleep"]
)
def test_the_word_alone_names_the_column(question: str) -> None:
    assert headline(question, ROOMS, "Rooms") == "2 of 3 entries in “Rooms” match Dogs included: yes:"


def test_a_german_verb_after_the_noun_is_no_part_of_its_name() -> None:
    rooms = write_table(("Raum", "Hunde erlaubt"), ("Eiche", "ja"), ("Ulme", "nein"), ("Esche", "ja"))
    assert headline("in welche räume darf ich meinen hund mitbringen", rooms, "Räume").startswith("2 von 3 Einträgen")


def test_a_header_is_named_in_the_plural_too() -> None:
    line = headline("which offices are closed on sundays", HOURS, "Ticket office opening hours")
    assert line == "Office: Corriton (Sunday: closed)"


def test_a_year_limits_no_names_of_digits() -> None:
    assert "> 2020" not in headline("welche fahrzeuge wurden nach 2020 gebaut", VEHICLES, "Fahrzeugliste")


def test_an_attribute_that_the_table_lacks_is_not_the_row() -> None:
    coats = write_table(("Item", "Price"), ("Winter coat", "£74"), ("Cap", "£12"))
    assert headline("what colour is the winter coat", coats, "Uniforms") == ""


PEOPLE = write_table(
    ("Name", "Room", "Remote"),
    ("Ada", "2.14", "yes"),
    ("Ben", "2.15", "no"),
    ("Cem", "3.01", "yes"),
    ("Eva", "3.02", "no"),
)


def test_people_are_those_for_whom_a_column_says_yes() -> None:
    assert headline("how many people are remote", PEOPLE, "Staff") == "2 of 4 entries in “Staff” match Remote: yes:"


def test_the_numbers_of_what_is_asked_for_do_not_measure_it() -> None:
    assert headline("which room has the most desks", PEOPLE, "Desks") == ""


HALLS_DE = write_table(
    ("Raum", "Barrierefreiheit", "Holzboden", "Parkplatz", "Sichtbarkeit geprüft"),
    ("Ahorn", "ja", "ja", "nein", "ja"),
    ("Buche", "nein", "ja", "ja", "nein"),
    ("Zeder", "ja", "nein", "ja", "ja"),
)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("welche Räume sind barrierefrei", "2 von 3 Einträgen in „Räume“ (Barrierefreiheit: ja):"),
        ("Wie viele Räume sind barrierefrei?", "2 von 3 Einträgen in „Räume“ (Barrierefreiheit: ja):"),
        ("welche barrierefreien Räume gibt es", "2 von 3 Einträgen in „Räume“ (Barrierefreiheit: ja):"),
        ("welche Räume haben Holz", ""),  # what begins so may be something else: "Parkplatz" is no park
        ("welche Räume haben einen Park", ""),
        ("welche Räume sind sichtbar", ""),
    ],
)
def test_a_word_that_begins_a_german_header_is_not_said_of_all_rows(question: str, line: str) -> None:
    assert headline(question, HALLS_DE, "Räume") == line
