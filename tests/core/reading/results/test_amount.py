"""Numbers that a cell states, of a question that would count rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.reading.questions.question import read_question
from core.reading.questions.row_question import Operation
from tests.core.reading.tables import compute, evidences


def make_table(*rows: tuple[str, ...], heading: str = "Content") -> str:
    header, *body = rows
    written = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body)
    return f"<h2>{heading}</h2><table><tr>{''.join(f'<th>{name}</th>' for name in header)}</tr>{written}</table>"


KIT = make_table(
    ("Material", "Stückzahl", "Haltbar bis"),
    ("Pflaster", "40", "2028"),
    ("Mullbinden", "6", "2027"),
    ("Rettungsdecke", "1", "2030"),
)
CELLAR = make_table(
    ("Drink", "Stock (crates)", "Price", "Supplier"),
    ("Cider", "24", "€3", "Hahn"),
    ("Apple juice", "8", "€2", "Hahn"),
    ("Lemonade", "5", "€4", "Preuss"),
)
ROOMS = make_table(
    ("Raum", "Plätze", "Stock"), ("Raum Elbe", "4", "2"), ("Raum Fulda", "6", "3"), ("Raum Leine", "12", "3")
)
FIELDS = make_table(
    ("Field", "Kind", "Explanation"),
    ("passengers", "list", "1 to 9 passengers"),
    ("luggage", "list", "bags with their weight"),
    ("class", "text", "first or second"),
)

LEAVE = make_table(
    ("Betriebszugehörigkeit", "Urlaubstage bei 5 Tagen", "bei 4 Tagen"),
    ("unter 3 Jahre", "28", "22"),
    ("3 bis 7 Jahre", "30", "24"),
    ("über 7 Jahre", "32", "26"),
)
STORE = make_table(
    ("Class", "Name", "Zone", "At most"),
    ("3", "Paint", "West", "200 kg"),
    ("8", "Acid", "East", "90 kg"),
    ("9", "Batteries", "East", "800 kg"),
)


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "content", "title", "said"),
    [
        ("wie viele pflaster sind im verbandskasten", KIT, "Verbandskasten", "Pflaster, Stückzahl: 40"),
        ("wie viele mullbinden gibt es", KIT, "Verbandskasten", "Mullbinden, Stückzahl: 6"),
        ("how many mullbinden do we have", KIT, "Verbandskasten", "Mullbinden, Stückzahl: 6"),
        ("wie viele rettungsdecken haben wir", KIT, "Verbandskasten", "Rettungsdecke, Stückzahl: 1"),
        ("how many lemonades are in the cellar", CELLAR, "Cellar", "Lemonade, Stock (crates): 5"),
        ("wie viel platz hat raum fulda", ROOMS, "Räume im Haus", "Raum Fulda, Plätze: 6"),
        ("wieviele plätze hat raum fulda?", ROOMS, "Räume im Haus", "Raum Fulda, Plätze: 6"),
        ("wie viele urlaubstage habe ich nach 5 jahren bei 4 tagen", LEAVE, "Urlaub", "3 bis 7 Jahre, bei 4 Tagen: 24"),
    ],
)
def test_the_number_is_that_of_the_row_and_no_count(question: str, content: str, title: str, said: str) -> None:
    assert answer(question, content, title).splitlines()[:1] == [said]


@pytest.mark.parametrize(
    ("question", "content", "title"),
    [
        ("how many passengers can i add", FIELDS, "Booking form"),
        ("how many passengers can a form have", FIELDS, "Booking form"),
        ("wie viel rettungsdecke kostet das", KIT, "Verbandskasten"),
        ("wie viel material haben wir", KIT, "Verbandskasten"),
        ("wie viel platz haben wir", ROOMS, "Räume im Haus"),
        ("how many plates does raum fulda have", ROOMS, "Räume im Haus"),
        ("how many lemonades are in the cellar and who brings them", CELLAR, "Cellar"),
        ("how many whiskies are in the cellar", CELLAR, "Cellar"),
        ("how many batteries may we store", STORE, "Store"),
    ],
)
def test_a_number_that_no_column_states_is_not_made_up(question: str, content: str, title: str) -> None:
    assert answer(question, content, title) == ""


@given(st.permutations([("Bolts", "M-7"), ("Hinges", "K-2"), ("Screws", "B-9"), ("Nails", "M-1")]), st.data())
def test_a_thing_that_names_its_row_is_never_counted_as_one(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, 1500), min_size=len(rows), max_size=len(rows)))
    plain = make_table(("Part", "Shelf"), *rows)
    counted = make_table(
        ("Part", "Shelf", "Pieces"), *((*row, str(number)) for row, number in zip(rows, numbers, strict=True))
    )
    for (part, _), number in zip(rows, numbers, strict=True):
        for question in (f"how many {part.lower()} are in the workshop", f"How many {part} do we have?"):
            assert answer(question, plain, "Workshop") == ""
            assert answer(question, counted, "Workshop").splitlines()[0] == f"{part}, Pieces: {number}"


def test_rows_are_counted_by_a_value_that_happens_to_differ_in_each() -> None:
    table = make_table(
        ("Saw", "Maker"), ("Big one", "Holt"), ("Small one", "Marn"), ("Old one", "Jura"), heading="Saws"
    )
    assert answer("How many Holt saws are there?", table, "Hall").startswith("1 of 3 entries")


@given(
    st.sampled_from(["urlaub", "platz", "geld", "zeit", "material", "Strom"]), st.sampled_from(["wie viel", "wieviel"])
)
def test_how_much_never_asks_for_rows(noun: str, beginning: str) -> None:
    for rest in ("hat man", "bekommen azubis", "gibt es", "haben wir noch"):
        asked = read_question(f"{beginning} {noun} {rest}")
        assert asked is None or asked.operation is not Operation.COUNT


LEAVE = make_table(("Occasion", "Days"), ("Wedding", "2"), ("Moving house", "1"), ("Funeral", "5"), heading="Leave")
FREI = make_table(("Anlass", "Tage"), ("Hochzeit", "2"), ("Umzug", "1"), ("Geburt", "10"), heading="Freie Tage")
COURSES = make_table(("Course", "Hours", "Places"), ("Welding", "16", "8"), ("Forklift", "6", "4"), heading="Courses")
KURSE = make_table(("Kurs", "Stunden", "Plätze"), ("Schweißen", "16", "8"), ("Stapler", "6", "4"), heading="Kurse")
BOOKING = make_table(("Transport", "Days in advance"), ("Train", "14"), ("Flight", "30"), heading="Trip")
RATES = make_table(
    ("Machine", "Days per year", "Hours before service"), ("Press", "12", "400"), ("Lathe", "3", "900"), heading="Use"
)
RATEN = make_table(
    ("Maschine", "Tage pro Jahr", "Stunden vor der Wartung"), ("Presse", "12", "400"), ("Säge", "3", "900")
)

PEOPLE = make_table(("Name", "Weekly hours", "Desk"), ("Ada", "32", "A"), ("Ben", "38", "B"), heading="Team")
LEUTE = make_table(("Name", "Wochenstunden", "Tisch"), ("Ada", "32", "A"), ("Ben", "38", "B"), heading="Team")


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("how many days before a wedding do i have to ask", LEAVE),
        ("How many days after moving house do I have to tell them?", LEAVE),
        ("how many days a week can i get for a funeral", LEAVE),
        ("how many days per month for a wedding", LEAVE),
        ("How many days each year are for moving house?", LEAVE),
        ("wie viele tage vor der hochzeit muss ich es sagen", FREI),
        ("Wie viele Tage nach dem Umzug muss ich es melden?", FREI),
        ("wie viele tage pro woche gibt es bei der geburt", FREI),
        ("Wie viele Tage je Monat gibt es beim Umzug?", FREI),
        ("Wie viele Tage jedes Jahr gibt es für den Umzug?", FREI),
        ("how many hours before welding can i cancel", COURSES),
        ("how many hours a day is the forklift course", COURSES),
        ("how many places per teacher has welding", COURSES),
        ("wie viele stunden vor dem schweißen darf ich absagen", KURSE),
        ("Wie viele Plätze pro Lehrer hat Schweißen?", KURSE),
        ("how many days per week is the press used", RATES),
        ("how many hours after service is the lathe used", RATES),
        ("Wie viele Tage pro Woche läuft die Presse?", RATEN),
        ("Wie viele Stunden nach der Wartung läuft die Säge?", RATEN),
    ],
)
def test_a_number_is_not_taken_for_a_rate_or_a_distance_that_the_column_does_not_state(
    question: str, content: str
) -> None:
    assert answer(question, content, "Overview") == ""


@pytest.mark.parametrize(
    ("question", "content", "said"),
    [
        ("how many days do i get for a wedding", LEAVE, "Wedding, Days: 2"),
        ("How many days off for moving house?", LEAVE, "Moving house, Days: 1"),
        ("Wie viele Tage gibt es für die Hochzeit?", FREI, "Hochzeit, Tage: 2"),
        ("wie viele stunden hat schweißen", KURSE, "Schweißen, Stunden: 16"),
        ("how many places has welding", COURSES, "Welding, Places: 8"),
        ("how many days per year is the press used", RATES, "Press, Days per year: 12"),
        ("how many days a year is the lathe used", RATES, "Lathe, Days per year: 3"),
        ("how many hours before service has the lathe", RATES, "Lathe, Hours before service: 900"),
        ("Wie viele Tage pro Jahr läuft die Presse?", RATEN, "Presse, Tage pro Jahr: 12"),
        ("how many days before the trip do I book a train", BOOKING, "Train, Days in advance: 14"),
        ("how many hours a week has ada", PEOPLE, "Ada, Weekly hours: 32"),
        ("wie viele wochenstunden hat ben", LEUTE, "Ben, Wochenstunden: 38"),
    ],
)
def test_a_rate_or_distance_is_taken_from_the_column_that_states_it(question: str, content: str, said: str) -> None:
    assert answer(question, content, "Overview").splitlines()[:1] == [said]


@pytest.mark.parametrize(
    ("question", "header", "answer"),
    [
        ("How many people fit into Titisee?", "Seats", "Titisee, Seats: 30"),
        ("how many people can Titisee hold", "Capacity", "Titisee, Capacity: 30"),
        ("how many guests can sit in the Titisee", "Seats", "Titisee, Seats: 30"),
        ("How many people fit into Titisee?", "Plätze", "Titisee, Plätze: 30"),  # a header in another language
        ("Wie viele Leute passen in den Titisee?", "Plätze", "Titisee, Plätze: 30"),
        ("How many people fit into Titisee?", "Bookings", ""),
    ],
)
def test_how_many_people_fit_is_the_number_of_seats(question: str, header: str, answer: str) -> None:
    rooms = make_table(("Room", header, "Floor"), ("Titisee", "30", "EG"), ("Belchen", "4", "1. OG"))
    found = compute(question, evidences(rooms, "Rooms"))
    assert (found.answer.text.splitlines()[0] if found else "") == answer


TOOLS = make_table(
    ("Inv.-Nr.", "Gegenstand", "Anzahl", "Zustand"),
    ("G-16", "Drehmomentschlüssel", "4", "OK"),
    ("G-17", "Akkutester BT-48", "2", "defekt"),
    ("G-18", "Akkutester BT-60", "1", "OK"),
)
WORKSHOP = make_table(
    ("Inv.", "Tool", "Qty"),
    ("G-16", "Wrench 10 mm", "4"),
    ("G-17", "Wrench 13 mm", "2"),
    ("G-18", "Wrench holder", "5"),
    ("G-19", "Battery tester BT-48", "2"),
    ("G-20", "Battery tester BT-60", "1"),
)


@pytest.mark.parametrize(
    ("question", "content", "numbers"),
    [
        ("Wie viele Akkutester haben wir?", TOOLS, "3 (Akkutester)"),
        ("Wie viele Akkutester gibt es insgesamt?", TOOLS, "3 (Akkutester)"),
        ("How many wrenches do we have?", WORKSHOP, "6 (wrenches)"),
        ("how many battery testers are there in total", WORKSHOP, "3 (battery testers)"),
    ],
)
def test_the_numbers_of_several_rows_for_one_thing_are_added(question: str, content: str, numbers: str) -> None:
    found = compute(question, evidences(content, "Workshop"))
    assert found
    line = found.answer.text.splitlines()[0]
    assert line.startswith(("Sum of “Qty” in 2 rows", "Summe von „Anzahl“ in 2 Zeilen"))
    assert line.endswith(f": {numbers}")


@pytest.mark.parametrize(
    "question",
    [
        "how many wrenches are missing",
        "how many wrenches are broken",
        "how many types of wrenches are there",
        "how many wrenches do we need",
        "how many wrenches and hammers do we have",
        "how many wrenches are on the list",
    ],
)
def test_other_questions_for_a_number_are_no_sum(question: str) -> None:
    found = compute(question, evidences(WORKSHOP, "Workshop"))
    assert found is None or "Sum of" not in found.answer.text


@pytest.mark.parametrize("header", ["Stock", "Units", "Word count", "Pieces per box", "Minimum quantity", "Price"])
def test_a_column_of_other_numbers_is_not_added(header: str) -> None:
    found = compute("How many wrenches do we have?", evidences(WORKSHOP.replace("Qty", header), "Workshop"))
    assert found is None or "Sum of" not in found.answer.text


@pytest.mark.parametrize("cell", ["Wrench", "Wrenches (all)", "Wrench total"])
def test_a_row_for_all_kinds_is_not_added_to_them(cell: str) -> None:
    found = compute("How many wrenches do we have?", evidences(WORKSHOP.replace("Wrench holder", cell), "Workshop"))
    assert found is None or ": 6 (" in found.answer.text
