"""Words around a question that belong to the conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.wording.courtesy import is_reaction, is_thanks, strip_courtesy

_QUESTIONS = Path(__file__).parents[3] / "benchmarks/questions"
ASKED = (
    "Who approves travel?", "Wer genehmigt Reisen?", "And in Germany?", "Kann ich das zurückgeben?", "What is ✅?",
    "Which towers are 🔴", "Is Best Regards Ltd. a customer?", "Was kostet Thanks Coffee?", "How warm is it at 5°",
)  # fmt: skip
FIRST = (
    "Hi!", "Hello,", "Hey there,", "Good morning everyone!", "Hi WikiWhy,", "Hallo Ada,", "WikiWhy:",
    "Guten Morgen zusammen,", "Moin,", "Moin moin!", "Guten Tag!", "Servus!", "Sorry,", "Entschuldigung,", "Sag mal,",
    "Quick question:", "Ich habe mal eine kurze Frage:", "Bitte:", ":wave: Hi,", "👋 Hallo!", "Thanks!", "ok danke.",
    "Super, vielen Dank!",
)  # fmt: skip
PLAIN = ("", "@WikiWhy", "Guten Tag", "Hello\n\n", "👋 Hallo Ada", "hey")
LAST = (
    "Thanks!", "Thanks in advance", "Many thanks, Ada", "Danke schon mal!", "Danke im Voraus", "Vielen lieben Dank",
    "Best regards, Ada Lovelace", "Viele Grüße\nAda",
    "Danke und viele Grüße, Ada", "Mit freundlichen Grüßen Ada Lovelace", "LG Ada", "VG",
    ":slightly_smiling_face:", "🙏", "🙏🏽", ":)", ";-)", "Danke! 😊", "Danke vorab :pray: :pray:",
)  # fmt: skip


begun, ended = st.lists(st.sampled_from(FIRST), max_size=3), st.lists(st.sampled_from(LAST), max_size=2)


@given(st.sampled_from(ASKED), begun, st.sampled_from(PLAIN), ended)
def test_what_stands_around_a_question_changes_it_in_no_way(
    asked: str, first: list[str], plain: str, last: list[str]
) -> None:
    ending = asked if not last or asked[-1] == "?" else f"{asked}?"
    assert strip_courtesy(" ".join([*first, plain, ending, *last])) == ending


@pytest.mark.parametrize("around", ["*{}*", "_{}_", "_*{}*_", "{}??", "{}?!"])
def test_emphasis_of_a_whole_question_is_left_out(around: str) -> None:
    assert strip_courtesy(around.format("Who approves travel?")) == "Who approves travel?"


def _list_questions(node: Any) -> list[str]:
    if isinstance(node, str):
        return [node] if node.endswith("?") else []
    if not isinstance(node, dict | list):
        return []
    return [each for inner in (node.values() if isinstance(node, dict) else node) for each in _list_questions(inner)]


@pytest.mark.parametrize("name", sorted(path.name for path in _QUESTIONS.glob("*.json")))
def test_questions_about_wikis_stay_as_they_are(name: str) -> None:
    held = json.loads((_QUESTIONS / name).read_text("utf-8"))
    for asked in _list_questions(held):
        assert strip_courtesy(" ".join(asked.split())) == " ".join(asked.split())


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "Danke schön",
        "Vielen Dank für die Hilfe!",
        "Thanks, that helped a lot",
        "thank you for the quick answer :slightly_smiling_face:",
        "Ich danke dir",
        "Danke, das war sehr hilfreich.",
        "Super, vielen lieben Dank für die schnelle Antwort 🙏",
        "Much appreciated!",
        "Danke, hat sich erledigt",
    ],
)
def test_thanks_in_several_words_are_thanks(text: str) -> None:
    assert is_thanks(text)
    assert strip_courtesy(text) == text


@pytest.mark.parametrize("text", ["help", "answer", "Info", "thank you notes", "Danke für die Antwort auf was?"])
def test_words_that_may_accompany_thanks_are_none_alone(text: str) -> None:
    assert not is_thanks(text)


@pytest.mark.parametrize(
    ("text", "reaction"),
    [("ok", True), ("Perfekt!", True), ("👍", True), (":tada:", True), (":)", True), ("??", False), (".", False),
     ("", False), ("VPN", False)],
)  # fmt: skip
def test_agreement_and_emoji_are_reactions(text: str, reaction: bool) -> None:
    assert is_reaction(text) == reaction


@given(st.text())
def test_a_message_never_loses_all_its_words(text: str) -> None:
    assert any(map(str.isalnum, strip_courtesy(text))) == any(map(str.isalnum, text))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("ok thx. when is salary paid", "when is salary paid"),
        ("thanks! and can i restart it", "and can i restart it"),
        ("Thanks, and who took the minutes?", "and who took the minutes?"),
        ("danke. wer genehmigt das", "wer genehmigt das"),
        ("Vielen Dank! Und in Dänemark?", "Und in Dänemark?"),
        ("ok thank you so much :) what about Leeds", "what about Leeds"),
        ("perfect, thanks. who pays", "who pays"),
        ("super danke! who chairs the board", "who chairs the board"),
        ("Who approves it? Thanks!", "Who approves it?"),
        ("danke und wer zahlt das", "und wer zahlt das"),
        ("Thanks!", "Thanks!"),
        ("ok, danke dir", "ok, danke dir"),
        ("thanks to whom is it done", "thanks to whom is it done"),
        ("nice to have features of the card", "nice to have features of the card"),
        ("Thank you notes: who writes them?", "Thank you notes: who writes them?"),
        ("who signs it", "who signs it"),
    ],
)
def test_thanks_before_or_after_a_question_are_left_out(text: str, question: str) -> None:
    assert strip_courtesy(text) == question
