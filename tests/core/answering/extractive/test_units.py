"""The order of units that match a question equally well by meaning."""

import pytest

from core.answering.extractive.units import (
    ScoredUnit,
    begins_with_reference,
    find_amounts,
    list_unit_texts,
    list_units,
    put_letters_first,
    put_rated_first,
    score_units,
)
from core.model import Evidence
from core.ports.models import WordMatcher
from core.wording.focus import find_focus
from tests.core.answering.examples import evidence, ranked, row


def _order(question: str, *scored: tuple[Evidence, float]) -> list[str]:
    found = ranked(*(each for each, _ in scored))
    units = [
        ScoredUnit(each, 0, each.evidence.parts[0], score, 0.0, 0.0)
        for each, (_, score) in zip(found, scored, strict=True)
    ]
    return [unit.text for unit in put_letters_first(find_focus(question), units)]


GREASE = evidence("The keeper of the motor is Ada.", ordinal=1, title="Winch repairs")
RETURN = evidence("There is no way back after step 4.", ordinal=2, title="Winch repairs")


def test_of_units_that_match_as_well_the_one_with_words_of_the_question_comes_first() -> None:
    question = "can we go back during winch repairs"
    assert _order(question, (GREASE, 0.77), (RETURN, 0.76)) == [RETURN.parts[0], GREASE.parts[0]]
    assert _order(question, (GREASE, 0.77), (RETURN, 0.74)) == [GREASE.parts[0], RETURN.parts[0]]


def test_words_of_the_title_and_units_of_other_pages_do_not_count() -> None:
    titled = evidence("Winch repairs take a day.", ordinal=3, title="Winch repairs")
    elsewhere = evidence("Back at the winch.", page_id="2", title="Harbour")
    for other in (titled, elsewhere):
        assert _order("can we go back during winch repairs", (GREASE, 0.77), (other, 0.77))[0] == GREASE.parts[0]


def test_without_units_there_is_no_first() -> None:
    assert put_letters_first(find_focus("why?"), []) == []
    assert put_rated_first(find_focus("why?"), []) == []


@pytest.mark.parametrize(
    ("score", "rating", "is_first"),
    [
        (0.75, 3.0, True),
        (0.75, 1.5, False),  # the rating is hardly higher
        (0.6, 3.0, False),  # it matches much worse
    ],
)
def test_of_units_that_match_nearly_as_well_the_one_with_a_clearly_higher_rating_comes_first(
    score: float, rating: float, is_first: bool
) -> None:
    back, keeper = _rate((RETURN, 0.8, 1.0), (GREASE, score, rating))
    best, *others = put_rated_first(find_focus("who looks after the motor"), [back, keeper])
    assert (best.text, best.score) == ((keeper if is_first else back).text, 0.8)
    assert others == [back if is_first else keeper]


def test_a_higher_rated_unit_in_another_language_does_not_come_before_one_in_the_questions() -> None:
    german = evidence("Der Motor wird von Ada gewartet und geschmiert.", ordinal=3, title="Winch repairs")
    units = _rate((RETURN, 0.8, 1.0), (german, 0.78, 4.0), (GREASE, 0.78, 3.0))
    assert put_rated_first(find_focus("who looks after the motor of the winch"), units)[0].text == GREASE.parts[0]
    asked = find_focus("wer kümmert sich um den Motor der alten Winde")
    assert put_rated_first(asked, [units[0], units[2]])[0].text == GREASE.parts[0]


async def test_a_row_with_a_column_for_what_is_measured_lacks_no_word(matcher: WordMatcher) -> None:
    price = row(("Bell", "Anna"), ("Price", "€900"), title="Bells")
    owner = row(("Bell", "Anna"), ("Owner", "Ada"), title="Bells", number=2)
    units = await score_units(find_focus("What does Anna cost?"), list_units(ranked(price, owner)), matcher)
    missing = {unit.text: unit.missing_weight for unit in units}
    assert missing[price.parts[0]] == 0 < missing[owner.parts[0]]


async def test_a_nested_item_is_about_the_items_that_it_is_in(matcher: WordMatcher) -> None:
    keys = evidence(
        "- Transponder: Ada, room 2", "  - Deposit £25", "    - paid back in May", "- Gate key: at the desk",
        kind="list", title="Office", heading="Keys",
    )  # fmt: skip
    focus = find_focus("How much is the deposit for the transponder?")
    [best, *_] = scored = await score_units(focus, list_units(ranked(keys)), matcher)
    assert (best.index, best.missing_weight) == (1, 0.0)
    assert [unit.missing_weight for unit in scored if unit.index == 2] == [0.0]
    assert [unit.missing_weight > 0 for unit in scored if unit.index == 3] == [True]
    assert list_unit_texts(keys)[2] == "Office\nKeys\nTransponder: Ada, room 2 Deposit £25\n    - paid back in May"


async def test_a_word_whose_opposite_a_text_has_is_missing_in_full(matcher: WordMatcher) -> None:
    opens = evidence("The reception opens at 08:00.", title="Reception", page_id="5")
    busy = evidence("The reception is busy at 08:00.", title="Reception", page_id="6")
    units = await score_units(find_focus("When does the reception close?"), list_units(ranked(opens, busy)), matcher)
    missing = {unit.text: unit.missing_weight for unit in units}
    assert missing[opens.parts[0]] > 2 * missing[busy.parts[0]] > 0


async def test_a_page_of_a_day_in_the_named_month_lacks_no_word(matcher: WordMatcher) -> None:
    may = evidence("Present: Ada, Ben.", title="Bells 04.05.2026", page_id="5")
    june = evidence("Present: Cem, Dana.", title="Bells 08.06.2026", page_id="6")
    units = await score_units(find_focus("bells in june"), list_units(ranked(june, may)), matcher)
    missing = {unit.text: unit.missing_weight for unit in units}
    assert missing[june.parts[0]] == 0 < missing[may.parts[0]]


def _rate(*rated: tuple[Evidence, float, float]) -> list[ScoredUnit]:
    """Return units with their scores and ratings."""
    found = ranked(*(each for each, _, _ in rated))
    return [
        ScoredUnit(each, 0, each.evidence.parts[0], score, 0.0, 0.0, rating)
        for each, (_, score, rating) in zip(found, rated, strict=True)
    ]


def test_words_of_the_question_do_not_move_a_unit_before_one_that_is_rated_clearly_higher() -> None:
    question = find_focus("can we go back during winch repairs")
    for rating, first in ((1.0, RETURN), (4.0, GREASE)):
        units = _rate((GREASE, 0.8, rating), (RETURN, 0.8, 1.0))
        assert put_letters_first(question, units)[0].text == first.parts[0]


def test_a_row_stays_first_though_it_has_fewer_words_of_its_own() -> None:
    due = row(("Occasion", "Moving"), ("Days", "1"), title="Winch repairs")
    assert _order("can we go back during winch repairs", (due, 0.77), (RETURN, 0.77))[0] == due.parts[0]


@pytest.mark.parametrize(
    ("question", "amounts"),
    [
        ("woken at 3am, or at 4 p.m.", {"3am", "4", "p", "m"}),
        ("ist um 16 Uhr noch jemand da", {"16", "uhr"}),
        ("a restart at 8:30", {"8:30"}),
        ("a 10-day trip for 140 euros", {"10", "day", "140", "euros"}),
        ("Rook 4, exit code 2, release 5.4.0 of 2026, 450 kg", set()),
    ],
)
def test_amounts_are_told_from_names_with_numbers(question: str, amounts: set[str]) -> None:
    assert find_amounts(question) == amounts


@pytest.mark.parametrize(
    ("sentence", "refers"),
    [
        ("Because of this constraint, they move together.", True),
        ("Aufgrund dieser Regel gilt es.", True),
        ("These are two.", True),
        ("Because of the constraint, they move together.", False),
        ("With this-or-that switches it works.", True),
        ("For all users.", False),
    ],
)
def test_a_sentence_refers_to_the_one_before_by_its_first_words(sentence: str, refers: bool) -> None:
    assert begins_with_reference(sentence) is refers
