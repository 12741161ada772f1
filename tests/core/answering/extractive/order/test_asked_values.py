"""Which values questions ask for, and which answers lack them."""

from dataclasses import replace

import pytest

from core.answering.extractive.order.asked_values import (
    find_asked_kind,
    find_value_elsewhere,
    has_value,
    lacks_value,
    put_values_first,
)
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence
from core.wording.focus import find_focus
from core.wording.quotations import Quotation
from tests.core.answering.examples import chosen, evidence, ranked, row


def lacks(question: str, *items: Evidence) -> bool:
    return lacks_value(find_asked_kind(question), [Quotation("\n".join(item.parts), item, "") for item in items])


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much does a badge cost?", "Badges for guests are printed at the desk on floor 3."),
        ("Was kostet ein Ausweis?", "Badges for guests are printed at the desk."),
        ("What is the price of the badge?", "The badge is white."),
        ("Wie teuer ist die Glocke 14?", "Glocke 14 wiegt 30 kg."),
        ("Which salary do ringers get?", "Ringers are appointed by the board."),
        ("How much time do I have to reply?", "Reply to the caretaker."),
        ("How often is the bell rung?", "Once the bell is rung, wait."),
        ("How often is the bell rung?", "Ringing it takes a day."),
        ("Wie oft wird die Glocke geläutet?", "Die Glocke wird von Hand geläutet."),
        ("How long does the upgrade of Bell 7470 take?", "Bell 7470: upgrade passed · Pull 9.0.0"),
        ("Wie lange dauert der Umzug?", "Der Umzug ist gut vorbereitet."),
        ("In which year was the tower built?", "The tower was built of 4000 stones."),
        ("An welchem Tag wurde die Glocke gegossen?", "Die Glocke wurde in Utrecht gegossen."),
        ("When was the company founded?", "The company keeps clocks. Ask extension 120."),
        ("What is the phone number of the caretaker?", "The caretaker lives in house 5."),
        ("How many people listened?", "Talk of 4 May 2026: https://w/12 and release 6.0.1."),
        ("Wie viele Sekunden dauert das Läuten?", "Es läutet nach 3 Schlägen."),
        ("Bis wann muss ich die Elternzeit anmelden?", "Wer in Elternzeit war, behält den Urlaub."),
        ("By when is the report due?", "The report is sent by Ada."),
    ],
)
def test_an_answer_without_a_value_of_the_asked_kind_lacks_it(question: str, text: str) -> None:
    assert lacks(question, evidence(text))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much does a badge cost?", "A badge is €5."),
        ("Bis wann muss ich die Elternzeit anmelden?", "Sie wird spätestens sieben Wochen vorher angemeldet."),
        ("By when is the report due?", "The report is due before the audit."),
        ("Until when is the hall open?", "Friday: 07:00–12:00"),
        ("How much does a badge cost?", "Badges are free."),
        ("Was kostet ein Ausweis?", "Preis: 5"),
        ("What do we not pay?", "Parking fines."),
        ("Welche Kosten werden erstattet?", "Fahrten mit der Bahn."),
        ("How long does the move take?", "The move takes three days."),
        ("Wie lang ist das Kürzel?", "Das Kürzel hat vier Buchstaben."),
        ("Wie viel Zeit habe ich?", "Reply within three days."),
        ("How much time does the move cost?", "The move takes three days."),
        ("How often is the bell rung?", "It is rung hourly, and on Sundays."),
        ("How often is the bell rung?", "It is rung once a week."),
        ("How often is the bell rung?", "It is rung every other Tuesday."),
        ("Wie oft wird die Glocke geläutet?", "Sie wird jede Stunde geläutet."),
        ("How long should a title be?", "Titles have at most 50 characters."),
        ("How long is a ticket valid?", "Tickets are valid until the end of the month."),
        ("Wann wurde die Glocke gegossen?", "Die Glocke wurde 1887 gegossen."),
        ("When was the option added?", "New in 3.8."),
        ("When is core time?", "It is 10 to 15 o'clock."),
        ("Wann ist die Kernzeit?", "It is 10 to 15 o’clock."),
        ("when does the hall close", "It closes at 5 p.m."),
        ("When does the shift end?", "Above 35 degrees it ends at noon."),
        ("wann kommt die post", "Sie kommt mittags."),
        ("Which day does the week begin on?", "The week begins on Monday."),
        ("Ab welchem Tag brauche ich eine Bescheinigung?", "From the 4th day."),
        ("What is the phone number of the caretaker?", "Caretaker: +31 30 123 45"),
        ("How many towers are there?", "There are seven towers."),
        ("How many towers may fail?", "All towers may fail."),
        ("How many towers are there?", "- Utrecht\n- Ghent"),
        ("How many seconds does the bell ring?", "It rings for 30 s."),
        ("Which wildcard shows how many bytes are used?", "The wildcard is size."),
        ("Is it known how many people came?", "It is not known."),
        ("Who opens the door?", "Ask the caretaker."),
    ],
)
def test_an_answer_with_a_value_or_to_another_question_lacks_none(question: str, text: str) -> None:
    assert not lacks(question, evidence(text))


def test_a_heading_or_title_can_have_the_value() -> None:
    assert not lacks("How many weeks does the course take?", evidence("Bring a pen.", heading="Course (2 weeks)"))
    assert not lacks("On which day was the call?", evidence("Bells were discussed.", title="Call of 4 May 2026"))


def test_several_rows_can_be_counted() -> None:
    rows = [row(("Tower", name), number=number) for number, name in enumerate(("Utrecht", "Ghent"), start=1)]
    assert not lacks("How many towers are there?", *rows)
    assert lacks("How much does a tower cost?", *rows)


def test_a_value_is_looked_for_in_units_that_match_less_well() -> None:
    item = evidence("The board meets in May.", "The board has seven members.", "Boards of 9 people are rare.")
    units = [
        ScoredUnit(ranked(item)[0], index, item.parts[index], score, 1.0, 0.0)
        for index, score in enumerate((0.8, 0.7, 0.69))
    ]
    kind = find_asked_kind("How many people sit on the board?")
    assert kind
    assert find_value_elsewhere(kind, units) == units[1]
    assert find_value_elsewhere(kind, [units[0], replace(units[1], score=0.6)]) is None


def test_the_number_of_a_row_is_no_value() -> None:
    kind = find_asked_kind("How long does the move take?")
    assert kind
    for cells, expected in ((("Step", "Pack"), False), (("Duration", "3 days"), True)):
        assert has_value(kind, chosen(ranked(row(cells))[0], 0)[0]) is expected


def test_the_value_comes_first_among_units_that_fit_as_well() -> None:
    item = evidence("The board meets in May.", "The board has seven members.", "Boards of 9 people are rare.")
    units = [
        ScoredUnit(ranked(item)[0], index, item.parts[index], score, 1.0, 0.0)
        for index, score in enumerate((0.8, 0.78, 0.5))
    ]
    assert [unit.index for unit in _put_values_first("How many people sit on the board?", units)] == [1, 0, 2]


def test_a_time_comes_first_only_if_it_is_said_of_what_is_asked() -> None:
    item = evidence("The board meets after the summer break.", "The office opens on 3 May.", "The board met on 4 May.")
    units = [replace(unit, score=0.9 - 0.01 * unit.index) for unit in chosen(ranked(item)[0], 0, 1, 2)]
    assert [unit.index for unit in _put_values_first("Since when does the board meet?", units)] == [2, 0, 1]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Since when is the dog allowed?", ("The dog is allowed until 4 May.", "The dog is allowed since 3 May.")),
        ("Seit wann gilt das?", ("Es endet am 31. März 2026.", "Es gilt ab 1. Januar 2026.")),
        ("How long does the test take?", ("Test: due until 3 May, 10:00.", "The test takes half an hour.")),
        ("Welche Dauer hat der Kurs?", ("Der Kurs beginnt um 9:00.", "Der Kurs dauert zwei Tage.")),
    ],
)
def test_a_clear_value_comes_before_one_that_may_be_another(question: str, texts: tuple[str, str]) -> None:
    units = [replace(unit, score=0.9 - 0.01 * unit.index) for unit in chosen(ranked(evidence(*texts))[0], 0, 1)]
    assert [unit.index for unit in _put_values_first(question, units)] == [1, 0]


def test_the_day_on_which_a_task_is_due_is_no_duration() -> None:
    assert lacks("How long did it take?", evidence("[ ] renew it (Kim, until 20 March 2026)"))
    assert not lacks("How long is it open?", evidence("It is open until the last guest leaves."))


def test_a_time_of_day_is_no_number_of_things() -> None:
    assert lacks("How many boxes were hit?", evidence("Resolved: 3 March 2026, 07:55"))
    assert not lacks("How many boxes were hit?", evidence("At 07:55, 40 boxes were hit."))


def _put_values_first(question: str, units: list[ScoredUnit]) -> list[ScoredUnit]:
    kind = find_asked_kind(question)
    assert kind
    return put_values_first(find_focus(question), kind, units)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("how many orders were doubled", "164 medication orders came twice."),
        ("how many orders were doubled", "Two orders came twice."),
        ("wie viele Betten sind doppelt", "780 Planbetten hat das Haus."),
    ],
)
def test_a_number_of_what_is_counted_comes_first_on_the_page(question: str, text: str) -> None:
    kind = find_asked_kind(question)
    assert kind
    told = evidence("The repair of doubled ones took nine minutes.", ordinal=0)
    counted = evidence(text, ordinal=1)
    found = ranked(told, counted, replace(counted, page_id="2"))
    near, far, elsewhere = (replace(chosen(each, 0)[0], score=0.7) for each in found)
    best = replace(near, score=0.8)
    order = put_values_first(find_focus(question), kind, [best, elsewhere, far])
    assert order[0] is far
    assert put_values_first(find_focus(question), kind, [best, replace(far, score=0.6)])[0] is best


@pytest.mark.parametrize(
    "text", ["On 4 May 2026 orders stopped.", "At 18:20 orders stopped.", "Release 5.2.4 has orders."]
)
def test_a_date_or_version_counts_nothing(text: str) -> None:
    kind = find_asked_kind("how many orders were doubled")
    assert kind
    told, dated = ranked(evidence("They were doubled twice."), evidence(text, ordinal=1))
    best, other = (replace(chosen(each, 0)[0], score=score) for each, score in ((told, 0.8), (dated, 0.7)))
    assert put_values_first(find_focus("how many orders were doubled"), kind, [best, other])[0] is best
