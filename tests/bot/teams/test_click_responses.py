from __future__ import annotations

from dataclasses import replace
from typing import Any

from adapters.teams.activities import Action
from adapters.teams.cards import CARD, TEXT
from bot.teams.listener import make_response
from core.model.views import Notice, PageLink
from core.ports.chat import Click, Place
from core.views.help import build_reason_form
from tests.contracts.chat_examples import ANSWER
from tests.servers.teams.cards import actions, texts

CLICK = Click(Place("teams", "T1", "19:x;messageid=1", "1"), "2", "u1", "a1", "t1")


def make_action(name: str, index: int = -1) -> Action:
    return Action(name, CLICK, "1", index=index, language="en")


def titles(card: dict[str, Any]) -> list[str]:
    return [action["title"] for action in actions(card) if "title" in action]


def test_a_long_answer_is_read_part_by_part() -> None:
    text = "\n".join(f"{at}. This is what has to be done in step {at}, and it takes its time." for at in range(900))
    view = replace(ANSWER, text=text)
    assert "Show the whole answer" in titles(make_response(view, make_action("answer"))["value"])
    read, number = "", 0
    while True:
        card = make_response(view, make_action("whole", number))["value"]
        read += "\n".join(texts(card))
        assert "Back to the answer" in titles(card)
        if "Next part" not in titles(card):
            break
        (further,) = [action for action in actions(card) if action.get("title") == "Next part"]
        number = further["data"]["index"]
    assert number > 1
    assert all(f"in step {at}," in read for at in range(900))
    assert f"Part {number + 1} of {number + 1}" in read


def test_an_invalid_part_number_is_clamped() -> None:
    for index in (-1, 0, 10**12):
        assert "Part 1 of 1" in texts(make_response(ANSWER, make_action("whole", index))["value"])


def test_a_short_answer_has_no_button_for_the_whole() -> None:
    assert "Show the whole answer" not in titles(make_response(ANSWER, make_action("answer"))["value"])


def test_a_text_is_shown_below_the_card_and_links_replace_it() -> None:
    assert make_response(Notice("Say /wiki sync."), make_action("explain")) == {
        "statusCode": 200, "type": TEXT, "value": "Say sync.",
    }  # fmt: skip
    linked = make_response(Notice("There:", links=(PageLink("it", "https://x.example/"),)), make_action("explain"))
    assert linked["type"] == CARD
    assert titles(linked["value"]) == ["Back to the answer"]


def test_the_reason_form_can_be_sent_or_left() -> None:
    answer = make_response(build_reason_form("What is it?", "en"), make_action("bad"))
    assert titles(answer["value"]) == ["Send", "Back to the answer"]
    assert "What is it?" in texts(answer["value"])
