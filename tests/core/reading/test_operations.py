"""Questions that compare, order, add up, limit, deny or ask for yes or no."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import MACHINES, compute, evidences


def _table(heading: str, header: str, *rows: str, tag: str = "td") -> str:
    lines = [f"<tr>{''.join(f'<th>{cell.strip()}</th>' for cell in header.split('|'))}</tr>"]
    for row in rows:
        first, *rest = (cell.strip() for cell in row.split("|"))
        lines.append(f"<tr><{tag}>{first}</{tag}>{''.join(f'<td>{cell}</td>' for cell in rest)}</tr>")
    return f"<h2>{heading}</h2><table>{''.join(lines)}</table>"


BELLS = _table(
    "Bells",
    "Bell | Weight | Cast | Motor | Status | Height",
    "Gelderland | 2,300 kg | 12 May 1921 | yes | open | 1.2 m",
    "Utrecht | 1,850 kg | 3 March 1954 | no | closed | 98 cm",
    "Hanna | 0.9 t | 2026-10-07 | ✓ | open | 70 cm",
    "Klara | 410 kg | 7.10.2011 | ✗ | open | 55 cm",
)
GLOCKEN = _table(
    "Glocken",
    "Glocke | Gewicht | Gegossen am | Elektrisch",
    "Hanna | 1.250 kg | 12. Mai 1921 | ja",
    "Klara | 410,5 kg | 3. März 1954 | nein",
    "Martha | 2.300 kg | 1. Juli 2011 | ja",
)
PRICES = """<h2>Stages</h2><table><tr><th>Stage</th><th>Price</th><th>Seats</th><th>Start</th></tr>
<tr><td>Pilot</td><td>€1,299.50</td><td>40</td><td>2026-05-29</td></tr>
<tr><td>Archive</td><td>€1,200</td><td>10</td><td>19.07.2026</td></tr></table>"""

STORAGE = _table(
    "Lagerpreise", "Leistung | Einheit | Preis", "Einlagerung | Palette | 4,20 €", "Auslagerung | Palette | 5,70 €",
    "Umpacken | Karton | 2,00 €",
)  # fmt: skip

STATES = """<h2>Tasks</h2><table><tr><th>Task</th><th>State</th></tr><tr><td>Paint</td><td>Not started</td></tr>
<tr><td>Cast</td><td>In progress</td></tr><tr><td>Sell</td><td>not started</td></tr>
<tr><td>Plan</td><td>Started</td></tr></table>"""

FEATURES = _table(
    "Features",
    "Feature | Heron | Wren",
    "Night mode | ✓ | ✗",
    "Remote stop | ✓ | ✓",
    "Carillon | ✗ | ✗",
    "Battery | ✓ | ✗",
)
MODELS = _table(
    "Features by model", "Model | Night mode | Remote stop | Carillon", "Heron | yes | yes | no", "Wren | no | yes | no"
)
LIMITS = "".join(
    _table(f"Limits in {year}", "Country | Hotel per night", f"Belgium | €{hotel}", f"United Kingdom | €{hotel + 35}")
    for year, hotel in ((2024, 130), (2026, 155))
)
PAGES = _table(
    "Pages per month",
    "Month | Day | Night",
    "January | 14 | 5",
    "February | 11 | 3",
    "March | 19 | 22",
    "April | 9 | 2",
)
ABROAD = _table(
    "What you need",
    " | At home | European Union | United Kingdom",
    "VPN switched on | yes | yes | yes",
    "On-call allowed | yes | yes | no",
    tag="th",
)
TASKS = (
    "<h2>Tasks</h2><ul><li>Order the bus by 30 October 2026</li><li>Book rooms by 16 October 2026</li>"
    "<li>Check the clapper by 14 October 2026</li></ul>"
)


def answer(question: str, content: str, title: str = "Tower") -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    ("question", "content", "headline", "row"),
    [
        ("What's the heaviest bell?", BELLS, "Largest “Weight” in “Bells”: 2,300 kg", "Gelderland"),
        ("Which bell is the lightest?", BELLS, "Smallest “Weight” in “Bells”: 410 kg", "Klara"),
        ("which bell was cast last?", BELLS, "Latest “Cast” in “Bells”: 2026-10-07", "Hanna"),
        ("which is the oldest bell", BELLS, "Earliest “Cast” in “Bells”: 12 May 1921", "Gelderland"),
        ("Which bell has the largest height?", BELLS, "Largest “Height” in “Bells”: 1.2 m", "Gelderland"),
        ("Welche Glocke ist die schwerste?", GLOCKEN, "Größter Wert von „Gewicht“ in „Glocken“: 2.300 kg", "Martha"),
        ("Welche Glocke wurde zuletzt gegossen?", GLOCKEN, "Spätester Wert von „Gegossen am“", "Martha"),
        ("Which of the tasks is due first?", TASKS, "Earliest in “Tasks”: 14 October 2026", "Check the"),
        ("Which month had the most night pages?", PAGES, "Largest “Night” in “Pages per month”: 22", "March"),
    ],
)
def test_the_largest_smallest_latest_and_earliest_are_found(
    question: str, content: str, headline: str, row: str
) -> None:
    lines = answer(question, content).splitlines()
    assert lines[0].startswith(headline)
    assert [row in line for line in lines[1:]] == [True]
    assert lines[1].endswith("[1]")


@pytest.mark.parametrize(
    ("question", "content", "headline"),
    [
        (
            "How much heavier is Gelderland than Utrecht?",
            BELLS,
            "Difference of 450 kg in “Weight”: 2,300 kg (Gelderland), 1,850 kg (Utrecht)",
        ),
        ("What's the difference in weight between Hanna and Klara?", BELLS, "Difference of 0.49 t in “Weight”"),
        ("By how much did the hotel limit for Belgium rise from 2024 to 2026?", LIMITS, "Difference of €25"),
        ("by how much did the UK hotel limit go up from 2024 to 2026", LIMITS, "Difference of €25"),
        ("Wie viel schwerer ist Martha als Klara?", GLOCKEN, "Unterschied von 1.889,5 kg bei „Gewicht“"),
        ("How many more night pages were there in March than in January?", PAGES, "Difference of 17 in “Night”"),
        ("Wie viel teurer ist Pilot als Archive?", PRICES, "Unterschied von 99,50 € bei „Price“"),
        ("Wie viel mehr zahlt man für Pilot als für Archive?", PRICES, "Unterschied von 99,50 € bei „Price“"),
        ("How much more expensive is Pilot than Archive?", PRICES, "Difference of €99.50 in “Price”"),
        ("How much more would they pay for Pilot than for Archive?", PRICES, "Difference of €99.50 in “Price”"),
        ("How much more does Pilot cost than Archive?", PRICES, "Difference of €99.50 in “Price”"),
        ("Wie viele Seats mehr hat Pilot als Archive?", PRICES, "Unterschied von 30 bei „Seats“"),
        ("How many days are between Pilot and Archive?", PRICES, "51 days – from 2026-05-29 to 19.07.2026"),
        ("Wie viele Tage liegen zwischen Pilot und Archive?", PRICES, "51 Tage – vom 2026-05-29 bis zum 19.07.2026"),
        ("Compare the seats of Pilot and Archive", PRICES, "Difference of 30 in “Seats”"),
    ],
)
def test_two_rows_or_two_tables_are_compared(question: str, content: str, headline: str) -> None:
    lines = answer(question, content).splitlines()
    assert lines[0].startswith(headline)
    assert len(lines) == 3
    assert all(line.endswith("]") for line in lines[1:])


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("wieviel mehr kostet die auslagerung als die einlagerung?", "Unterschied von 1,50 € bei „Preis“"),
        ("Um wie viel kosten Einlagerung und Umpacken mehr?", "Unterschied von 2,20 € bei „Preis“"),
        ("how much more does Auslagerung cost than Umpacken?", "Difference of €3.70 in “Preis”"),
        ("Wie viel mehr wiegt Martha als Klara?", "Unterschied von 1.889,5 kg bei „Gewicht“"),
        ("How much more does Hanna weigh than Klara?", "Difference of 839.5 kg in “Gewicht”"),
    ],
)
def test_the_verb_of_what_is_compared_need_not_be_in_the_table(question: str, headline: str) -> None:
    assert answer(question, STORAGE + GLOCKEN).startswith(headline)


@pytest.mark.parametrize(
    ("question", "headline"),
    [
        ("unterschied zwischen einlagerung und auslagerung", "Unterschied von 1,50 € bei „Preis“"),
        ("What is the difference between Auslagerung and Umpacken?", "Difference of €3.70 in “Preis”"),
        ("Auslagerung vs. Umpacken", "Unterschied von 3,70 € bei „Preis“"),
        ("unterschied zwischen Pilot und Archive", ""),  # prices and seats
        ("What is the difference in weight between Auslagerung and Umpacken?", ""),
        ("Wie viel schwerer ist Auslagerung als Umpacken?", ""),
        ("Was ist der Unterschied zwischen Ada und Berta?", ""),
    ],
)
def test_without_a_named_column_the_only_one_of_figures_is_compared(question: str, headline: str) -> None:
    people = _table("People", "Name | Personalnummer | Seit", "Ada | 4711 | 2019", "Berta | 4790 | 2024")
    found = answer(question, STORAGE + PRICES + people)
    assert found.startswith(headline) if headline else not found


@pytest.mark.parametrize(
    ("question", "headline", "rows"),
    [
        (
            "How many night pages from January to March in total?",
            "Sum of “Night” in 3 rows of “Pages per month”: 30",
            3,
        ),
        ("How many night pages altogether?", "Sum of “Night” in 4 rows of “Pages per month”: 32", 4),
    ],
)
def test_a_column_is_added_up(question: str, headline: str, rows: int) -> None:
    lines = answer(question, PAGES).splitlines()
    assert lines[0] == headline
    assert len(lines) == 1 + rows


@pytest.mark.parametrize(
    ("question", "content", "headline"),
    [
        ("Which bells have no motor?", BELLS, "2 of 4 entries in “Bells” match Motor: no:"),
        ("How many bells do not have a motor?", BELLS, "2 of 4 entries"),
        ("Which bells have a motor?", BELLS, "2 of 4 entries in “Bells” match Motor: yes:"),
        ("Welche Glocken sind nicht elektrisch?", GLOCKEN, "1 von 3 Einträgen in „Glocken“ (Elektrisch: nein):"),
        ("Which machines do not have build 1630?", MACHINES, "3 of 5 entries in “Machines” match not Build: 1630:"),
        ("Which machines failed in the column S3 P/F?", MACHINES, "2 of 5 entries in “Machines” match S3 P/F: F:"),
        ("Which machines passed in the column S3 P/F?", MACHINES, "3 of 5 entries in “Machines” match S3 P/F: P:"),
        ("Which bells have a weight below 1,000 kg?", BELLS, "2 of 4 entries in “Bells” match Weight < 1,000 kg:"),
        ("How many bells weigh more than 1 t?", BELLS, "2 of 4 entries in “Bells” match Weight > 1 t:"),
        ("Which bells were cast after 1950?", BELLS, "3 of 4 entries in “Bells” match Cast after 1950:"),
        ("Welche Glocken haben ein Gewicht über 500 kg?", GLOCKEN, "2 von 3 Einträgen in „Glocken“ (Gewicht > 500"),
        ("How many of the features does the Heron have?", FEATURES, "3 of 4 entries in “Features” match Heron: yes:"),
        ("Which features does the Wren not have?", FEATURES, "3 of 4 entries in “Features” match Wren: no:"),
        ("How many features does the Heron have?", MODELS, "“Heron” has 2 of 3: Night mode, Remote stop"),
        ("Which bells are missing a motor?", BELLS, "2 of 4 entries in “Bells” match Motor: no:"),
        ("Which bells lack a motor?", BELLS, "2 of 4 entries in “Bells” match Motor: no:"),
        ("Bei welchen bells fehlt ein motor?", BELLS, "2 von 4 Einträgen in „Bells“ (Motor: nein):"),
        ("Which tasks have not started?", STATES, "2 of 4 entries in “Tasks” match State: not started:"),
        ("Which tasks are not started yet?", STATES, "2 of 4 entries in “Tasks” match State: not started:"),
        ("Which bells have a weight above 5 t?", BELLS, "No row of “Bells” matches Weight > 5 t."),
        ("Which machines have build 1999?", MACHINES, "No row of “Machines” matches Build: 1999."),
        ("Which RabbitMQ build do the machines have?", MACHINES, ""),  # no name is a number
    ],
)
def test_rows_are_limited_and_denied(question: str, content: str, headline: str) -> None:
    assert answer(question, content).startswith(headline)


@pytest.mark.parametrize(
    ("question", "content", "verdict"),
    [
        ("Does the Gelderland have a motor?", BELLS, "Yes – Motor: yes"),
        ("Does Klara have a motor?", BELLS, "No – Motor: no"),
        ("Is the status of Utrecht open?", BELLS, "No – Status: closed"),
        ("Is the weight of Utrecht more than 2 t?", BELLS, "No – Weight: 1,850 kg"),
        ("Ist Martha elektrisch?", GLOCKEN, "Ja – Elektrisch: ja"),
        ("Is on-call allowed from the UK?", ABROAD, "No – On-call allowed, United Kingdom: no"),
        ("Is on-call allowed when I work from another EU country?", ABROAD, "Yes – On-call allowed, European Union"),
        ("Is the hotel limit per night for Belgium in 2026 €155?", LIMITS, "Yes – Hotel per night: €155"),
        ("Is the hotel limit per night for Belgium in 2026 €190?", LIMITS, "No – Hotel per night: €155"),
    ],
)
def test_one_cell_says_yes_or_no(question: str, content: str, verdict: str) -> None:
    lines = answer(question, content).splitlines()
    assert lines[0].startswith(verdict)
    assert len(lines) == 2
    assert lines[1].endswith("[1]")


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Which bell is the loudest?", BELLS),  # nothing measures it
        ("What's the heaviest church organ?", BELLS),  # not what the rows are
        ("Which bell of Ghent is the heaviest in 2031?", BELLS),  # a number that is not there
        ("Which bell has the highest pitch?", BELLS),
        ("How much heavier is Gelderland than Berta?", BELLS),
        ("How much more does Hanna cost than Klara?", GLOCKEN),
        ("Does the Gelderland have a cracked motor?", BELLS),  # another word that may decide
        ("Does Berta have a motor?", BELLS),
        ("Do all bells have a motor?", BELLS),
        ("Does the Gelderland not have a motor?", BELLS),
        ("Is only Hanna open?", BELLS),
        ("Which machines were not tested on Dell?", MACHINES),  # what is not so is not the vendor
        ("Which bells have no clapper?", BELLS),
        ("Which bells have a weight below 5 days?", BELLS),
        ("Which bells have a value above 40?", BELLS),  # no column is meant
        ("Which machines failed S3?", MACHINES.replace("<td>F</td>", "<td>not tested</td>")),
        ("Which tasks are no longer planned?", STATES),
        ("How many bells are on the third floor?", BELLS),
        ("How many visitors came altogether?", PAGES),
        ("What is the median night?", PAGES),
        ("How many pages from January to March?", PAGES),
        ("How many HP and Dell machines are there?", MACHINES),
    ],
)
def test_what_cannot_be_bound_is_not_computed(question: str, content: str) -> None:
    assert answer(question, content) == ""


@pytest.mark.parametrize("noun", ["machine", "system", "Gerät"])
def test_a_noun_for_any_row_need_not_be_in_the_table(noun: str) -> None:
    rows = "<tr><td>HP</td><td>8G</td></tr><tr><td>Dell</td><td>130GB</td></tr>"
    table = f"<h2>Runs</h2><table><tr><th>Model</th><th>Memory</th></tr>{rows}</table>"
    asked = f"Welches {noun} hatte bei den Runs im Hardware testing den meisten Memory?"
    if noun != "Gerät":
        asked = f"Which {noun} has the most memory in the runs of the hardware testing?"
    computed = compute(asked, evidences(table))
    assert computed
    assert "130GB" in computed.answer.text.splitlines()[0]
    assert compute(asked.replace(noun, "Wizard"), evidences(table)) is None
    assert compute(asked, evidences(table.replace("Model", "Supplier"))) is None


def test_two_tables_that_answer_differently_answer_nothing() -> None:
    assert (
        answer("What is the heaviest bell?", BELLS + BELLS.replace("2,300", "2,400").replace("Gelder", "Fries")) == ""
    )


def test_without_a_piece_of_the_table_another_row_is_the_heaviest() -> None:
    pieces = [each for each in evidences(BELLS, max_chars=150) if each.evidence.kind == "table"]
    assert len(pieces) > 1
    whole, less = (compute("What's the heaviest bell?", found) for found in (pieces, pieces[1:]))
    assert whole is not None
    assert "2,300 kg" in whole.answer.text
    assert less is None or "2,300 kg" not in less.answer.text


def test_a_sum_is_not_taken_where_a_row_already_is_another_one() -> None:
    total = PAGES.replace("</table>", "<tr><td>Total</td><td>53</td><td>99</td></tr></table>")
    assert answer("How many night pages altogether?", total) == ""


@pytest.mark.parametrize(
    ("question", "released"),
    [
        ("Which release is the latest?", "2024-06-01 – 1.1"),
        ("Welches Release ist das neueste?", "2024-06-01 – 1.1"),
        ("What is the first release?", "2024-01-10 – 1.0"),
    ],
)
def test_of_a_version_and_a_date_the_date_says_which_is_the_latest(question: str, released: str) -> None:
    releases = _table("Releases", "Version | Released", "1.0 | 2024-01-10", "2.0 | 2024-03-15", "1.1 | 2024-06-01")
    computed = compute(question, evidences(releases, title="Releases"))
    assert computed is not None
    assert computed.answer.text.split("\n")[0].endswith(released)
