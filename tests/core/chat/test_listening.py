"""Decisions when to answer and when to stay silent."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chat.listening import Decision, calls_for_help, decide, is_question
from core.ports.chat import IncomingMessage, Place, ThreadMessage
from core.wording.courtesy import has_words, is_acknowledgement, is_reaction, is_thanks
from tests.core.chat.follow_ups import FOLLOW_UPS, UNSEEN, FollowUp

CHANNEL, DIRECT = Place("slack", "T1", "C1", "1.0"), Place("slack", "T1", "D1", "1.0", direct=True)
ADA, BEN = "U1", "U2"

messages = st.builds(
    IncomingMessage,
    st.sampled_from([CHANNEL, DIRECT]),
    st.just("9.0"),
    st.just(ADA),
    st.one_of(st.text(), st.sampled_from([each.text for each in FOLLOW_UPS])),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


def decided(follow_up: FollowUp) -> Decision:
    since = [ThreadMessage("2.0", BEN, "", follow_up.after)] if follow_up.after else []
    message = IncomingMessage(CHANNEL, "3.0", ADA, follow_up.text, to_others=follow_up.to_others, reply=True)
    return decide(message, True, "thread", since)


def right(follow_ups: Sequence[FollowUp]) -> float:
    return sum(decided(each) == each.wanted for each in follow_ups) / len(follow_ups)


def test_decisions_on_follow_ups_match_those_of_people() -> None:
    assert len(FOLLOW_UPS) == 226
    assert right(FOLLOW_UPS) >= 0.98
    assert right(UNSEEN) >= 0.93


@pytest.mark.parametrize("text", ["Hi https://wiki.example/pages/7/Deploy", "help https://wiki.example/pages/7"])
def test_a_greeting_with_a_link_asks_about_the_link(text: str) -> None:
    assert not calls_for_help(text)


@given(messages, st.booleans(), st.sampled_from(["thread", "mention"]))
def test_mentions_and_direct_messages_are_answered(message: IncomingMessage, known: bool, follow_ups: str) -> None:
    if message.mentioned or message.place.direct:
        asked = any(character.isalnum() for character in message.text)
        expected = "ask" if asked and not is_acknowledgement(message.text) else "help"
        expected = "listen" if known and is_reaction(message.text) else expected
        expected = "help" if calls_for_help(message.text) else expected
        is_answered = message.place.direct or not known
        expected = "thanks" if is_answered and is_thanks(message.text) else expected
        assert decide(message, known, follow_ups, [ThreadMessage("2.0", BEN, "", "I know")]) == expected  # type: ignore[arg-type]


@given(messages, st.booleans(), st.sampled_from(["thread", "mention"]))
def test_messages_in_other_threads_are_ignored(message: IncomingMessage, known: bool, follow_ups: str) -> None:
    if not message.mentioned and not message.place.direct and not (known and message.reply):
        assert decide(message, known, follow_ups) == "ignore"  # type: ignore[arg-type]


@given(messages)
def test_in_its_threads_it_answers_only_questions_that_address_nobody_else(message: IncomingMessage) -> None:
    if not message.mentioned and not message.place.direct and message.reply:
        assert decide(message, True, "mention") == "listen"
        assert decide(message, True, "thread") in {"ask", "listen"}
        if message.to_others or not is_question(message.text):
            assert decide(message, True, "thread") == "listen"


@pytest.mark.parametrize(
    ("text", "thanks"),
    [
        ("Thanks!", True),
        ("Danke dir, das hilft", True),
        ("ok", False),
        ("Thanks, and in Berlin?", False),
        ("🎉", False),
    ],
)
def test_thanks_in_a_direct_message_are_answered(text: str, thanks: bool) -> None:
    direct = Place("slack", "T1", "D1", "1.0", direct=True)
    assert (decide(IncomingMessage(direct, "3.0", ADA, text), True, "thread") == "thanks") == thanks


@pytest.mark.parametrize(
    "text",
    [
        "hi",
        "Hello there!",
        "Good morning :wave:",
        "Guten Morgen zusammen",
        "help",
        "Hilfe!",
        "hi, who are you?",
        "What can you do for me?",
        "How does this bot work?",
        "Wer bist du?",
        "Hallo, was kannst du?",
        "Was können Sie denn alles?",
        "Bist du ein Bot?",
        "Wie funktionierst du?",
    ],
)
def test_greetings_and_questions_about_the_bot_get_help(text: str) -> None:
    for place in (CHANNEL, Place("slack", "T1", "D1", "1.0", direct=True)):
        for known in (True, False):
            assert (
                decide(IncomingMessage(place, "3.0", ADA, text, mentioned=True, reply=True), known, "thread") == "help"
            )


@pytest.mark.parametrize(
    "text",
    [
        "Hello, what is the hotel limit?",
        "help desk",
        "who helps me with my laptop?",
        "What can you claim for meals?",
        "How does this work?",
        "Who are our customers?",
        "Was kannst du zum Urlaub sagen?",
        "hi res pictures",
        "morning shift",
        "Wer hilft mir bei der Abrechnung?",
    ],
)
def test_questions_that_resemble_greetings_are_asked(text: str) -> None:
    assert decide(IncomingMessage(CHANNEL, "3.0", ADA, text, mentioned=True), False, "thread") == "ask"


@pytest.mark.parametrize(
    ("user", "text", "expected"),
    [
        (ADA, "I think it was changed", "ask"),
        (BEN, "I think it was changed", "listen"),
        (BEN, "thanks!", "ask"),
        (BEN, "🎉", "ask"),
    ],
)
def test_after_a_message_of_somebody_else_the_bot_stays_silent(user: str, text: str, expected: str) -> None:
    message = IncomingMessage(CHANNEL, "3.0", ADA, "And in Berlin?", reply=True)
    assert decide(message, True, "thread", [ThreadMessage("2.0", user, "", text)]) == expected


@given(st.text())
def test_no_text_is_both_a_question_and_an_acknowledgement(text: str) -> None:
    assert not (is_question(text) and is_acknowledgement(text))
    if not has_words(text):
        assert not is_question(text)


def test_white_space_and_other_quotation_marks_change_nothing() -> None:
    for text in [each.text for each in FOLLOW_UPS if each.wanted == "ask" and not each.after]:
        assert is_question(f"  {text} \n")
        assert is_question(text.replace("'", "’"))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("WikiWhy, and in Germany?", True),
        ("@WikiWhy and in Germany?", True),
        ("And in Germany, WikiWhy?", True),
        ("Hallo Team, wie ist das in Berlin?", True),
        ("Hi Ada, and in Germany?", False),
        ("Guten Morgen Ada, wie ist das in Berlin?", False),
        ("@Ada and in Germany?", False),
    ],
)
def test_a_question_to_the_bot_by_name_is_asked_and_one_to_a_person_is_not(text: str, asked: bool) -> None:
    assert is_question(text) == asked
