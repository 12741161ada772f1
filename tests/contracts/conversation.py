"""Contract suite of conversations on every chat platform: inherit :class:`ChatTranscripts`.

Fixture: ``chat``, a :class:`Chat` with a bot without a language model.
"""

from __future__ import annotations

import pytest

from tests.contracts.chat_world import Shown
from tests.contracts.transcript import Chat, Thread

HOTEL = "What is the hotel limit per night in the Netherlands in 2026?"
NOT_FOUND = "I could not find that in the wiki."


IN_GERMANY = HOTEL.replace("Netherlands", "Germany")


def only_answer(chat: Chat, thread: Thread, says: str) -> Shown:
    """Return our only message in a thread, once it says this."""

    def found() -> Shown | None:
        return thread.bots[0] if [says in message.text for message in thread.bots] == [True] else None

    return chat.awaited(found, lambda: f"WikiWhy was to say {says} alone; the thread is:\n{thread.written()}")


def ask_about_hotels(chat: Chat) -> Thread:
    """The thread of an answered question, once the bot has nothing to do."""
    thread = chat.asks("Ada", HOTEL)
    thread.bot_says("€165", "[1]")
    chat.settles()
    return thread


class ChatTranscripts:
    """Answers, follow-ups, edits and deletions, and when the bot stays silent."""

    def test_a_question_is_answered_in_its_thread_with_a_source_that_leads_to_page_and_heading(
        self, chat: Chat
    ) -> None:
        thread = chat.asks("Ada", HOTEL)
        answer = thread.bot_says("€165", "Travel and expenses policy 2026 › Limits by country in 2026")
        assert any("/2097217/" in address and "#Limits-by-country" in address for _, address in answer.links)
        assert {"Explain", "Sources", "Helpful", "Not helpful"} == {*answer.buttons}
        thread.bot_is_silent()

    def test_messages_between_people_are_ignored(self, chat: Chat) -> None:
        thread = chat.begins("Ada", HOTEL)
        thread.says("Ben", "What is it in Germany?")
        thread.bot_is_silent()

    def test_a_direct_message_needs_no_mention(self, chat: Chat) -> None:
        thread = chat.writes("Ada", HOTEL)
        thread.bot_says("€165")
        thread.says("Ada", "And in Germany?")
        thread.bot_says("Understood as:", "Germany", "€150")

    def test_a_direct_message_outside_of_the_thread_continues_the_conversation(self, chat: Chat) -> None:
        chat.writes("Ada", HOTEL).bot_says("€165")
        chat.settles()
        chat.writes("Ada", "And in Germany?").bot_says("Understood as:", "Germany", "€150")

    def test_a_direct_message_that_refers_to_nothing_begins_anew(self, chat: Chat) -> None:
        chat.writes("Ada", HOTEL).bot_says("€165")
        chat.settles()
        chat.writes("Ada", "How many vacation days does a full-time Dutch contract have?").bot_says(
            "27 days", without=("Understood as:",)
        )

    @pytest.mark.parametrize(
        ("thanks", "word"), [("Thanks!", "You're welcome."), ("Vielen Dank für die Hilfe!", "Gern geschehen.")]
    )
    def test_thanks_in_a_direct_message_get_a_short_reply(self, chat: Chat, thanks: str, word: str) -> None:
        thread = chat.writes("Ada", HOTEL)
        thread.bot_says("€165")
        chat.settles()
        thread.says("Ada", thanks)
        thread.bot_says(word)
        chat.settles()
        chat.writes("Ada", thanks).bot_says(word)

    def test_thanks_with_a_mention_get_a_short_reply(self, chat: Chat) -> None:
        chat.asks("Ada", "danke dir!").bot_says("Gern geschehen.")

    @pytest.mark.parametrize("reaction", ["ok", "👍"])
    def test_reactions_in_a_direct_message_are_not_answered(self, chat: Chat, reaction: str) -> None:
        chat.writes("Ada", HOTEL).bot_says("€165")
        chat.settles()
        chat.writes("Ada", reaction).bot_is_silent()

    def test_a_reaction_to_nothing_gets_the_help(self, chat: Chat) -> None:
        chat.writes("Ada", "👍").bot_says("How to ask")

    @pytest.mark.parametrize(
        "around", ["Hi WikiWhy, {} Thanks in advance! 🙏", "Guten Morgen zusammen! {} Viele Grüße, Ada", "*{}*"]
    )
    def test_greetings_and_regards_are_not_searched(self, chat: Chat, around: str) -> None:
        chat.asks("Ada", around.format(HOTEL)).bot_says(
            "Netherlands, Hotel per night: €165", without=("Understood as",)
        )

    def test_a_greeted_follow_up_outside_of_the_thread_follows(self, chat: Chat) -> None:
        chat.writes("Ada", HOTEL).bot_says("€165")
        chat.settles()
        chat.writes("Ada", "Hi! And in Germany?").bot_says("Understood as:", "Germany", "€150")

    def test_the_answer_is_in_the_questions_language(self, chat: Chat) -> None:
        thread = chat.asks("Ada", "Wo bekomme ich einen Schlüssel für das Berliner Büro?")
        assert {"Erklären", "Quellen"} & {*thread.bot_says("[1]").buttons}

    def test_a_follow_up_needs_no_mention_whoever_asks_it(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165", without=("Understood as:",))
        thread.says("Ben", "And in Germany?")
        thread.bot_says("Understood as:", "Germany", "€150")

    def test_a_question_in_a_thread_of_people_uses_their_messages(self, chat: Chat) -> None:
        thread = chat.begins("Ada", HOTEL)
        thread.says("Ben", "No idea.")
        thread.calls("Ben", "And in Germany?")
        thread.bot_says("Understood as:", "Germany", "€150")

    @pytest.mark.parametrize(
        "remark",
        ["Thanks!", "Danke, das hilft.", "I have booked it now.", "ok", ":+1:", "👍", "that is more than last year"],
    )
    def test_remarks_are_not_answered(self, chat: Chat, remark: str) -> None:
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        thread.says("Ben", remark)
        thread.bot_is_silent()

    def test_people_who_speak_to_each_other_are_not_interrupted(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        thread.says("Ada", "do you know who pays?", to=chat.user("Ben"))
        for name, text in (("Ben", "You do, I think."), ("Ada", "Since when?"), ("Ben", "Since 2024, was it not?")):
            thread.bot_is_silent()
            thread.says(name, text)
        thread.bot_is_silent()
        thread.calls("Ada", "And in Germany?")
        thread.bot_says("€150")

    def test_thanks_from_somebody_do_not_end_the_conversation(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        thread.says("Ben", "Thanks!")
        thread.says("Ada", "And in Germany?")
        thread.bot_says("€150")

    def test_a_channel_can_require_mentions(self, chat: Chat) -> None:
        chat.configures(follow_ups="mention")
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        thread.says("Ben", "And in Germany?")
        thread.bot_is_silent()
        thread.calls("Ben", "And in Germany?")
        thread.bot_says("Understood as:", "€150")
        chat.asks("Ada", "").bot_says("How to ask", "mention me again")

    @pytest.mark.parametrize("text", ["", "   ", "?!", "hi", "who are you?"])
    def test_a_mention_without_a_question_is_told_how_to_ask(self, chat: Chat, text: str) -> None:
        chat.asks("Ada", text).bot_says("How to ask", "@WikiWhy", "BER, ENG", "PEO")

    @pytest.mark.parametrize(
        ("text", "locale", "heading"),
        [
            ("hallo", "en-GB", "So fragen Sie"), ("Hilfe!", "en-GB", "So fragen Sie"),
            ("Wer bist du?", "en-GB", "So fragen Sie"), ("Hello!", "de-DE", "How to ask"),
            ("What can you do?", "de-DE", "How to ask"),
            *((sign, "de-DE", "So fragen Sie") for sign in ("Hi", "help", "👍", "?!")),
            *((sign, "en-GB", "How to ask") for sign in ("Hi", "help", "👍", "?!")),
        ],
    )  # fmt: skip
    def test_help_is_in_the_language_of_the_words_or_else_of_the_client(
        self, chat: Chat, text: str, locale: str, heading: str
    ) -> None:
        chat.user("Uwe", locale=locale)
        chat.writes("Uwe", text).bot_says(heading)

    def test_words_of_no_language_are_answered_in_the_clients_language(self, chat: Chat) -> None:
        chat.user("Uwe", locale="de-DE")
        for text in ("Femke Oosterlaak?", "Hotel?"):
            assert {"Erklären", "Quellen"} & {*chat.writes("Uwe", text).bot_says("[1]").buttons}
            assert {"Explain", "Sources"} & {*chat.writes("Ada", text).bot_says("[1]").buttons}
            chat.settles()

    def test_a_file_without_words_is_told_how_to_ask_and_one_with_words_is_a_question(self, chat: Chat) -> None:
        chat.asks("Ada", "", files=True).bot_says("How to ask", "I do not read files that are attached")
        chat.asks("Ada", HOTEL, files=True).bot_says("€165")

    def test_a_question_of_4000_characters_is_answered_and_a_longer_one_is_told_so(self, chat: Chat) -> None:
        longest = HOTEL + " " + "please " * 900
        longest = longest[:3_999].rstrip().ljust(3_999, "x") + "?"
        thread = chat.asks("Ada", longest)
        chat.settles()
        assert chat.turns(thread)[0].question.as_asked == longest
        thread = chat.asks("Ada", "x" + longest)
        thread.bot_says("4,001 characters", "4,000")
        assert not chat.turns(thread)

    def test_mentions_are_replaced_by_names(self, chat: Chat) -> None:
        thread = chat.asks("Ada", "is on call tonight, or is he not?", to=chat.user("Ben"))
        chat.settles()
        assert "ben" in chat.turns(thread)[0].question.as_asked

    # what does not count, or counts once

    def test_a_repeated_event_is_answered_once(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL, times=3)
        thread.bot_says("€165")
        thread.calls("Ben", "And in Germany?", times=3)
        thread.bot_says("€150")
        thread.bot_is_silent()
        assert len(chat.turns(thread)) == 2

    def test_bots_are_not_answered(self, chat: Chat) -> None:
        chat.user("Robot", robot=True)
        chat.asks("Robot", HOTEL).bot_is_silent()
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        thread.calls("Robot", "And in Germany?")
        thread.bot_is_silent()

    # a question that is edited or deleted

    def test_the_answer_to_an_edited_question_takes_the_place_of_the_one_before(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        chat.world.edit(chat.channel, thread.root, IN_GERMANY)
        assert only_answer(chat, thread, "€150").buttons
        chat.settles()
        assert [turn.question.as_asked for turn in chat.turns(thread)] == [IN_GERMANY]

    def test_the_answer_to_an_edited_question_is_explained_and_followed_up(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        chat.world.edit(chat.channel, thread.root, IN_GERMANY)
        chat.settles()
        thread.clicks("Ben", "Explain", only_answer(chat, thread, "€150"))
        chat.sees_alone("Ben", "rests")
        thread.says("Ben", "And in the Netherlands?")
        thread.bot_says("Understood as:", "€165")

    def test_an_edited_question_takes_its_explanation_along(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        answer = thread.bot_says("€165")
        chat.settles()
        chat.world.click(chat.user("Ada"), chat.channel, answer.message_id, "Explain")
        chat.settles()
        chat.shares("Ada")
        chat.settles()
        assert len(thread.bots) == 2
        chat.world.edit(chat.channel, thread.root, IN_GERMANY)
        only_answer(chat, thread, "€150")

    def test_an_edited_question_that_is_too_long_is_told_its_whole_length(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        chat.world.edit(chat.channel, thread.root, "x" * 12_011 + "?")
        only_answer(chat, thread, "12,012 characters")

    @pytest.mark.parametrize(
        ("text", "reply"), [("Thanks!", "You're welcome."), ("Hello", "How to ask"), ("ok", "How to ask")]
    )
    def test_a_question_that_is_edited_into_no_question_is_not_searched(
        self, chat: Chat, text: str, reply: str
    ) -> None:
        thread = ask_about_hotels(chat)
        chat.world.edit(chat.channel, thread.root, text)
        only_answer(chat, thread, reply)
        chat.settles()
        assert not chat.turns(thread)

    def test_of_ten_edits_in_a_moment_the_last_is_answered(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        chat.awaited(chat.world.told, lambda: "the bot was to accept the question")
        for country in (*["Austria", "France", "Spain"] * 3, "Germany"):
            chat.world.edit(chat.channel, thread.root, HOTEL.replace("Netherlands", country))
        only_answer(chat, thread, "€150")
        chat.settles()
        assert [turn.question.as_asked for turn in chat.turns(thread)] == [IN_GERMANY]

    def test_a_direct_question_that_is_edited_at_once_has_one_answer(self, chat: Chat) -> None:
        thread = chat.writes("Ada", HOTEL)
        chat.awaited(chat.world.told, lambda: "the bot was to accept the question")
        chat.world.edit(thread.channel, thread.root, IN_GERMANY)
        only_answer(chat, thread, "€150")
        chat.settles()
        only_answer(chat, thread, "€150")

    def test_a_direct_follow_up_outside_of_the_thread_still_follows_when_it_is_edited(self, chat: Chat) -> None:
        chat.writes("Ada", HOTEL).bot_says("€165")
        chat.settles()
        thread = chat.writes("Ada", "And in Spain?")
        thread.bot_says("")
        chat.settles()
        chat.world.edit(thread.channel, thread.root, "And in Germany?")
        chat.settles()
        assert any(message.says("Understood as:", "€150") for message in thread.bots), thread.written()

    def test_an_edited_question_without_words_is_told_how_to_ask(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        for text in ("?", "What can you do?"):
            chat.world.edit(chat.channel, thread.root, text)
            only_answer(chat, thread, "How to ask")
            chat.settles()

    def test_the_answer_to_a_deleted_question_is_removed_and_no_part_of_the_conversation(self, chat: Chat) -> None:
        thread = ask_about_hotels(chat)
        chat.world.delete(chat.channel, thread.root)
        chat.awaited(lambda: not thread.bots, thread.written)
        chat.settles()
        assert not chat.turns(thread)

    def test_a_question_that_is_deleted_before_it_is_answered_gets_no_answer(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        chat.awaited(chat.world.told, lambda: "the bot was to accept the question")
        chat.world.delete(chat.channel, thread.root)
        chat.settles()
        chat.awaited(lambda: not thread.bots, thread.written)

    def test_an_edited_remark_is_not_answered(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        said = thread.says("Ben", "Thanks!")
        chat.settles()
        chat.world.edit(chat.channel, said, IN_GERMANY)
        thread.bot_is_silent()

    def test_follow_ups_use_the_edited_text(self, chat: Chat) -> None:
        thread = chat.asks("Ada", "?")
        thread.bot_says("How to ask")
        said = thread.says("Ben", "how many towers rang in the night of 29 March 2026?", to=chat.user("Ada"))
        chat.settles()
        chat.world.edit(chat.channel, said, HOTEL)
        chat.settles()
        thread.calls("Ben", "And in Germany?")
        thread.bot_says("Understood as:", "€150")

    def test_follow_ups_do_not_use_deleted_messages(self, chat: Chat) -> None:
        thread = chat.asks("Ada", "?")
        thread.bot_says("How to ask")
        said = thread.says("Ben", "I mean the hotel limit per night in the Netherlands in 2026.")
        chat.settles()
        chat.world.delete(chat.channel, said)
        chat.settles()
        thread.calls("Ben", "And in Germany?")
        thread.bot_says("Germany", without=("hotel limit",))

    def test_a_thread_whose_first_message_was_deleted_goes_on(self, chat: Chat) -> None:
        thread = chat.asks("Ada", HOTEL)
        thread.bot_says("€165")
        chat.world.delete(chat.channel, thread.root)
        thread.calls("Ben", "What is the hotel limit per night in Germany in 2026?")
        thread.bot_says("€150")

    def test_the_first_message_of_a_thread_is_forgotten_when_it_is_deleted(self, chat: Chat) -> None:
        thread = chat.begins("Ada", "The hotel limit per night in the Netherlands in 2026 matters here.")
        thread.calls("Ben", "hello there?")
        thread.bot_says("")
        chat.world.delete(chat.channel, thread.root)
        chat.settles()
        assert "matters" not in str(self.heard(chat, thread))

    def heard(self, chat: Chat, thread: object) -> list[object]:
        """Return the stored messages of people."""
        conversation = chat.world.place(thread.channel, thread.root).conversation_id  # type: ignore[attr-defined]
        return [*chat.bot.run(chat.bot.application.threads.load_messages(conversation))]
