"""When a page asks the question itself, and answers it with yes or no."""

import pytest

from core.answering.extractive.quoting.compose import compose, quote_items, quote_passage
from core.answering.extractive.verdicts.own_answer import put_own_answer_first, says_yes_or_no
from core.wording.focus import find_focus
from core.wording.quotations import Quotation
from tests.core.answering.examples import evidence


def read_verdict(question: str, text: str, heading: str = "") -> str:
    """Return the lead and the first line of the answer."""
    quotations = [Quotation(text, evidence(*text.split("\n"), title="Questions", heading=heading), text)]
    [first] = put_own_answer_first(find_focus(question), quotations) or quotations
    return first.lead + first.text.split("\n")[0]


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        (
            "Can I use Belfry at home without paying a fee?",
            "(13) Can I use Belfry at home without paying fees?\nYes. Belfry is free.",
            "Yes – Belfry is free.",
        ),
        (
            "Is the bell rung on Sundays?",
            "Is the bell rung on Sundays?\nNo, only on weekdays.",
            "No – Only on weekdays.",
        ),
        ("Darf ich die Glocke läuten?", "Darf ich die Glocke läuten?\nJa: Fragen Sie Ada.", "Ja – Fragen Sie Ada."),
        ("Is Belfry free?", "3. Is Belfry free?\nYes - for everybody.", "Yes – For everybody."),
    ],
)
def test_the_answer_below_the_same_question_is_the_verdict(question: str, text: str, said: str) -> None:
    assert read_verdict(question, text) == said


def test_a_heading_asks_too() -> None:
    assert read_verdict("Is Belfry free?", "Yes. It costs nothing.", heading="Is Belfry free?") == (
        "Yes – It costs nothing."
    )


def test_the_question_in_the_heading_is_quoted_and_answered() -> None:
    page = evidence("A: No, not yet.", "Ask Ada.", heading="Q: Is Belfry free?")
    focus = find_focus("Is Belfry free?")
    found = put_own_answer_first(focus, [quote_passage(page, [0, 1], with_heading=True)])
    assert compose(found or []).text == "No – Not yet. Ask Ada. [1]"


def test_a_question_and_its_answer_may_be_in_one_line() -> None:
    text = "Q: Is Belfry free? A: Yes, it costs nothing.\nQ: Is Hush free? A: No."
    assert read_verdict("Is Belfry free?", text) == "Yes – It costs nothing."
    assert read_verdict("Is Hush free?", text.replace("\n", " ") + " Ask Ada.") == "No – Ask Ada."


def test_a_reply_without_a_reason_is_one_too() -> None:
    for reply, is_one in (("A: Yes.", True), ("Nein.", True), ("A: Nobody knows.", False), ("No. 7 is.", False)):
        page = evidence("Q: Is Belfry free?", reply)
        assert says_yes_or_no(quote_passage(page, [0, 1])) is is_one


def test_a_reply_to_a_later_question_is_none() -> None:
    page = evidence("Ring gently.", "Is Hush free?", "Yes.")
    assert not says_yes_or_no(quote_passage(page, [0, 1, 2]))


def test_a_question_and_its_answer_may_be_items_of_a_list_of_questions() -> None:
    items = ("- Q: Is Belfry free?", "  - A: Yes, as long as you ring.", "- Q: Is Hush free?", "  - A: No.")
    page = evidence(*items, kind="list", heading="FAQ")
    quotations = [quote_items(page, [0, 2])]
    found = put_own_answer_first(find_focus("Is Belfry free?"), quotations)
    assert compose(found or []).text == "Yes – As long as you ring. [1]"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Can I use Belfry at work?", "Can I use Belfry at home?\nYes. Belfry is free."),
        ("Can I use Belfry?", "Can I use Belfry without a licence?\nNo. Ask Ada."),
        ("Can't I use Belfry?", "Can I use Belfry?\nYes. Belfry is free."),
        ("Can I use Belfry?", "Can I use Belfry?\nYesterday it was free."),
        ("Can I use Belfry?", "Can I use Belfry?\nNo."),
        ("Can I use Belfry?", "Can I use Belfry?\nNobody knows."),
        ("Can I use Belfry?", "Can I use Belfry?\nNo. 7 is the key of Belfry."),
        ("Can I use Belfry?", "Can I use Belfry?\nYes and no: ask Ada."),
        ("Can I use Belfry?", "Can I use Belfry?\n… Yes, you can use Hush."),
        ("Can I use Belfry?", "Can I use Belfry?\n- …\n- Yes, you can use Hush."),
        ("Can I ring 2 bells?", "Can I ring 3 bells?\nNo. It is too loud."),
        ("Is Rook faster than Wren?", "Is Wren faster than Rook?\nYes. It is lighter."),
        ("Who can use Belfry?", "Who can use Belfry?\nNo, nobody."),
    ],
)
def test_another_question_or_reply_gives_none(question: str, text: str) -> None:
    assert read_verdict(question, text) == text.split("\n")[0]


def test_quotations_that_only_ask_are_left_out() -> None:
    page = evidence("Is Belfry free?", "Yes. It costs nothing.", title="Questions")
    contents = evidence("1. Is Belfry free?", title="Questions", kind="list")
    quotations = [
        Quotation("Contents:\n1. Is Belfry free?", contents, "1. Is Belfry free?"),
        Quotation("Is Belfry free?\nYes. It costs nothing.", page, page.text),
    ]
    found = put_own_answer_first(find_focus("Is Belfry free?"), quotations)
    assert compose(found or []).text == "Yes – It costs nothing. [1]"
