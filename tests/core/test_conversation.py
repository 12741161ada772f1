"""One question in a conversation: tidied, answered, and everything about it kept."""

from dataclasses import replace

import pytest

from bot.wiring import Application
from core.answering.answerer import Listeners
from core.conversation import MAX_QUESTION_CHARS, QuestionToAnswer, check_question
from core.errors import QuestionRejected
from core.history import hide_words
from core.model import HistoryMessage, Question, Scope
from core.trace import Tracer


@pytest.mark.parametrize("empty", ["", "   ", "\n\t", "\x00", "?!", "🔔", "…"])
def test_a_question_without_a_word_is_rejected_with_an_example(empty: str) -> None:
    with pytest.raises(QuestionRejected, match="for example: Who approves travel"):
        check_question(empty)


def test_a_question_of_100_000_characters_is_rejected_with_the_limit() -> None:
    with pytest.raises(QuestionRejected, match=r"100,000 characters; at most 4,000"):
        check_question("x" * 100_000)


def test_the_longest_question_passes() -> None:
    assert check_question("x" * MAX_QUESTION_CHARS) == "x" * MAX_QUESTION_CHARS


@pytest.mark.parametrize(
    ("asked", "tidied"),
    [
        ("  Who\n leads \t it? ", "Who leads it?"),
        ("Who\x00leads?", "Who leads?"),
        ("Who \ud800leads?", "Who leads?"),
        ("מי מנהל? 🔔", "מי מנהל? 🔔"),
        ("\ufeffWho leads the Glocken\u00adstuhl\u200b \u200b crew?", "Who leads the Glockenstuhl crew?"),
    ],
)
def test_a_question_is_tidied(asked: str, tidied: str) -> None:
    assert check_question(asked) == tidied


async def test_a_turn_keeps_everything_that_the_answer_came_from(sample_wiki: Application) -> None:
    history = [HistoryMessage("user", "When is the Belfry weekly?")]
    scope = Scope(frozenset({"ENG", "PEO"}))
    ask = QuestionToAnswer("t9", "c9", "2026-10-01T09:00:00Z", " What is a\nstrike train? ", history, scope)
    turn = await sample_wiki.make_assistant().answer_question(ask)
    assert (turn.turn_id, turn.conversation_id, turn.asked_at) == ("t9", "c9", "2026-10-01T09:00:00Z")
    assert turn.question.as_asked == "What is a strike train?"
    assert turn.scope == scope
    assert turn.evidences
    assert turn.configuration["answerer"] == "extractive"
    assert turn.configuration["embedder"] == sample_wiki.embedder.name


async def test_each_question_of_a_message_is_answered_as_explain_answers_it_again(
    sample_wiki: Application,
) -> None:
    asked = "Who approves a hotel above the limit? And what is the limit per night in Belgium in 2026?"
    assistant = sample_wiki.make_assistant()
    turn = await assistant.answer_question(QuestionToAnswer("t", "c", "", asked))
    approval, limit = turn.answer.text.split("\n\n")
    assert "Femke Oosterlaak" in approval
    assert "€155" in limit
    again = await assistant.answerer.answer(turn.question.intent_explicit, turn.evidences, Tracer(lambda: 0.0))
    assert again == turn.answer
    assert [each.rank for each in turn.evidences] == list(range(1, len(turn.evidences) + 1))


async def test_a_further_question_that_does_not_stand_alone_follows_the_one_before(sample_wiki: Application) -> None:
    asked = "Who repairs the Rook 4 and how do I phone them"
    turn = await sample_wiki.make_assistant().answer_question(QuestionToAnswer("t", "c", "", asked))
    assert turn.question.intent_explicit.startswith("Who repairs the Rook 4?\nhow do I phone them? (")
    assert "Rook 4" in turn.question.intent_explicit.split("\n")[1]


async def test_a_further_question_is_about_what_the_one_before_names(sample_wiki: Application) -> None:
    asked = "what does the Rook 4 cost and how long is its warranty"
    turn = await sample_wiki.make_assistant().answer_question(QuestionToAnswer("t", "c", "", asked))
    assert turn.question.intent_explicit == "what does the Rook 4 cost?\nhow long is the Rook 4’s warranty?"
    assert "€2,450" in turn.answer.text
    assert "5 years" in turn.answer.text


async def test_a_follow_up_is_about_the_last_question_of_a_message(sample_wiki: Application) -> None:
    history = [
        HistoryMessage("user", "Who approves hotels? What is the hotel limit per night in Belgium in 2026?"),
        HistoryMessage("assistant", "€155", subject="Travel and expenses policy 2026"),
    ]
    turn = await sample_wiki.make_assistant().answer_question(
        QuestionToAnswer("t", "c", "", "And in Germany?", history)
    )
    assert turn.question.intent_explicit.startswith("What is the hotel limit per night in Germany in 2026?")


async def test_a_turn_has_the_time_of_every_stage_each_within_the_total(sample_wiki: Application) -> None:
    ask = QuestionToAnswer("t", "c", "", "What is a strike train?")
    timings = dict((await sample_wiki.make_assistant().answer_question(ask)).timings_ms)
    stages = {"complete", "embed", "lexical", "dense", "fuse", "match", "rerank", "read", "answer"}
    assert set(timings) == {*stages, "total"}
    assert max(timings, key=lambda stage: timings[stage]) == "total"
    assert timings["complete"] + timings["answer"] <= timings["total"]


async def test_a_rejected_question_leaves_no_turn(sample_wiki: Application) -> None:
    with pytest.raises(QuestionRejected):
        await sample_wiki.make_assistant().answer_question(QuestionToAnswer("t", "c", "", " "))


@pytest.mark.parametrize("question", ["'; DROP TABLE pages; --", 'NEAR("a" b) OR *', "ring-strasse AND (", "x" * 4000])
async def test_a_question_in_another_syntax_is_a_question(sample_wiki: Application, question: str) -> None:
    turn = await sample_wiki.make_assistant().answer_question(QuestionToAnswer("t", "c", "", question))
    assert turn.answer.text


class _NamesAPage:
    """Completes with the title of a page that it has looked up."""

    name = "test"

    def __init__(self, title: str, page_id: str) -> None:
        self.title, self.page_id = title, page_id

    async def complete(self, question: str, history: object, scope: Scope, tracer: Tracer) -> Question:
        tracer.record_proposed_completion(f"{question} ({self.title})")
        return Question(question, f"{question} ({self.title})", found_page=self.page_id)


async def test_a_title_that_completion_looked_up_stays_only_where_the_page_is_a_source(
    sample_wiki: Application,
) -> None:
    assistant = sample_wiki.make_assistant()
    whole = await assistant.answer_question(QuestionToAnswer("t1", "c", "", "Who approves travel expenses?"))
    source = whole.evidences[0].evidence
    title = source.context.title
    found = replace(assistant, completer=_NamesAPage(title, source.page_id))
    gone = replace(assistant, completer=_NamesAPage("Secret plans", "of a page that was moved"))
    kept, dropped = [
        await each.answer_question(QuestionToAnswer("t", "c", "", "Who approves it?")) for each in (found, gone)
    ]
    assert title in kept.question.intent_explicit
    assert source.page_id in {ranked.evidence.page_id for ranked in kept.evidences}
    assert dropped.question.intent_explicit == "Who approves it?"
    assert "Secret" not in repr(dropped)
    assert (kept.question.provenance.page_ids, dropped.question.provenance.page_ids) == ({source.page_id}, frozenset())
    assert title not in hide_words(kept, ()).question.intent_explicit


async def test_a_completed_question_without_an_answer_is_asked_again_as_it_was_typed(sample_wiki: Application) -> None:
    assistant = replace(sample_wiki.make_assistant(), completer=_NamesAPage("Zebra stripes of quantum lattices", ""))
    heard: list[int] = []
    ask = QuestionToAnswer("t", "c", "", "What does a lost key cost in Berlin?")
    turn = await assistant.answer_question(ask, Listeners(on_evidences=lambda found: heard.append(len(found))))
    assert (turn.answer.answered, turn.trace.closest) == (True, ())
    assert not turn.question.completed
    assert len(heard) == 2
    back = await assistant.answer_question(QuestionToAnswer("t", "c", "", "And what does it cost there in Berlin?"))
    assert back.question.completed
    assert not back.answer.answered


async def test_thanks_are_no_part_of_the_question_that_is_answered(sample_wiki: Application) -> None:
    history = [
        HistoryMessage("user", "What is the hotel limit per night in Belgium in 2026?"),
        HistoryMessage("assistant", "€155", subject="Travel and expenses policy 2026"),
    ]
    ask = QuestionToAnswer("t", "c", "", "Thanks! And in Germany?", history)
    turn = await sample_wiki.make_assistant().answer_question(ask)
    assert turn.question.as_asked == "Thanks! And in Germany?"
    assert turn.question.intent_explicit.startswith("What is the hotel limit per night in Germany in 2026?")


async def test_a_message_of_several_questions_is_asked_again_as_it_was_typed(sample_wiki: Application) -> None:
    assistant = replace(sample_wiki.make_assistant(), completer=_NamesAPage("Zebra stripes of quantum lattices", ""))
    asked = "What does a lost key cost in Berlin? Who feeds the office cat on weekends?"
    turn = await assistant.answer_question(QuestionToAnswer("t", "c", "", asked))
    assert turn.answer.answered
    assert turn.question.intent_explicit == asked.replace("? ", "?\n")


async def test_a_whole_question_that_only_continues_is_asked_again_as_it_was_typed(sample_wiki: Application) -> None:
    assistant = replace(sample_wiki.make_assistant(), completer=_NamesAPage("Zebra stripes of quantum lattices", ""))
    whole, phrase = [
        await assistant.answer_question(QuestionToAnswer("t", "c", "", question))
        for question in ("And what does a lost key cost in Berlin?", "And the lost key in Berlin?")
    ]
    assert (whole.answer.answered, whole.question.completed) == (True, False)
    assert phrase.question.completed


async def test_what_comes_closest_is_of_the_evidences_that_the_turn_keeps(sample_wiki: Application) -> None:
    assistant = replace(sample_wiki.make_assistant(), completer=_NamesAPage("Release checklist", ""))
    turn = await assistant.answer_question(QuestionToAnswer("t", "c", "", "Who feeds the office cat on weekends?"))
    assert (turn.question.completed, turn.answer.answered) == (True, False)
    ids = {ranked.evidence.evidence_id for ranked in turn.evidences}
    assert turn.trace.closest
    assert ids.issuperset(unit.evidence_id for unit in turn.trace.closest)
