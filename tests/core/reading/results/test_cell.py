"""The value of one cell, where a question names its row and its column."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.reading.tables import MACHINES, compute, evidences, of_kind
from tests.core.reading.test_days import write_table

BUDGET = """<p>In thousand euros.</p><table><tbody><tr><th>Department</th><th>Plan</th><th>Actual</th></tr>
<tr><td>IT</td><td>1,200</td><td>1,350</td></tr><tr><td>Sales</td><td>900</td><td>870</td></tr>
<tr><td>HR</td><td>300</td><td></td></tr></tbody></table>"""
HOURS = """<h2>Opening hours</h2><table><tbody><tr><th>Office</th><th>Monday to Thursday</th><th>Friday</th></tr>
<tr><td>Workshop</td><td>7:00 to 16:30</td><td>7:00 to 14:00</td></tr>
<tr><td>Reception</td><td>8:00 to 18:00</td><td>8:00 to 16:00</td></tr></tbody></table>"""


def first_line(question: str, content: str, title: str = "Budget 2026") -> str:
    found = compute(question, evidences(content, title=title))
    return found.answer.text.splitlines()[0] if found else ""


@pytest.mark.parametrize(
    ("question", "content", "line"),
    [
        ("What is the actual of IT?", BUDGET, "IT, Actual: 1,350"),
        ("Sales plan in the 2026 budget?", BUDGET, "Sales, Plan: 900"),
        ("Wie hoch ist der Plan von HR?", BUDGET, "HR, Plan: 300"),
        ("When does the reception close on Friday?", HOURS, "Reception, Friday: 8:00 to 16:00"),
        ("What is the actual of HR?", BUDGET, "“HR” has no entry in “Actual”."),
        ("Wie hoch ist der Plan von IT?", BUDGET.replace("1,200", ""), "Bei „IT“ steht nichts unter „Plan“."),
    ],
)
def test_the_first_line_is_the_cell_that_is_asked_for(question: str, content: str, line: str) -> None:
    assert first_line(question, content) == line


def test_of_two_headers_the_one_with_more_words_of_the_question_is_meant() -> None:
    table = """<table><tbody><tr><th>Information</th><th>Code Value</th><th>Type Of Value</th></tr>
    <tr><td>?context</td><td>0x01</td><td>-</td></tr><tr><td>?ssl_cipher</td><td>0x08</td><td>String</td></tr></tbody></table>"""
    assert first_line("What is the code value of ?ssl_cipher?", table) == "?ssl_cipher, Code Value: 0x08"


def test_the_title_that_completion_adds_names_no_column() -> None:
    table = """<table><tbody><tr><th>Code</th><th>Meaning</th><th>What the caretaker does</th></tr>
    <tr><td>E04</td><td>No satellite</td><td>Looks for snow</td></tr>
    <tr><td>E23</td><td>Weak battery</td><td>Orders a new one</td></tr></tbody></table>"""
    title = "Questions caretakers ask"
    assert "Orders" not in first_line(f"What does the error E23 mean? ({title})", table, title)
    assert "Orders" in first_line(f"What does the caretaker do about E23? ({title})", table, title)


def test_a_bare_number_that_names_the_row_has_its_header() -> None:
    rows = [("1", "by phone", "5 min"), ("2", "by mail", "15 min")]
    table = write_table(("Sev", "Customer", "Ack within"), *rows)
    assert first_line("how fast must I ack a sev 2?", table) == "Sev 2, Ack within: 15 min"


@pytest.mark.parametrize("title", ["Plans and budgets 2026", "Why we plan", "Alle Abteilungen oder keine"])
def test_words_of_the_title_that_completion_adds_ask_for_nothing_more(title: str) -> None:
    assert first_line(f"What is the actual of IT? ({title})", BUDGET, title) == "IT, Actual: 1,350"


@pytest.mark.parametrize(
    "question",
    [
        "What is the actual of Legal?",
        "What is the forecast of IT?",
        "What was the plan for IT and Sales?",
        "Why is the actual of IT so high?",
        "Which department is not IT in the plan?",
        "What about IT?",
        "Was the actual of IT too high?",
        "What is the actual of IT in 2024?",
    ],
)
def test_what_names_no_single_cell_has_none(question: str) -> None:
    assert ": 1,350" not in first_line(question, BUDGET)
    assert "Actual:" not in first_line(question, BUDGET)


def test_two_tables_that_say_different_things_give_none() -> None:
    other = BUDGET.replace("1,350", "1,100")
    found = [*evidences(BUDGET, title="Budget"), *evidences(other, title="Budget", page_id="8", rank=1)]
    assert compute("What is the actual of IT?", found) is None


def test_one_row_of_a_table_is_enough() -> None:
    row = of_kind(evidences(BUDGET), "table_row")[1]
    found = compute("What is the actual of Sales?", [row])
    assert found is not None
    assert found.answer.text.splitlines()[0] == "Sales, Actual: 870"
    assert found.answer.citations[0].evidence_id == row.evidence.evidence_id


def test_rows_of_two_conditions_are_told_apart() -> None:
    assert first_line("What are the comments on the Dell E7440?", MACHINES).startswith("Dell, E7440, Comments: ")


@given(st.integers(2, 6), st.integers(2, 300), st.data())
def test_any_cell_of_any_table_is_found_by_its_row_and_column(rows: int, columns: int, data: st.DataObject) -> None:
    row, column = data.draw(st.integers(1, rows)), data.draw(st.integers(1, columns))
    headers = "".join(f"<th>KPI {number}</th>" for number in range(1, columns + 1))
    cities = ["Munich", "Hamburg", "Berlin", "Cologne", "Bremen", "Kiel"]
    lines = "".join(
        f"<tr><td>{cities[at]}</td>{''.join(f'<td>{(at + 1) * 10_000 + n}</td>' for n in range(1, columns + 1))}</tr>"
        for at in range(rows)
    )
    table = f"<table><tbody><tr><th>City</th>{headers}</tr>{lines}</tbody></table>"
    said = first_line(f"What is KPI {column} of {cities[row - 1]}?", table, title="Figures")
    assert said == f"{cities[row - 1]}, KPI {column}: {row * 10_000 + column}"


PRICES = """<table><tbody><tr><th>Service</th><th>Price (€)</th><th>Duration (h)</th><th>Warranty</th></tr>
<tr><td>Wheel turning</td><td>480</td><td>3</td><td>1 year</td></tr>
<tr><td>Window exchange</td><td>310</td><td>2</td><td>2 years</td></tr></tbody></table>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how much is wheel turning", "Wheel turning, Price (€): 480"),
        ("what does wheel turning cost", "Wheel turning, Price (€): 480"),
        ("how long does wheel turning take", "Wheel turning, Duration (h): 3"),
        ("wie lange dauert wheel turning", "Wheel turning, Duration (h): 3"),
        ("and how long does it take? (Workshop prices: wheel turning)", "Wheel turning, Duration (h): 3"),
        ("und wie lange dauert das? (Workshop prices: kostet wheel turning)", "Wheel turning, Duration (h): 3"),
        ("how much is wheel turning more than window exchange", ""),
        ("how much is wheel polishing", ""),
        ("how much is wheel turning discounted", ""),
        ("how much was wheel turning used", ""),
        ("how long does wheel turning repair take", ""),
        ("and the warranty? (Workshop prices: price wheel turning)", "Wheel turning, Warranty: 1 year"),
        ("and window exchange? (Workshop prices: price)", "Window exchange, Price (€): 310"),
        ("and how heavy is it? (Workshop prices: price wheel turning)", ""),
    ],
)
def test_what_is_measured_names_the_column(question: str, line: str) -> None:
    found = first_line(question, PRICES, "Workshop prices")
    assert found == line or (not line and "480" not in found)


PLANS = write_table(("Plan", "Price", "Users"), ("Pro Max", "20 €", "50"), ("Basic", "5 €", "3"))
CLASSES = write_table(
    ("Train", "Seats", "Drive"),
    ('Class 231 "Lapwing"', "204", "Diesel"),
    ('"Heron" of 2001', "140", "Battery"),
    ("Curlew train", "158", "Diesel"),
    ("Dunlin 2", "90", "Diesel"),
    ("Plover express (line 7)", "60", "Steam"),
)


@pytest.mark.parametrize("question", ["What is the price of Pro?", "how much is pro", "how many users does Pro have"])
def test_the_first_word_of_a_name_may_be_another_name(question: str) -> None:
    assert "Pro Max" not in first_line(question, PLANS, "Plans")


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("what is the drive of the lapwing", 'Class 231 "Lapwing", Drive: Diesel'),
        ("what is the drive of class 231", 'Class 231 "Lapwing", Drive: Diesel'),
        ("what is the drive of the heron", '"Heron" of 2001, Drive: Battery'),
        ("what is the drive of the curlew", "Curlew train, Drive: Diesel"),
        ("what is the drive of the dunlin", "Dunlin 2, Drive: Diesel"),
        ("which drive does the plover express now have", "Plover express (line 7), Drive: Steam"),
        ("how many seats does a lapwing have", 'Class 231 "Lapwing", Seats: 204'),
    ],
)
def test_a_part_that_stands_for_a_name_is_enough(question: str, line: str) -> None:
    assert first_line(question, CLASSES, "Trains") == line


def test_a_filled_cell_of_another_table_is_meant_rather_than_an_empty_one() -> None:
    more = BUDGET.replace("<td>300</td><td></td>", "<td>300</td><td>310</td>")
    found = [*evidences(BUDGET, title="Budget"), *evidences(more, title="Budget", page_id="8", rank=1)]
    computed = compute("What is the actual of HR?", found)
    assert computed
    assert computed.answer.text.startswith("HR, Actual: 310")


@pytest.mark.parametrize(
    "rows",
    ["Berlin||,Desk|A1|030,Bonn||,Lobby|B1|022", "Berlin|A1|,Bonn|B1|x,Ulm|C1|x"],
    ids=["a heading of rows", "a tick"],
)
def test_an_empty_cell_of_a_heading_or_among_ticks_says_nothing(rows: str) -> None:
    table = write_table(("Site", "Room", "Phone"), *(tuple(row.split("|")) for row in rows.split(",")))
    assert "no entry" not in first_line("What is the phone of Berlin?", table)
