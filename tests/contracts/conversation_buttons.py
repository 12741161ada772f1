"""Contract suite of the buttons of an answer: inherit :class:`ButtonTranscripts`. Fixture: ``chat``."""

from __future__ import annotations

import pytest

from tests.contracts.conversation import HOTEL, NOT_FOUND, ask_about_hotels
from tests.contracts.transcript import Chat, Thread

GYM = "Does the company pay for a gym membership?"
HEADING = "What this answer rests on"


class ButtonTranscripts:
    """Explain, Sources, "Not what I meant", feedback, and "not found"."""

    def test_explain_shows_shares_and_sources_only_to_the_person_who_clicks(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Explain")
        explanation = chat.sees_alone("Ben", HEADING, "100", "Travel and expenses policy 2026", "Only you see this")
        assert explanation.says("Without the first sources")
        assert any("/2097217/" in address for _, address in explanation.links)
        assert chat.world.private(chat.user("Ada")) is None
        thread.bot_is_silent()

    def test_an_explanation_begins_with_its_verdict(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Explain")
        words = " ".join(chat.sees_alone("Ben", HEADING).text.split())
        assert 0 <= words.find("This answer rests on “Travel") < words.find(HEADING), words

    def test_in_direct_messages_an_explanation_is_simply_shown(self, chat: Chat) -> None:
        thread = chat.writes("Ada", HOTEL)
        answer = thread.bot_says("€165")
        chat.settles()
        thread.clicks("Ada", "Explain", answer)
        assert not thread.bot_says(HEADING, "100", without=("Only you see this",)).buttons
        chat.settles()
        thread.clicks("Ada", "Explain", answer)
        chat.told("Ada", "This answer has already been explained")
        thread.bot_is_silent()

    def test_an_explanation_is_shared_once_by_however_many(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        for name in ("Ada", "Ben"):
            thread.clicks(name, "Explain", thread.bots[0])
            chat.sees_alone(name, HEADING)
        chat.shares("Ada")
        chat.shares("Ben")
        explanation = thread.bot_says(HEADING, "100", without=("Only you see this",))
        assert any("/2097217/" in address for _, address in explanation.links)
        assert not explanation.buttons
        thread.bot_is_silent()

    def test_sharing_again_links_to_the_shared_explanation(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        for name in ("Ada", "Ben"):
            thread.clicks(name, "Explain", thread.bots[0])
            chat.sees_alone(name, HEADING)
        chat.shares("Ada")
        thread.bot_says(HEADING)
        chat.settles()
        chat.shares("Ben")
        assert chat.told("Ben", "This answer has already been explained:", "the explanation").links
        thread.bot_is_silent()

    def test_explain_clicked_again_shows_it_again(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        for _ in range(2):
            thread.clicks("Ada", "Explain", thread.bots[0])
            chat.settles()
            chat.sees_alone("Ada", HEADING)
        thread.bot_is_silent()

    def test_an_explanation_that_failed_can_be_asked_for_again(
        self, chat: Chat, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        thread = ask_about_hotels(chat)
        answer = thread.bots[0]
        with monkeypatch.context() as broken:
            broken.setattr("bot.chat.explain_workflow.make_explainer", None)
            thread.clicks("Ada", "Explain")
            chat.sees_alone("Ada", "could not be explained", "click Explain again")
            chat.settles()
        thread.clicks("Ada", "Explain", answer)
        chat.sees_alone("Ada", HEADING)
        thread.bot_is_silent()

    def test_sources_shows_what_was_found_ranked(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Sources")
        window = chat.sees_window("Ben", "Sources", "cited as [1]", "Hotel per night: €165", "updated on")
        assert any("/2097217/" in address for _, address in window.links)
        assert chat.world.window(chat.user("Ada")) is None

    def test_a_completed_question_can_be_corrected(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.says("Ben", "And in Germany?")
        thread.bot_says("Understood as:", "Germany", "€150")
        thread.clicks("Ada", "Not what I meant")
        chat.sees_window("Ada", "What did you mean?", "hotel limit per night in Germany")
        chat.world.submit(chat.user("Ada"), "How many vacation days does a full-time Dutch contract have?")
        thread.bot_says(
            "27 days", "How many vacation days does a full-time Dutch contract have?", without=("Understood",)
        )
        thread.bot_is_silent()

    def test_the_same_correction_in_a_form_that_is_opened_again_is_asked_again(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.says("Ben", "And in Germany?")
        understood = thread.bot_says("€150")
        for _ in range(2):
            chat.settles()
            thread.clicks("Ada", "Not what I meant", understood)
            chat.sees_window("Ada", "What did you mean?")
            chat.world.submit(chat.user("Ada"), "How many vacation days does a full-time Dutch contract have?")
            thread.bot_says("27 days")
        thread.bot_is_silent()

    def test_a_correction_without_words_asks_nothing(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.says("Ben", "And in Germany?")
        thread.bot_says("€150")
        thread.clicks("Ben", "Not what I meant")
        chat.sees_window("Ben", "What did you mean?")
        chat.world.submit(chat.user("Ben"), " ?! ")
        thread.bot_is_silent()
        chat.sees_window("Ben", "What did you mean?")

    def test_positive_feedback_is_stored(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Helpful")
        chat.told("Ben", "Thank you")
        assert [(one.reaction, one.reason) for one in _feedback(chat, thread)] == [("good", "")]

    def test_negative_feedback_is_stored_and_asks_for_a_reason(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Not helpful")
        chat.sees_window("Ben", "What was wrong?", HOTEL)
        assert [(one.reaction, one.reason) for one in _feedback(chat, thread)] == [("bad", "")]
        chat.world.submit(chat.user("Ben"), "It is the wrong year.")
        chat.told("Ben", "Your comment was saved")
        assert [(one.reaction, one.reason) for one in _feedback(chat, thread)] == [("bad", "It is the wrong year.")]

    def test_the_last_feedback_of_a_person_counts(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        thread.clicks("Ben", "Helpful")
        chat.told("Ben", "Thank you")
        thread.clicks("Ada", "Helpful")
        chat.told("Ada", "Thank you")
        thread.clicks("Ben", "Not helpful")
        chat.sees_window("Ben", "What was wrong?")
        assert sorted(one.reaction for one in _feedback(chat, thread)) == ["bad", "good"]

    def test_what_is_not_found_shows_no_sources_but_the_closest_pages_and_who_can_help(self, chat: Chat) -> None:
        chat.configures(contact="Femke in #people-help")
        thread = chat.asks("Ada", GYM)
        answer = thread.bot_says(NOT_FOUND, "These pages come closest:", "Who can help:", "Femke in #people-help")
        assert "[1]" not in answer.text
        assert 1 <= len(answer.links) <= 3
        assert {*answer.buttons} == {"Helpful", "Not helpful"}

    def test_a_forged_turn_id_finds_nothing(self, chat: Chat) -> None:
        thread, other = ask_about_hotels(chat), chat.asks("Ben", GYM)
        other.bot_says(NOT_FOUND)
        chat.settles()
        for turn_id in ("0123456789abcdef", "", chat.turns(other)[0].turn_id):
            for label in ("Explain", "Sources"):
                before = len(chat.world.alone(chat.user("Ada")))
                chat.world.forge(chat.user("Ada"), chat.channel, thread.bots[0].message_id, label, turn_id)
                chat.told("Ada", "no longer available", after=before)
        thread.bot_is_silent()
        other.bot_is_silent()


def _feedback(chat: Chat, thread: Thread) -> list[object]:
    chat.settles()
    (turn,) = chat.turns(thread)[:1]
    return [one for one in chat.bot.run(chat.bot.application.feedback.load_all()) if one.turn_id == turn.turn_id]
