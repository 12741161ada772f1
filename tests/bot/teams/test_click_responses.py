from __future__ import annotations

from dataclasses import replace
from typing import Any

from adapters.teams.activities import Action
from adapters.teams.cards import CARD
from bot.teams.listener import TEXT_TYPE, answer_to
from core.ports.chat import Click, Place
from core.views.help import build_reason_form
from core.views.model import Notice, PageLink
from tests.contracts.chat_examples import ANSWER
from tests.servers.teams.cards import actions, texts

CLICK = Click(Place("teams", "T1", "19:x;messageid=1", "1"), "2", "u1", "a1", "t1")


def pressed(name: str, index: int = -1) -> Action:
    return Action(name, CLICK, index=index, language="en")


def titles(card: dict[str, Any]) -> list[str]:
    return [action["title"] for action in actions(card) if "title" in action]


def test_a_long_answer_is_read_part_by_part() -> None:
    text = "\n".join(f"{at}. This is what has to be done in step {at}, and it takes its time." for at in range(900))
    view = replace(ANSWER, text=text)
    assert "Show the whole answer" in titles(answer_to(view, pressed("answer"))["value"])
    read, number = "", 0
    while True:
        card = answer_to(view, pressed("whole", number))["value"]
        read += "\n".join(texts(card))
        assert "Back to the answer" in titles(card)
        if "Next part" not in titles(card):
            break
        (further,) = [action for action in actions(card) if action.get("title") == "Next part"]
        number = further["data"]["index"]
    assert number > 1
    assert all(f"in step {at}," in read for at in range(900))
    assert f"Part {number + 1} of {number + 1}" in read


def test_a_part_that_there_is_not_is_the_last_or_the_first() -> None:
    for index in (-1, 0, 10**12):
        assert "Part 1 of 1" in texts(answer_to(ANSWER, pressed("whole", index))["value"])


def test_a_short_answer_is_whole_already() -> None:
    assert "Show the whole answer" not in titles(answer_to(ANSWER, pressed("answer"))["value"])


def test_words_stand_under_the_card_and_links_take_its_place() -> None:
    assert answer_to(Notice("Say /wiki sync."), pressed("explain")) == {
        "statusCode": 200, "type": TEXT_TYPE, "value": "Say sync.",
    }  # fmt: skip
    linked = answer_to(Notice("There:", links=(PageLink("it", "https://x.example/"),)), pressed("explain"))
    assert linked["type"] == CARD
    assert titles(linked["value"]) == ["Back to the answer"]


def test_who_is_asked_for_a_reason_can_send_it_or_leave_it() -> None:
    answer = answer_to(build_reason_form("What is it?", "en"), pressed("bad"))
    assert titles(answer["value"]) == ["Send", "Back to the answer"]
    assert "What is it?" in texts(answer["value"])
