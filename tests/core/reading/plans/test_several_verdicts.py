"""Several columns of yes and no, the only column with yes, and columns of what is free."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

ROOMS = (
    ("Weser", "12", "yes", "yes"),
    ("Elbe", "20", "yes", "no"),
    ("Eider", "8", "yes", "yes"),
    ("Trave", "4", "no", "no"),
    ("Alster", "6", "no", "yes"),
)
ROOM_TABLE = write_table(("Room", "Seats", "Projector", "Video"), *ROOMS)
EDITIONS = (
    ("Single sign-on", "✗", "✗", "✓"),
    ("API", "✗", "✓", "✓"),
    ("Guests", "✓", "✓", "✓"),
    ("Audit", "✗", "✗", "✓"),
)
EDITION_TABLE = write_table(("Feature", "Free", "Team", "Enterprise"), *EDITIONS)
LICENCES = (("Figma", "15", "0"), ("Miro", "25", "7"), ("Snagit", "10", "6"))
LICENCE_TABLE = write_table(("Produkt", "Gekauft", "Frei"), *LICENCES)
DEVICES = write_table(("Device", "Lent to"), ("Pixel 8", "Mira Sand"), ("Galaxy S22", ""), ("iPhone 13", "nobody"))


def answer(question: str, content: str, title: str) -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


def list_names(text: str, rows: tuple[tuple[str, ...], ...]) -> list[str]:
    return [name for name, *_ in rows if any(f": {name} " in line for line in text.splitlines()[1:])]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("which rooms have a projector", ["Weser", "Elbe", "Eider"]),
        ("which rooms have a projector and video", ["Weser", "Eider"]),
        ("Which room has video and a projector?", ["Weser", "Eider"]),
        ("which rooms have a projector or video", []),
        ("which rooms have a projector but no video", []),
    ],
)
def test_all_named_columns_have_to_say_yes(question: str, names: list[str]) -> None:
    assert list_names(answer(question, ROOM_TABLE, "Meeting rooms"), ROOMS) == names


def test_the_largest_room_with_something_has_the_most_seats() -> None:
    line = answer("largest room with video", ROOM_TABLE, "Meeting rooms").partition("\n")[0]
    assert line == "Largest “Seats” in “Meeting rooms”: 12 (Video: yes) – Weser"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("which features are only in enterprise", ["Single sign-on", "Audit"]),
        ("which features are in enterprise", ["Single sign-on", "API", "Guests", "Audit"]),
    ],
)
def test_only_excludes_the_other_columns(question: str, names: list[str]) -> None:
    assert list_names(answer(question, EDITION_TABLE, "Larkspur editions"), EDITIONS) == names


@pytest.mark.parametrize("question", ["welche lizenzen sind noch frei", "von welchem produkt sind noch lizenzen frei"])
def test_what_is_free_is_more_than_nothing(question: str) -> None:
    assert list_names(answer(question, LICENCE_TABLE, "Softwarelizenzen"), LICENCES) == ["Miro", "Snagit"]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("sind von snagit noch lizenzen frei", "Ja – Frei: 6"),
        ("sind von figma noch lizenzen frei?", "Nein – Frei: 0"),
    ],
)
def test_a_number_says_whether_something_is_free(question: str, line: str) -> None:
    assert answer(question, LICENCE_TABLE, "Softwarelizenzen").partition("\n")[0] == line


@pytest.mark.parametrize(
    ("question", "line"), [("is the pixel 8 lent", "Yes – Lent to: Mira Sand"), ("is the galaxy s22 lent", "")]
)
def test_whoever_has_it_is_a_yes_and_a_blank_cell_nothing(question: str, line: str) -> None:
    assert answer(question, DEVICES, "Test devices").partition("\n")[0] == line


def first_line(question: str, content: str, title: str) -> str:
    return answer(question, content, title).partition("\n")[0]


LOANS = write_table(("Tool", "Borrowed by", "Shelf"), ("Saw", "Ann", "A1"), ("Drill", "", "A2"), ("File", "", "A3"))


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which tools are free", "2 of 3 entries in “Tool loans” match nobody under “Borrowed by”:"),
        ("is the drill free", "Yes – nobody under “Borrowed by”"),
        ("is the saw still available", "No – Borrowed by: Ann"),
        ("is the drill borrowed", ""),
    ],
)
def test_what_nobody_has_borrowed_is_free(question: str, line: str) -> None:
    assert first_line(question, LOANS, "Tool loans") == line


def test_the_title_that_completion_adds_is_not_what_is_listed() -> None:
    header = ("Name", "Lent to")
    content = f"<h2>Cars</h2>{write_table(header, ('Golf', 'Ann'), ('Caddy', ''))}"
    content += f"<h2>Keys</h2>{write_table(header, ('Store', ''), ('Gate', 'Ben'))}"
    assert (
        first_line("and which keys? (Cars and keys: free)", content, "Cars and keys")
        == "1 of 2 entries in “Keys” matches nobody under “Lent to”:"
    )


@pytest.mark.parametrize(
    ("header", "questions"),
    [
        ("Requested by", ("which features are available", "is the export available", "is the import available")),
        ("Reviewed by", ("which features are free", "is the export free")),
        ("Connected to", ("which features are available", "is the export still available")),
        ("Adapted from", ("is the export available", "which features are left")),
        ("Issued by", ("which features are available", "is the import available")),
    ],
)
def test_what_is_done_by_nobody_is_not_free(header: str, questions: tuple[str, ...]) -> None:
    features = write_table(("Feature", header), ("Export", "Ada Lind"), ("Import", ""), ("Search", "Mara Voss"))
    assert [first_line(question, features, "Features") for question in questions] == [""] * len(questions)


def test_nobody_is_said_in_german_too() -> None:
    keys = write_table(("Werkzeug", "Ausgeliehen an"), ("Säge", "Ada"), ("Bohrer", ""), ("Feile", "Ben"))
    assert first_line("ist der bohrer frei?", keys, "Werkzeuge") == "Ja – niemand unter „Ausgeliehen an“"
    line = first_line("welche werkzeuge sind frei?", keys, "Werkzeuge")
    assert line == "Werkzeug: Bohrer (niemand unter „Ausgeliehen an“)"
