"""Tables with a row for each property and a column for each thing."""

from __future__ import annotations

import pytest

from core.reading.relations import transposed
from core.reading.relations.relation import make_relations
from tests.core.reading.tables import compute, evidences
from tests.core.reading.test_days import write_table

TRAINS = write_table(
    ("Property", "Heron", "Lapwing", "Curlew"),
    ("Manufacturer", "Adtranz", "Stadler", "Stadler"),
    ("Seats", "204", "221", "158"),
    ("Top speed (km/h)", "160", "145", "100"),
    ("Step-free entry", "✗", "✓", "✓"),
    ("Air conditioning", "✗", "✓", "✓"),
    ("In service since", "2001", "2023", "2025"),
)
SYSTEMS = write_table(
    ("Funktion", "RailPlan", "Dispo24", "Weichenwerk"),
    ("Umlaufplanung", "(/)", "(x)", "(/)"),
    ("Mobile App", "(x)", "(/)", "(/)"),
    ("Preis pro Jahr", "48.000 €", "31.500 €", "39.900 €"),
    ("Lizenzen", "50", "40", "unbegrenzt"),
)
HOURS = write_table(
    ("Office", "Mon–Fri", "Saturday", "Sunday"),
    ("Hallow Bridge", "06:30–19:00", "08:00–17:00", "closed"),
    ("Penbury", "05:45–21:30", "07:00–20:00", "08:00–18:00"),
    ("Corriton", "07:00–13:00", "closed", "closed"),
)


def answer(question: str, content: str = TRAINS, title: str = "Train classes") -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which train has the most seats", "Largest “Seats” in “Train classes”: 221 – Lapwing"),
        ("which trains have air conditioning", "2 of 3 entries in “Train classes” match Air conditioning: yes:"),
        ("how many trains are from Stadler", "2 of 3 entries in “Train classes” match Manufacturer: Stadler:"),
        ("how many seats does the lapwing have", "Lapwing, Seats: 221"),
        ("what is the top speed of the curlew", "Curlew, Top speed (km/h): 100"),
        ("does the curlew have air conditioning", "Yes – Curlew, Air conditioning: yes"),
        ("which trains have more than 200 seats", "2 of 3 entries in “Train classes” match Seats > 200:"),
    ],
)
def test_things_are_rows(question: str, line: str) -> None:
    assert answer(question).partition("\n")[0] == line


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("welches system hat keine mobile app", "1 von 3 Einträgen in „Systeme“ (Mobile App: nein):"),
        ("was ist das günstigste system", "Kleinster Wert von „Preis pro Jahr“ in „Systeme“: 31.500 € – Dispo24"),
        ("hat dispo24 umlaufplanung", "Nein – Dispo24, Umlaufplanung: (x)"),
    ],
)
def test_typed_marks_are_yes_and_no(question: str, line: str) -> None:
    assert answer(question, SYSTEMS, "Systeme").partition("\n")[0] == line


def test_the_property_is_cited() -> None:
    found = compute("which train has the most seats", evidences(TRAINS, "Train classes"))
    assert found
    [citation] = found.answer.citations
    assert "Seats" in citation.quote
    assert "Manufacturer" not in citation.quote
    assert "- Lapwing · Manufacturer: Stadler · Seats: 221" in found.answer.text


def test_sums_of_several_currencies_are_of_one_kind() -> None:
    """Each row has another currency, and yet is no property."""
    table = write_table(
        ("Country", "Hotel up to", "Allowance"),
        ("Germany", "€125", "€30"),
        ("United Kingdom", "£130", "£42"),
        ("Switzerland", "CHF 210", "CHF 64"),
    )
    assert answer("What is the hotel limit in Switzerland?", table, "Travel policy").startswith(
        "Switzerland, Hotel up to"
    )


def test_prices_in_several_currencies_are_properties() -> None:
    table = write_table(
        ("Property", "Basic", "Pro"), ("Price EU", "€5", "€9"), ("Price UK", "£4", "£8"), ("Price US", "$6", "$9")
    )
    assert answer("which plan has the lowest price uk", table, "Plans").startswith("Smallest “Price UK”")


def test_a_table_of_one_kind_is_not_turned() -> None:
    line = answer("which offices are closed on sunday", HOURS, "Offices").partition("\n")[0]
    assert line == "2 of 3 entries in “Offices” match Sunday: closed:"


QUARTERS = write_table(
    ("", "Plan > Q1", "Plan > Q2", "Plan > Q3"),
    ("Volume (m€)", "412", "455", "498"),
    ("Active merchants", "4,870", "5,012", "5,240"),
    ("Churned merchants", "96", "121", ""),
    ("p99 write", "38 ms", "7 ms", "12 ms"),
)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which quarter had the most churned merchants", "Largest “Churned merchants” in “Key figures”: 121 – Q2"),
        ("which quarter had the lowest volume", "Smallest “Volume (m€)” in “Key figures”: 412 – Q1"),
        ("which quarter had the most merchants", ""),  # active ones, or churned ones
        ("which quarter had the lowest latency", "Smallest “p99 write” in “Key figures”: 7 ms – Q2"),
        ("which quarter had the largest disk", ""),
    ],
)
def test_columns_of_numbers_are_compared_if_a_row_is_named(question: str, line: str) -> None:
    assert answer(question, QUARTERS, "Key figures").partition("\n")[0] == line


ENVIRONMENTS = """<table><tr><th></th><th>dev</th><th>staging</th><th>prod</th></tr>
<tr><th>Data</th><td>fake</td><td colspan="2">real</td></tr>
<tr><th>Replicas</th><td>1</td><td>2</td><td></td></tr>
<tr><th>Owner</th><td colspan="3">platform team</td></tr>
<tr><th>Support</th><td>no</td><td>office hours</td><td>yes</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("what data is on prod", "prod, Data: real"),
        ("what data is on staging", "staging, Data: real"),
        ("how many replicas does staging have", "staging, Replicas: 2"),
    ],
)
def test_a_merged_cell_belongs_to_each_of_its_columns(question: str, line: str) -> None:
    assert answer(question, ENVIRONMENTS, "Environments").partition("\n")[0] == line


VENDORS = write_table(
    ("Criterion", "Zendox", "Helpio", "Weight", "Total"),
    ("Score", "81", "88", "100", "169"),
    ("Uptime", "99.1 %", "99.9 %", "40 %", ""),
)
SOLVERS = write_table(("", "Anna", "Max", "Ben"), ("Tickets", "12", "40", "7"), ("Calls", "1", "2", "3"))
TOURS = write_table(
    ("Tour", "Adult", "Child", "Adult / Child"), ("Harbour", "€18", "€9", "€24"), ("Family special", "", "", "€15")
)


@pytest.mark.parametrize(
    ("question", "content", "line"),
    [
        ("which vendor has the highest score", VENDORS, "Largest “Score” in “Vendors”: 88 – Helpio"),
        ("which vendor has the lowest uptime", VENDORS, "Smallest “Uptime” in “Vendors”: 99.1 % – Zendox"),
        ("which vendor has the most tickets", SOLVERS, "Largest “Tickets” in “Vendors”: 40 – Max"),
        (
            "which vendors tour is the cheapest for adult / child",
            TOURS,
            "Smallest “Adult / Child” in “Vendors”: €15 – Fam",
        ),
    ],
)
def test_a_weight_or_a_total_is_no_thing_and_a_header_with_a_slash_may_be_a_column_of_its_own(
    question: str, content: str, line: str
) -> None:
    assert answer(question, content, "Vendors").startswith(line)


SETTINGS = write_table(
    ("Setting", "Default", "Recommended"),
    ("Replicas", "1", "3"),
    ("Debug", "no", "no"),
    ("Region", "eu", "eu"),
    ("Timeout", "30 s", "60 s"),
)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many settings are there", "4 entries in “Server settings”:"),
        ("what is the recommended timeout", "Recommended, Timeout: 60 s"),
        ("how many options are there", ""),
    ],
)
def test_properties_are_counted_if_they_are_named(question: str, line: str) -> None:
    assert answer(question, SETTINGS, "Server settings").partition("\n")[0] == line


def count_read_cells(monkeypatch: pytest.MonkeyPatch, rows: int, *cells: str) -> int:
    """Return the number of cells that are read of a table with these cells in each row, if nothing else is asked."""
    header = ("Ticket", *(f"Column {at}" for at in range(len(cells))))
    content = write_table(header, *((f"T-{row}", *cells) for row in range(rows)))
    relations = make_relations(evidences(content, "Tickets", max_chars=100_000))
    read: list[str] = []

    def read_kind(label: str, cell: str) -> str:
        read.append(cell)
        return "text"

    monkeypatch.setattr(transposed, "_find_kind", read_kind)
    assert [transposed.arrange_by_thing(each, ()) for each in relations] == list(relations)
    return len(read)


def test_one_column_of_one_kind_is_enough_to_leave_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_read_cells(monkeypatch, 50, "open", "4", "2026-01-01") == 50


def test_no_cell_of_a_long_table_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_read_cells(monkeypatch, 201, "open", "4") == 0


def test_no_cell_of_a_wide_table_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert count_read_cells(monkeypatch, 60, *["4"] * 90) == 0


def write_metrics(*things: str) -> str:
    return write_table(
        ("Metric", *things),
        ("Uptime", "99 %", "98 %", "97 %"),
        ("Incidents", "4", "2", "0"),
        ("Reviewed", "yes", "no", "yes"),
    )


@pytest.mark.parametrize(
    ("question", "things", "line"),
    [
        ("How many months were reviewed?", ("Jan", "Feb", "Mar"), "2 of 3 entries in “Metrics” match Reviewed: yes:"),
        ("Which month had the most incidents?", ("Jan", "Feb", "Mar"), "Largest “Incidents” in “Metrics”: 4 – Jan"),
        ("How many years were reviewed?", ("2023", "2024", "2025"), "2 of 3 entries in “Metrics” match Reviewed: yes:"),
        ("Which year had the most incidents?", ("2023", "2024", "2025"), "Largest “Incidents” in “Metrics”: 4 – 2023"),
        ("Which quarters were not reviewed?", ("Q1", "Q2", "Q3"), "1 of 3 entries in “Metrics” matches Reviewed: no:"),
        ("How many months were reviewed?", ("2023", "2024", "2025"), ""),
        ("How many months did the outage last?", ("Jan", "Feb", "Mar"), ""),
        ("How many months of uptime were there?", ("Jan", "Feb", "Mar"), ""),
    ],
)
def test_things_that_are_periods_are_named_by_their_noun(question: str, things: tuple[str, ...], line: str) -> None:
    assert answer(question, write_metrics(*things), "Metrics").partition("\n")[0] == line
