"""Notices in place of an answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import get_args

import pytest

from adapters.slack.platform import SlackPlatform
from bot.wiring import Application
from core import errors
from core.chat.requests import AnswerOutcome, parse_reason
from core.model.reasons import ErrorReason, NoticeReason, ReasonWithSentence
from core.ports.chat import Click, Place
from core.ports.chat_stores import Post
from core.views.notices import choose_notice, choose_reason
from tests.bot.chat.answered import answer_question
from tests.bot.chat.chatting import chatting
from tests.contracts.examples import indexed_page
from tests.servers.slack import SlackWorld

REASONS = get_args(ReasonWithSentence)
KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.WikiWhyError)]


def test_each_reason_has_its_own_text_in_both_languages() -> None:
    said = {choose_notice(why, language, 5000).text for why in REASONS for language in ("en", "de")}  # type: ignore[arg-type]
    assert len(said) == 2 * len(REASONS)


def test_a_stored_reason_is_read_unchanged_and_one_of_a_later_version_as_a_failure() -> None:
    assert [parse_reason(name) for name in ("", *get_args(NoticeReason))] == ["", *get_args(NoticeReason)]
    assert parse_reason("something new") == "failed"
    assert AnswerOutcome.from_json({"notice": "something new"}).notice == "failed"


def test_problems_and_refusals_look_different() -> None:
    problems = {why for why in REASONS if choose_notice(why, "en").kind == "problem"}
    assert problems == {*get_args(ErrorReason)}


def test_a_too_long_question_is_told_its_length_and_the_limit() -> None:
    assert "5,000 characters; at most 4,000" in choose_notice("too_long", "en", 5000).text
    assert "5.000 Zeichen; höchstens 4.000" in choose_notice("too_long", "de", 5000).text


@pytest.mark.parametrize("kind", KINDS)
def test_an_errors_own_text_is_never_shown(kind: type[errors.WikiWhyError]) -> None:
    notice = choose_notice(choose_reason(kind("http://llm.internal:8000 refuses sk-123")), "en")
    assert "internal" not in repr(notice)
    assert notice.kind == "problem"


def test_unavailable_and_rejecting_models_have_different_notices() -> None:
    assert choose_reason(errors.ModelUnavailable("x")) == "model_unavailable"
    assert choose_reason(errors.ModelRejected("x")) == "model_rejected"
    assert choose_reason(errors.IndexDamaged("x")) == "failed"


def test_limits_say_when_to_ask_again() -> None:
    assert choose_notice("limit_person", "en").text.endswith("Please ask again in 60 seconds.")
    assert choose_notice("limit_channel", "de").text.endswith("Bitte fragen Sie in 60 Sekunden noch einmal.")


async def test_an_unknown_click_is_answered_in_the_language_of_its_message_or_person(
    world: SlackWorld, application: Application, platform: SlackPlatform
) -> None:
    ada, ben = world.add_user("ada", locale="de-DE"), world.add_user("ben")
    place = Place("slack", world.team, world.add_channel("eng", members=[ada, ben]), "1.0")
    async with chatting(application, platform) as chat:
        for user, said, language in ((ada, None, "de"), (ben, None, "en"), (ben, "de", "de")):
            click = Click(place, "1.1", user, "1", "0123456789abcdef", said)  # type: ignore[arg-type]
            assert await chat.answers.load_sources(click) == choose_notice("unknown", language)  # type: ignore[arg-type]


async def test_a_click_before_the_messages_id_is_stored_waits_for_it(
    world: SlackWorld, application: Application, platform: SlackPlatform
) -> None:
    answered = await answer_question(world, application, platform, [indexed_page("1", ("Ann approves travel.",))])
    turn = replace(answered.turn, turn_id="fresh")
    await application.turns.add(turn)
    await application.posts.save(Post("ask:fresh", answered.place, "", "fresh"))
    click = replace(answered.click(), message_id="1.000009", turn_id="fresh")
    async with chatting(application, platform) as chat:
        clicked = asyncio.create_task(chat.answers.load_answer(click))
        await asyncio.sleep(0.02)
        assert not clicked.done()
        await application.posts.save(Post("ask:fresh", answered.place, "1.000009", "fresh", finished=True))
        assert await clicked != choose_notice("unknown", "en")
