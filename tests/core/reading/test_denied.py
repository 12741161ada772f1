"""Questions for things that did not do something."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import compute, evidences


def _trials(sail: str, motor: str, boat: str, leak: str) -> str:
    rows = (
        ("101", "Gaff Alk", "", leak),
        ("101", "Gaff Fuut", "", ""),
        ("102", "Gaff Alk", "", ""),
        ("102", "Gaff Eider", leak, ""),
        ("102", "Lugger Knot", "", leak),
        ("103", "Gaff Fuut", "", ""),
        ("103", "Gaff Gans", "", ""),
        ("103", "Gaff Gans", "torn sail", ""),
    )
    head = "".join(f"<th>{name}</th>" for name in ("Run", boat, f"{sail} &gt; Night run", f"{motor} &gt; Night run"))
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<h2>Sea trial 4.0</h2><table><tr>{head}</tr>{body}</table>"


TRIALS = _trials("Sail", "Motor", "Boat", "Water leak")
STATES = """<h2>Open tasks</h2><table><tr><th>Task</th><th>State</th></tr><tr><td>Paint</td><td>closed</td></tr>
<tr><td>Cast</td><td>open</td></tr><tr><td>Sell</td><td>waiting</td></tr></table>"""
FAHRTEN = """<h2>Fahrten</h2><table><tr><th>Boot</th><th>Befund</th></tr><tr><td>Gaffel Alk</td><td>Leck</td></tr>
<tr><td>Gaffel Fuut</td><td></td></tr><tr><td>Gaffel Alk</td><td></td></tr><tr><td>Gaffel Gans</td><td></td></tr>
<tr><td>Gaffel Gans</td><td></td></tr></table>"""


def answer(question: str, content: str) -> str:
    computed = compute(question, evidences(content, "Sea trials"))
    return computed.answer.text if computed else ""


@pytest.mark.parametrize(
    ("question", "content", "values"),
    [
        (
            "In sea trial 4.0, which Gaff boats did not result in a water leak during the night run?",
            TRIALS,
            "Gaff Fuut, Gaff Gans",
        ),
        ("Welche Gaffel-Boote führten in den Fahrten nicht zu einem Leck?", FAHRTEN, "Gaffel Fuut, Gaffel Gans"),
    ],
)
def test_a_thing_with_the_denied_result_in_any_row_or_column_is_not_listed(
    question: str, content: str, values: str
) -> None:
    assert answer(question, content).split("\n")[0].endswith(f": {values}")


def test_the_complement_is_listed() -> None:
    text = answer("Which tasks are not closed?", STATES)
    assert "Cast" in text
    assert "Sell" in text
    assert "Paint" not in text


@pytest.mark.parametrize(
    "question",
    [
        "In sea trial 4.0, which Gaff boats did not result in a broken mast during the night run?",
        "Which Gaff boats were not tested with a water leak?",
    ],
)
def test_what_cannot_be_bound_is_not_listed(question: str) -> None:
    assert answer(question, TRIALS) == ""


HARDWARE = """<table><tr><th>Vendor</th><th>Model</th><th>State</th></tr><tr><td>Dell</td><td>7450</td><td>new</td></tr>
<tr><td>HP</td><td>8300</td><td>new</td></tr><tr><td>Dell</td><td>9010</td><td>old</td></tr>
<tr><td>NCS</td><td>Stratus</td><td>old</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (
            "Which machines of the sea trials are not from Dell?",
            "2 of 4 entries in “Sea trials” match not Vendor: Dell:",
        ),
        ("How many computers were not bought from Dell?", ""),
    ],
)
def test_the_noun_for_what_is_listed_need_not_be_in_the_table(question: str, line: str) -> None:
    assert answer(question, HARDWARE).split("\n")[0] == line


CONTROLLERS = """<h2>What each can do</h2><table><tr><th>Feature</th><th>Wren</th><th>Rook</th><th>Heron</th></tr>
<tr><td>Plays melodies</td><td>no</td><td>no</td><td>yes</td></tr>
<tr><td>Battery for power cuts</td><td>yes</td><td>yes</td><td>no</td></tr>
<tr><td>Radio</td><td>no</td><td>no</td><td>no</td></tr></table>"""


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Which controllers can't play melodies?", "2 of 3 without “Plays melodies”: Wren, Rook"),
        ("Which controllers have no battery for power cuts?", "1 of 3 without “Battery for power cuts”: Heron"),
        ("Which controllers have a battery for power cuts?", "“Battery for power cuts” has 2 of 3: Wren, Rook"),
        ("How many controllers have a radio?", "In the row “Radio”, none of the 3 columns says yes."),
    ],
)
def test_things_that_are_columns_are_listed_by_the_row_that_is_asked_about(question: str, line: str) -> None:
    computed = compute(question, evidences(CONTROLLERS, "Controllers compared"))
    assert computed
    assert computed.answer.text.split("\n")[0].removesuffix(" [1]") == line


MACHINES = """<h2>Machines</h2><table><tr><th>Machine</th><th>Fuel</th></tr><tr><td>Roller</td><td>diesel</td></tr>
<tr><td>Lift</td><td>battery</td></tr><tr><td>Mixer</td><td>petrol</td></tr><tr><td>Crane</td><td>diesel</td></tr>
<tr><td>Saw</td><td>battery</td></tr></table>"""


@pytest.mark.parametrize("denied", ["do not use", "don't use", "don’t use", "dont use", "arent on", "can't take"])
def test_the_complement_does_not_depend_on_how_the_negation_is_written(denied: str) -> None:
    text = answer(f"which machines {denied} diesel", MACHINES)
    assert [name for name in ("Roller", "Lift", "Mixer", "Crane", "Saw") if name in text] == ["Lift", "Mixer", "Saw"]


def test_who_does_not_do_it_is_no_question_for_the_person_who_does() -> None:
    owners = "<table><tr><th>Pump</th><th>Owner</th></tr><tr><td>P-1</td><td>Ada</td></tr></table>"
    assert not answer("who doesnt own the pump P-1", owners)


MARKS = ["keins", "keine", "Keiner", "–", "--", "./.", "k. A.", "entfällt", "nichts", "ohne", "none", "n/a", "N.A.", ""]


@pytest.mark.parametrize("mark", MARKS)
def test_a_cell_that_says_that_there_is_nothing_is_missing(mark: str) -> None:
    rows = (("Pegel Nord", mark), ("Pegel Süd", "ISO 17025"), ("Pegel Ost", mark), ("Pegel West", "–"))
    body = "".join(f"<tr><td>{name}</td><td>{cell}</td></tr>" for name, cell in rows)
    content = f"<table><tr><th>Messstelle</th><th>Zertifikat</th></tr>{body}</table>"
    computed = compute("welche messstellen haben kein zertifikat", evidences(content, "Messstellen"))
    assert computed
    assert computed.answer.text.startswith("3 von 4")
    assert "Süd" not in computed.answer.text


@pytest.mark.parametrize("mark", ["keins", "./.", "k. A.", "entfällt", "none", "N/A"])
def test_a_column_of_amounts_may_say_that_there_is_none(mark: str) -> None:
    rows = (("Alk", "12 kg"), ("Fuut", mark), ("Gans", "15 kg"))
    body = "".join(f"<tr><td>{name}</td><td>{cell}</td></tr>" for name, cell in rows)
    content = f"<table><tr><th>Boat</th><th>Weight</th></tr>{body}</table>"
    text = answer("which boat is the heaviest", content)
    assert "Gans" in text
    assert "Alk" not in text


@pytest.mark.parametrize(
    ("question", "header"),
    [("welche server haben kein backup", "Server"), ("which servers have no backup", "Server")],
)
def test_the_noun_for_the_rows_is_no_value_of_another_column(question: str, header: str) -> None:
    rows = (("kr01", "Windows Server", "keins"), ("kr02", "Debian", "keins"), ("kr03", "Windows Server", "nightly"))
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    content = f"<table><tr><th>{header}</th><th>System</th><th>Backup</th></tr>{body}</table>"
    text = answer(question, content)
    assert [name for name, *_ in rows if name in text] == ["kr01", "kr02"]
