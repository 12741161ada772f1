"""What is shown with the best unit."""

from dataclasses import replace

import pytest

from core.answering.extractive.quoting.compose import quote_items, quote_passage
from core.answering.extractive.quoting.named_items import find_numbered_item
from core.answering.extractive.quoting.selection import drop_repeated, select_quotations
from core.answering.extractive.units import ScoredUnit
from core.model import Evidence, Structure
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked, row

FOCUS = find_focus("Does the bell crack in frost?")


def part(*sentences: str, ordinal: int, heading: str = "Frost", kind: str = "passage") -> Evidence:
    return evidence(*sentences, ordinal=ordinal, heading=heading, kind="list" if kind == "list" else "passage")


LONG = "Frost is common in the hills. " * 45
FIRST = part(LONG, "The bell is rung in any frost.", ordinal=3)
SECOND = part("Bronze never cracks in it.", "The clapper may stick.", ordinal=4)


def show(*evidences: Evidence) -> list[str]:
    found = ranked(*evidences)
    return [each.text for each in select_quotations(FOCUS, chosen(found[0], 1), found)]


def test_a_text_that_was_split_after_the_best_sentence_is_quoted_on() -> None:
    assert show(FIRST, SECOND) == [
        "The bell is rung in any frost.",
        "Bronze never cracks in it. The clapper may stick.",
    ]


@pytest.mark.parametrize(
    "other",
    [
        part("A later text.", ordinal=5),
        part("Another section.", ordinal=4, heading="Heat"),
        part("- An item.", ordinal=4, kind="list"),
        part("word " * 95, ordinal=4),
    ],
)
def test_a_text_elsewhere_or_too_long_for_an_answer_is_not(other: Evidence) -> None:
    assert show(FIRST, other) == ["The bell is rung in any frost."]


def test_a_short_text_is_not_quoted_on_since_it_was_not_split() -> None:
    short = part("Frost is common.", "The bell is rung in any frost.", ordinal=3)
    assert show(short, SECOND) == ["The bell is rung in any frost."]


def test_a_text_is_quoted_up_to_the_next_question() -> None:
    short = part("Frost is common.", "The bell is rung in any frost.", "What about heat?", "It is not.", ordinal=3)
    assert show(short) == ["The bell is rung in any frost."]


def test_sentences_on_both_sides_of_a_question_are_not_quoted_together() -> None:
    item = part("The bell is rung in any frost.", "What about heat?", "It is not rung in heat.", ordinal=3)
    found = ranked(item)
    shown = select_quotations(FOCUS, chosen(found[0], 0, 2), found)
    assert [each.text for each in shown] == ["The bell is rung in any frost."]


LIST = evidence("- Look.", "- Listen.", kind="list", before="Before you ring:", ordinal=2)
LEAD_IN = evidence("Wear gloves.", "Before you ring:", after="- Look. - Listen.", ordinal=1)


def test_the_text_between_two_sentences_that_fit_is_shown_however_long_it_is() -> None:
    item = part("The bell is rung in any frost.", "Bronze holds. " * 60, "Frost never cracks it.", ordinal=3)
    [found] = ranked(item)
    [shown] = select_quotations(FOCUS, chosen(found, 0, 2), [found])
    assert shown.text == item.text


def test_a_sentence_that_is_rated_clearly_lower_is_not_quoted_with_the_best_one() -> None:
    parts = ("It shows the clock.", *[f"Step {number} turns a wheel." for number in range(20)], "The bell is safe.")
    found = ranked(evidence(*parts))[0]
    first, last = chosen(found, 0, 21)
    alike = [replace(last, rating=3.0), replace(first, rating=2.0)]
    lower = [replace(last, rating=3.0), replace(first, rating=-1.0)]
    assert select_quotations(FOCUS, alike, [found])[0].text.startswith("It shows the clock.")
    assert not select_quotations(FOCUS, lower, [found])[0].text.startswith("It shows the clock.")


def test_in_place_of_a_sentence_that_is_rated_lower_no_further_one_is_quoted() -> None:
    parts = (
        "Bells ring.",
        *[f"Step {number} turns a wheel." for number in range(20)],
        "One is old too.",
        "Two is older.",
        "The bell rings.",
    )
    found = ranked(evidence(*parts))[0]
    first, one, two, best = chosen(found, 0, 21, 22, 23)
    units = [
        replace(best, rating=3.0),
        *(replace(unit, rating=-1.0) for unit in (one, two)),
        replace(first, rating=2.0),
    ]
    scored = [replace(unit, score=1.0 - 0.03 * at) for at, unit in enumerate(units)]
    assert select_quotations(FOCUS, scored, [found])[0].text == "The bell rings."


def test_in_another_evidence_a_long_text_between_is_left_out() -> None:
    best = evidence("The bell is rung in any frost.", page_id="2")
    item = part("Bells ring in frost.", "Bronze holds. " * 80, "Frost never cracks it.", ordinal=3)
    found = ranked(best, item)
    shown = select_quotations(FOCUS, [*chosen(found[0], 0), *chosen(found[1], 0, 2)], found)
    assert [each.text for each in shown] == [
        "The bell is rung in any frost.",
        "Bells ring in frost. … Frost never cracks it.",
    ]


def test_what_is_announced_after_the_best_sentence_is_shown_but_no_later_announcement() -> None:
    item = part("The bell rings in frost.", "Bring these:", "a towel.", "To cancel it, do this:", "Call.", ordinal=3)
    [found] = ranked(item)
    [shown] = select_quotations(FOCUS, chosen(found, 0), [found])
    assert shown.text == "The bell rings in frost. Bring these: a towel."


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("How do I ring it in frost?", "Warm the rope. The bell rings in frost. Stop at ten."),
        ("Frost", "The bell rings in frost. Stop at ten."),
    ],
)
def test_a_short_text_below_a_question_is_its_whole_answer(heading: str, text: str) -> None:
    [found] = ranked(evidence("Warm the rope.", "The bell rings in frost.", "Stop at ten.", heading=heading))
    [shown] = select_quotations(find_focus("What rings in frost?"), chosen(found, 1), [found])
    assert shown.quote == text


INCLUDE = find_focus("What should the note include?")
NOTE = evidence(
    "A doctor writes the note.", "The note should include:", after="- date of birth\n- diagnosis\n", heading="Birth"
)


@pytest.mark.parametrize(
    ("question", "is_shown"), [("What winds the bell in frost?", True), ("Is the bell wound in frost?", False)]
)
def test_the_first_code_after_the_best_sentence_is_shown_with_what_announces_it(question: str, is_shown: bool) -> None:
    code = "```\nwind --slowly\n```"
    [found] = ranked(part("The bell is wound in frost.", "It takes oil.", "For example:", code, "Or:", code, ordinal=3))
    [shown] = select_quotations(find_focus(question), chosen(found, 0), [found])
    assert shown.quote.startswith("The bell is wound in frost. It takes oil.")
    assert (code in shown.text, "Or:" in shown.text) == (is_shown, False)


def test_a_sentence_that_announces_a_list_answers_though_it_has_no_other_words_than_the_question() -> None:
    [found] = ranked(NOTE)
    shown = select_quotations(INCLUDE, chosen(found, 1, 0), [found])
    assert [each.text for each in shown] == ["The note should include:\n- date of birth\n- diagnosis"]


def test_a_sentence_that_announces_nothing_does_not() -> None:
    [found] = ranked(replace(NOTE, context=replace(NOTE.context, after="")))
    [shown] = select_quotations(INCLUDE, chosen(found, 1, 0), [found])
    assert shown.text.startswith("A doctor writes the note.")


def test_the_list_comes_with_the_announcement_and_not_with_an_earlier_sentence_that_fits_as_well() -> None:
    kinds = evidence("A bell is bronze.", "There are two kinds of bell:", after="- heavy\n- light\n", heading="Bells")
    [found] = ranked(kinds)
    units = [ScoredUnit(found, index, kinds.parts[index], score, 1.0, 0.0) for index, score in ((1, 1.0), (0, 0.99))]
    [shown] = select_quotations(find_focus("Which kinds of bell are there?"), units, [found])
    assert shown.text == "There are two kinds of bell:\n- heavy\n- light"


@pytest.mark.parametrize(
    ("sentence", "is_announced"),
    [("Submit the following papers to us.", True), ("Bitte folgende Unterlagen abgeben.", True), ("Submit it.", False)],
)
def test_a_list_is_also_announced_without_a_colon(sentence: str, is_announced: bool) -> None:
    papers = evidence(sentence, "A draft is fine.", after="- form\n- report\n", heading="Leave")
    [found] = ranked(papers)
    [shown] = select_quotations(find_focus("What must I send?"), chosen(found, 0), [found])
    assert shown.text.endswith("A draft is fine.\n- form\n- report") == is_announced


@pytest.mark.parametrize(
    ("question", "first"),
    [("How many hours may a day have?", "- A day has 12 hours at most."), ("What is flexible?", "- Days differ.")],
)
def test_the_item_with_the_value_comes_first_where_one_value_is_asked(question: str, first: str) -> None:
    items = ("- Days differ.", "- A day has 12 hours at most.")
    [found] = ranked(evidence(*items, kind="list", numbers=(1, 2), heading="Flexible"))
    [shown] = select_quotations(find_focus(question), chosen(found, items.index(first)), [found])
    assert shown.text.splitlines() == ["Flexible:", first, *[item for item in items if item != first]]
    assert shown.quote == "\n".join(items)


PORTS = ("- talks on port 80 to the web.", "- talks on port 4878 to the bell.", "- talks on port 487 to the web, too.")


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("What is port 4878 for?", PORTS[1:2]),
        ("Welche Aufgabe hat Port 4878?", PORTS[1:2]),
        ("What is port 80 for?", (PORTS[0], *PORTS[1:])),  # a small number may be said of several
        ("What is a port for?", PORTS),
        ("What are ports 4878 and 487 for?", PORTS),
        ("What was a port for in 2026?", PORTS),
        ("What is port 4879 for?", PORTS),
    ],
)
def test_the_only_item_with_the_number_of_the_question_stands_alone(question: str, items: tuple[str, ...]) -> None:
    [found] = ranked(evidence(*PORTS, kind="list", numbers=(1, 2, 3), heading="Ports"))
    [shown] = select_quotations(find_focus(question), chosen(found, 1), [found])
    assert sorted(shown.text.splitlines()) == sorted(["Ports:", *items])


ERRORS = ("1. Lamp is red: power", "2. Error 0x31 = SIM locked", "3. Error 0x77: see above")
STEPS = ("1. Call the desk", "2. The desk resets 2FA", "3. Set the limit to 65536", "4. Restart")
LIMITS = ("- Up to 1000 EUR: lead", "- Up to 9000 EUR: head", "- Otherwise: board")


@pytest.mark.parametrize(
    ("question", "items", "shown"),
    [
        ("The lamp says error 0x31", ERRORS, ERRORS[1:2]),
        ("The lamp says error 0x77", ERRORS, ERRORS),  # understood only with the one before
        ("What do I do before error 0x31?", ERRORS, ERRORS),
        ("How do I get 2FA to work again?", STEPS, STEPS),  # what the steps are about
        ("How do I set the limit to 65536?", STEPS, STEPS),
        ("Who approves more than 1000 EUR?", LIMITS, LIMITS),
        ("Who approves a bill above 9000?", LIMITS, LIMITS),
        ("Who approves bill 9000?", LIMITS, LIMITS[1:2]),
        ("Who may invite 9000 guests?", LIMITS, LIMITS),
        ("Who approves between 300 and 9000?", LIMITS, LIMITS),
        ("Who approves 9000mb?", LIMITS, LIMITS),
    ],
)
def test_an_amount_or_a_number_within_a_step_names_no_item(
    question: str, items: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    numbered = evidence(*items, kind="list", numbers=tuple(range(1, len(items) + 1)))
    item = find_numbered_item(find_focus(question), numbered)
    assert (items if item is None else items[item : item + 1]) == shown


def test_a_list_without_the_number_is_left_out_beside_an_item_with_it() -> None:
    one, two = ranked(
        evidence(*PORTS, kind="list", numbers=(1, 2, 3), heading="Ports"),
        evidence("- It talks on port 22 to the bell.", kind="list", numbers=(1,), heading="Bell", page_id="9"),
    )
    units = [*chosen(one, 1), *chosen(two, 0)]
    assert len(select_quotations(find_focus("What does port 4878 of the bell do?"), units, [one, two])) == 1
    assert len(select_quotations(find_focus("What does a port of the bell do?"), units, [one, two])) == 2


def test_a_number_of_the_heading_names_no_item() -> None:
    items = ("- Bring the box 4711.", "- Close it.")
    [found] = ranked(evidence(*items, kind="list", numbers=(1, 2), heading="Box 4711"))
    [shown] = select_quotations(find_focus("What is to be done with box 4711?"), chosen(found, 0), [found])
    assert shown.text.splitlines()[1:] == [*items]


@pytest.mark.parametrize(
    ("question", "is_first"),
    [
        ("what does blue mean", True),
        ("and blue? (Lamps: red)", True),
        ("what does free mean", False),
        ("what do lamps mean (Lamps: blue)", False),
        ("which are the lamps, blue too?", False),
    ],
)
def test_the_item_that_begins_with_the_name_in_the_question_comes_first(question: str, is_first: bool) -> None:
    items = ("- Red: in use", "- Green: free", "- Blue: free, not yet clean")
    [found] = ranked(evidence(*items, kind="list", numbers=(1, 2, 3), heading="Lamps"))
    [shown] = select_quotations(find_focus(question), chosen(found, 2), [found])
    assert shown.text.splitlines()[1:] == ([items[2], *items[:2]] if is_first else [*items])


def test_an_instruction_with_a_small_number_of_the_question_stays_in_its_place() -> None:
    items = ("- Switch off the motor.", "- Wait until error 17 disappears.", "- Open the door.")
    [found] = ranked(evidence(*items, kind="list", numbers=(1, 2, 3), heading="Errors"))
    [shown] = select_quotations(find_focus("What happens if error 17 appears?"), chosen(found, 1), [found])
    assert shown.text.splitlines() == ["Errors:", *items]


@pytest.mark.parametrize("parts", [("Wear gloves.", "Owner:", "Status: open."), ("Wear gloves.", "Owner:", "Ring it.")])
def test_a_field_without_a_value_announces_nothing(parts: tuple[str, ...]) -> None:
    [found] = ranked(evidence(*parts, heading="Bell"))
    [shown] = select_quotations(find_focus("Who is the owner?"), chosen(found, 1, 0), [found])
    assert shown.text.startswith("Wear gloves.")


def test_text_before_an_example_is_shown_with_it() -> None:
    [found] = ranked(evidence("Run it as root.", "Example:", after="- ring now\n", heading="Bell"))
    units = [
        ScoredUnit(found, index, found.evidence.parts[index], score, 1.0, 0.0) for index, score in ((1, 1), (0, 0.99))
    ]
    [shown] = select_quotations(find_focus("How do I restart the service?"), units, [found])
    assert shown.text.startswith("Run it as root.")


@pytest.mark.parametrize("item", ["- It has 4 digits.", "- In all other cases: 4 digits."])
def test_an_item_that_needs_those_before_it_stays_behind_them(item: str) -> None:
    [found] = ranked(evidence("- The code is in the safe.", item, kind="list", numbers=(1, 2), heading="Gate"))
    [shown] = select_quotations(find_focus("How many digits has the code?"), chosen(found, 1), [found])
    assert shown.text.splitlines()[-1] == item


@pytest.mark.parametrize(("items", "is_shown"), [(2, True), (200, False)])
def test_in_another_evidence_only_a_short_list_is_shown_because_something_follows(items: int, is_shown: bool) -> None:
    best = evidence("The office closes on Friday.", page_id="2")
    other = evidence("The following offices are closed.", "Call us.", after="- Ulm\n" * items, ordinal=3)
    found = ranked(best, other)
    shown = select_quotations(
        find_focus("When is the office closed?"), [*chosen(found[0], 0), *chosen(found[1], 0)], found
    )
    assert ("- Ulm" in shown[-1].text) == is_shown


def test_numbered_steps_keep_their_order() -> None:
    [found] = ranked(evidence("1. Look.", "2. Ring 12 times.", kind="list", numbers=(1, 2), heading="Steps"))
    [shown] = select_quotations(find_focus("How many times do I ring?"), chosen(found, 1), [found])
    assert shown.text == "Steps:\n1. Look.\n2. Ring 12 times."


@pytest.mark.parametrize("end", [",", ";", " and", ", oder"])
def test_items_that_are_parts_of_one_sentence_keep_their_order(end: str) -> None:
    items = (f"- close the window{end}", "- lock the door twice.")
    [found] = ranked(evidence(*items, kind="list", numbers=(1, 2), heading="Who leaves last"))
    [shown] = select_quotations(find_focus("Where do I get the key for the door?"), chosen(found, 1), [found])
    assert shown.text.splitlines()[1:] == list(items)


def test_a_sentence_that_only_refers_elsewhere_comes_with_its_heading() -> None:
    [found] = ranked(evidence("See Logging in for details.", heading="Connect to the Wi-Fi"))
    [shown] = select_quotations(find_focus("What is the password?"), chosen(found, 0), [found])
    assert shown.text == "Connect to the Wi-Fi: See Logging in for details."


def test_a_small_list_is_shown_whole_around_the_best_item_but_not_in_another_evidence() -> None:
    best, other = (
        evidence(*items, kind="list", numbers=(1, 2), page_id=page, heading="Frost")
        for page, items in (("1", ("- The bell rings.", "- Snow falls.")), ("2", ("- The bell hums.", "- Ice melts.")))
    )
    found = ranked(best, other)
    what = find_focus("What makes a sound in frost?")
    shown = select_quotations(what, [*chosen(found[0], 0), *chosen(found[1], 0)], found)
    assert [each.text for each in shown] == ["Frost:\n- The bell rings.\n- Snow falls.", "Frost:\n- The bell hums."]


def test_a_list_is_not_repeated_after_the_sentence_that_announces_it() -> None:
    announced, whole = quote_passage(LEAD_IN, [0, 1]), quote_items(LIST, [0, 1])
    assert announced.text.endswith(whole.text)
    assert drop_repeated([announced, whole]) == [announced]
    assert drop_repeated([whole, announced]) == [whole, announced]


def test_the_same_text_of_another_page_is_another_source() -> None:
    copy = evidence("- Look.", "- Listen.", kind="list", before="Before you ring:", page_id="8", title="Copy")
    both = [quote_items(LIST, [0, 1]), quote_items(copy, [0, 1])]
    assert drop_repeated(both) == both


def clock(build: str, result: str, number: int, clock: str) -> Evidence:
    return row(("Build", build), ("Clock", clock), ("Result", result), number=number, title="Tower tests")


@pytest.mark.parametrize(("score", "first"), [(0.96, 1), (0.9, 0)])
def test_what_has_a_number_of_the_question_comes_before_what_matches_hardly_better(score: float, first: int) -> None:
    """Numbers match in another language too, where a word matches every row a little."""
    rows = [clock("6671", "pass", 1, "Rook 7490"), clock("6662", "fail", 2, "Rook 9010")]
    both = ranked(*rows)
    units = [
        ScoredUnit(each, 0, each.evidence.parts[0], own, 0.1, 0.0) for each, own in zip(both, (1.0, score), strict=True)
    ]
    shown = select_quotations(find_focus("Hat die veraltete Uhr 9010 alle Prüfungen bestanden?"), units, both)
    assert shown[0].evidence == rows[first]


@pytest.mark.parametrize(
    ("best", "other", "shown"),
    [
        (5.0, 0.0, 1),  # the other item matches so badly that it was not rated
        (5.0, 2.5, 1),
        (5.0, 4.0, 2),  # rated nearly as high
        (2.0, -3.0, 2),  # not almost certain
    ],
)
def test_an_item_that_answers_almost_certainly_stands_without_the_others_of_a_small_list(
    best: float, other: float, shown: int
) -> None:
    items = part("- Bronze cracks in hard frost.", "- The clapper may stick.", ordinal=3, kind="list")
    whole = replace(items, structure=Structure(1, 2, (1, 2), (0, 0), ("-", "-")))
    [found] = ranked(whole)
    units = [
        ScoredUnit(found, index, found.evidence.parts[index], score, 0.5, 0.0, rating)
        for index, score, rating in ((0, 1.0, best), (1, 0.6, other))
    ]
    [quotation] = select_quotations(find_focus("What happens to the bell in frost?"), units, [found])
    assert sum(line.startswith("- ") for line in quotation.text.splitlines()) == shown


@pytest.mark.parametrize(
    ("rating", "text"),
    [
        (5.0, "Heron delivers only against prepayment. Reason: an open bill."),
        (0.5, "Heron delivers only against prepayment."),
    ],
)
def test_a_text_beside_a_row_is_quoted_with_what_follows_if_it_likely_answers(rating: float, text: str) -> None:
    supplier = row(("Supplier", "Heron"), ("Group", "Cables"))
    note = evidence("Heron delivers only against prepayment.", "Reason: an open bill.", heading="", ordinal=2)
    found = ranked(supplier, note)
    [of_row], [of_note] = chosen(found[0], 0), chosen(found[1], 0)
    units = [replace(of_row, rating=1.0), replace(of_note, score=0.95, rating=rating)]
    quoted = select_quotations(find_focus("why prepay Heron"), units, found)
    assert [each.text for each in quoted] == ["Supplier: Heron · Group: Cables", text]


@pytest.mark.parametrize("question", ["What does the step rook build?", "What does the mode 'rook' do?"])
def test_a_row_comes_first_if_the_question_names_its_key(question: str) -> None:
    longer = row(("Step", "rookery"), ("Builds", "nothing yet"))
    named = row(("Step", "rook"), ("Builds", "the tower service"), number=2)
    found = ranked(longer, named)
    units = [replace(chosen(found[0], 0)[0], rating=9.0), replace(chosen(found[1], 0)[0], score=0.97, rating=8.0)]
    assert "the tower service" in select_quotations(find_focus(question), units, found)[0].text


STEPS = evidence(
    "1. Look at the board.",
    "2. One city: open a ticket with the carrier.",
    "3. Certificate expired: renew it and reload.",
    kind="list",
    title="Boxes offline",
    heading="Steps",
    numbers=(1, 2, 3),
)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("the certificate has expired, how do I renew it?", ["Steps:", STEPS.parts[2]]),
        ("boxes are offline, what are the steps?", ["Steps:", *STEPS.parts]),
        ("how do I bring boxes online with a certificate?", ["Steps:", *STEPS.parts]),
    ],
)
def test_of_several_steps_one_is_quoted_if_only_it_has_words_of_the_question(question: str, lines: list[str]) -> None:
    found = ranked(STEPS)
    best, *others = (replace(unit, rating=9.0 if unit.index == 2 else 0.0) for unit in chosen(found[0], 2, 0, 1))
    units = [best, *(replace(unit, score=0.8) for unit in others)]
    quoted = select_quotations(find_focus(question), units, found)
    assert "\n".join(each.text for each in quoted).splitlines() == lines
