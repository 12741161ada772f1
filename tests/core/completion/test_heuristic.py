"""Conversations as transcripts: which questions are completed, and with what."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.wiring import Application
from core.completion.back_references import refers_back
from core.completion.heuristic import HeuristicCompleter, add_subject
from core.completion.subject_change import changes_subject
from core.conversation import QuestionToAnswer
from core.model import HistoryMessage, Scope
from core.retrieval.retriever import RankedPage
from core.trace import Stopwatch, Tracer

ALL = Scope()
TRACER = Tracer(lambda: 0.0)
TRAVEL = "Travel and expenses policy 2026"


def said(*exchanges: tuple[str, str]) -> list[HistoryMessage]:
    """A history from our own turns: each question, and the title of the page that its answer was found on."""
    return [
        message
        for question, subject in exchanges
        for message in (
            HistoryMessage("user", question),
            HistoryMessage("assistant", "An answer. [1]", subject=subject),
        )
    ]


async def complete(
    application: Application, question: str, history: Sequence[HistoryMessage], scope: Scope = ALL
) -> str:
    completed = await application.completer.complete(question, history, scope, TRACER)
    assert completed.as_asked == question
    return completed.intent_explicit


HOTEL = ("What is the hotel limit per night in the Netherlands in 2026?", TRAVEL)
ALERTS = ("Which alerts have severity S1?", "Monitoring and alerts")


async def test_without_history_a_question_stays_as_it_is(sample_wiki: Application) -> None:
    assert await complete(sample_wiki, "And in Germany?", []) == "And in Germany?"


async def test_an_ellipsis_takes_the_subject_and_the_question_before(sample_wiki: Application) -> None:
    completed = await complete(sample_wiki, "And in Germany?", said(HOTEL))
    assert completed == f"What is the hotel limit per night in Germany in 2026? ({TRAVEL})"


async def test_after_a_refusal_an_ellipsis_does_not_take_the_title_of_the_closest_page(
    sample_wiki: Application,
) -> None:
    question, answer = said(HOTEL)
    refused = [question, replace(answer, subject="Sick leave", answered=False)]
    completed = await complete(sample_wiki, "And in Germany?", refused)
    assert completed == "What is the hotel limit per night in Germany in 2026?"


async def test_after_a_refusal_a_name_of_the_table_keeps_its_page(sample_wiki: Application) -> None:
    question, answer = said(("What does the Rook 6 cost?", CONTROLLERS))
    completed = await complete(sample_wiki, "and the Rook 5?", [question, replace(answer, answered=False)])
    assert completed == f"What does the Rook 5 cost? ({CONTROLLERS})"


@pytest.mark.parametrize("question", ["who is on call this week?", "Wer hat diese Woche Bereitschaft?"])
async def test_a_time_counted_from_now_refers_to_nothing_said_before(sample_wiki: Application, question: str) -> None:
    assert not refers_back(question)
    assert await complete(sample_wiki, question, said(HOTEL)) == question


async def test_an_ellipsis_with_a_code_of_another_page_does_not_take_the_subject(sample_wiki: Application) -> None:
    history = said(("Who decided ADR-099?", "Monitoring and alerts"))
    assert await complete(sample_wiki, "And ADR-014?", history) == "Who decided ADR-014?"


async def test_an_ellipsis_with_a_code_of_the_page_takes_the_subject_though_another_page_fits_better(
    sample_wiki: Application,
) -> None:
    assert (
        await complete(sample_wiki, "And S2?", said(ALERTS)) == "Which alerts have severity S2? (Monitoring and alerts)"
    )


async def test_an_ellipsis_that_replaces_nothing_takes_words_of_the_question_before(sample_wiki: Application) -> None:
    completed = await complete(sample_wiki, "And breakfast?", said(HOTEL))
    assert completed.startswith(f"And breakfast? ({TRAVEL}: hotel limit per night")


async def test_an_ellipsis_after_an_ellipsis_takes_the_question_before_both(sample_wiki: Application) -> None:
    history = said(*((question, CONTROLLERS) for question in ("What does the Rook 4 cost?", "And the Heron?")))
    assert await complete(sample_wiki, "And the Wren 2?", history) == f"What does the Wren 2 cost? ({CONTROLLERS})"


async def test_a_condition_is_replaced_by_the_next_one(sample_wiki: Application) -> None:
    asked = [HistoryMessage("user", "How many days of vacation do I get?"), HistoryMessage("user", "and in Germany?")]
    completed = await complete(sample_wiki, "and in the Netherlands?", asked)
    assert completed.startswith("How many days of vacation do I get in the Netherlands? (")
    completed = await complete(sample_wiki, "and in 2027?", asked)
    assert completed.startswith("How many days of vacation do I get in Germany in 2027? (")


async def test_an_ellipsis_in_another_language_stays_in_it_without_the_name_that_it_replaces(
    sample_wiki: Application,
) -> None:
    history = said(*((question, CONTROLLERS) for question in ("What does the Rook 4 cost?", "And the Heron?")))
    assert await complete(sample_wiki, "Und der Wren 2?", history) == f"Und der Wren 2? ({CONTROLLERS}: cost)"


async def test_a_follow_up_about_another_row_is_answered_from_it(sample_wiki: Application) -> None:
    """Although the page has a second table with a column of that name."""
    history = said(("What does the Rook 4 cost?", CONTROLLERS))
    ask = QuestionToAnswer("turn", "conversation", "2026-11-28T12:00:00Z", "And the Heron?", history)
    turn = await sample_wiki.make_assistant().answer_question(ask)
    assert "€9,800" in turn.answer.text
    assert "Strikes the hour" not in turn.answer.text


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("What warranty does the Heron have?", "How long does the battery of the Rook 4 last?"),
        ("Was kostet der Wren 2?", "And the Heron?"),
        ("Was kostet der Wren 2?", "Was kostet der Rook 4?"),
    ],
)
async def test_a_question_that_names_its_thing_gets_no_words_of_a_question_about_another(
    sample_wiki: Application, question: str, before: str
) -> None:
    assert await complete(sample_wiki, question, said((before, CONTROLLERS))) == f"{question} ({CONTROLLERS})"


async def test_a_question_that_only_continues_lets_go_if_it_names_a_thing_of_another_page(
    sample_wiki: Application,
) -> None:
    question = "What about the hotel limit per night in Belgium?"
    assert await complete(sample_wiki, question, said(ALERTS)) == question
    assert await complete(sample_wiki, "What about Belgium?", said(ALERTS)) != "What about Belgium?"


async def test_an_announced_subject_may_be_referred_to_in_its_question(sample_wiki: Application) -> None:
    question = "back to travel: what is the hotel limit there in Belgium"
    assert await complete(sample_wiki, question, said(ALERTS)) == question


async def test_a_question_without_content_words_is_a_follow_up_though_another_page_has_its_words(
    sample_wiki: Application,
) -> None:
    before = "Until when does the tower queue stay on the old broker?"
    page = [RankedPage("1", "Questions", "", 0.9), RankedPage("2", "Monitoring and alerts", "", 0.0)]
    for question in ("ab wann", "wie viele?", "until when?", "how long"):
        assert not changes_subject(question, "Monitoring and alerts", page)
    for question in ("until when?", "how long"):
        assert await complete(sample_wiki, question, said((before, "Monitoring and alerts"))) != question
    assert changes_subject("silence the bell", "Monitoring and alerts", page)


@pytest.mark.parametrize(
    ("before", "question", "carried"),
    [
        ("Since when does it have one?", "Where is it?", "battery Rook"),
        ("How old may it be?", "And where do I get it?", "old battery Rook"),
        ("How old may it be?", "Where do I order a spare one?", "old"),
        ("Who orders spare parts?", "Where is it?", "orders spare parts"),
    ],
)
async def test_a_pronoun_stands_for_what_the_pronoun_before_it_stands_for(
    sample_wiki: Application, before: str, question: str, carried: str
) -> None:
    history = said(("Has a battery the Rook?", CONTROLLERS), (before, CONTROLLERS))
    assert await complete(sample_wiki, question, history) == f"{question} ({CONTROLLERS}: {carried})"


def test_the_title_of_another_version_loses_its_number() -> None:
    before, title = "Which guests were used in the rc2 tests?", "Belfry 7 rc2 test matrix"
    assert add_subject("Did the rc1 tests fail?", before, title) == "Did the rc1 tests fail? (Belfry 7 test matrix)"
    assert add_subject("Did any tests fail?", before, title) == f"Did any tests fail? ({title}: guests)"


def test_a_question_of_up_to_four_content_words_takes_words_of_the_question_before() -> None:
    before, title = "How long is a release frozen?", "Deployment runbook Belfry"
    question = "On which weekday does the branch open again for everyone?"
    assert add_subject(question, before, title) == f"{question} ({title}: release frozen)"


@pytest.mark.parametrize(
    "question", ["Who approves it if the room costs more?", "Does it include breakfast?", "Why?", "And in December?"]
)
async def test_a_follow_up_keeps_the_subject(sample_wiki: Application, question: str) -> None:
    assert f"({TRAVEL}" in await complete(sample_wiki, question, said(HOTEL))


async def test_a_transcript_is_followed_to_the_right_cells(sample_wiki: Application) -> None:
    history: list[HistoryMessage] = []
    told = {
        "What is the hotel limit per night in the Netherlands in 2026?": "€165",
        "And in Germany?": "€150",
        "And in Belgium?": "€155",
    }
    for question, cell in told.items():
        completed = await complete(sample_wiki, question, history)
        evidences = await sample_wiki.retriever.retrieve(completed, ALL, Stopwatch(lambda: 0.0))
        assert f"Hotel per night is {cell}" in " ".join(ranked.evidence.text for ranked in evidences[:3])
        history += said((question, evidences[0].evidence.context.title))


@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("What does the error code E23 on the display of the tower mean?", said(HOTEL)),
        ("How do I roll back a Belfry deployment?", said(HOTEL)),
        ("How many days of vacation do I have with a Dutch contract?", said(ALERTS)),
        ("Wie hoch ist das Budget pro Person für die Weihnachtsfeier in Hamburg?", said(HOTEL)),
    ],
)
async def test_a_question_with_a_subject_of_its_own_lets_go(
    sample_wiki: Application, question: str, history: list[HistoryMessage]
) -> None:
    assert await complete(sample_wiki, question, history) == question


MQTT = ("Why MQTT?", "ADR 014: MQTT between tower and Belfry")
HOLIDAYS = ("Wie viele Urlaubstage habe ich?", "Urlaubsregelung Deutschland")


@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("hotel", said(MQTT)),
        ("hotel limit", said(MQTT)),
        ("who is on call", said(HOLIDAYS)),
        ("Does the company pay for a gym membership?", said(HOLIDAYS)),
        ("Wie lautet das WLAN-Passwort?", said(HOTEL)),
    ],
)
async def test_a_short_question_of_which_the_page_says_nothing_lets_go(
    sample_wiki: Application, question: str, history: list[HistoryMessage]
) -> None:
    assert await complete(sample_wiki, question, history) == question


@pytest.mark.parametrize(
    ("question", "history"),
    [("costs", said(MQTT)), ("since when", said(MQTT)), ("Umzug", said(HOLIDAYS)), ("flights", said(HOTEL))],
)
async def test_a_short_question_of_which_the_page_says_something_keeps_it(
    sample_wiki: Application, question: str, history: list[HistoryMessage]
) -> None:
    assert history[-1].subject in await complete(sample_wiki, question, history)


@pytest.mark.parametrize(
    "question",
    [
        "Back to the release checklist: what is ticked before the release?",
        "A different topic: how many requests per minute does the Town plan allow?",
        "Anderes Thema: Wann läuft der Geschirrspüler im Berliner Büro?",
    ],
)
async def test_an_announced_change_lets_go(sample_wiki: Application, question: str) -> None:
    assert await complete(sample_wiki, question, said(HOTEL)) == question


CONTROLLERS = "Tower controllers compared"
REPLACED = [
    ("hotel limit belgium 2026", "and germany", f"hotel limit germany 2026 ({TRAVEL})"),
    ("hotel limit germany 2026", "and 2024?", "hotel limit germany 2024 (Travel and expenses policy)"),
    ("hotel limit germany 2026", "und 2024?", "und 2024? (Travel and expenses policy: hotel limit germany)"),
    (
        "How many days of vacation in the Netherlands?",
        "And in Germany?",
        "How many days of vacation in Germany? (Vacation policy)",
    ),
    ("What does the Rook 4 cost?", "And the Heron?", f"What does the Heron cost? ({CONTROLLERS})"),
    ("Was kostet der Wren 2?", "Und der Rook 4?", f"Was kostet der Rook 4? ({CONTROLLERS})"),
    (
        "How long does the battery of the Wren 2 last?",
        "and of the Rook 4?",
        f"How long does the battery of the Rook 4 last? ({CONTROLLERS})",
    ),
    ("What warranty does the Heron have?", "and the Rook?", f"What warranty does the Rook have? ({CONTROLLERS})"),
    ("Wo liegt die Relaisplatine?", "Und das Mikrofon?", "Wo liegt das Mikrofon? (Werkstatt Hamburg)"),
]


@pytest.mark.parametrize(("before", "question", "completed"), REPLACED)
async def test_what_an_ellipsis_replaces_is_not_carried_on(
    sample_wiki: Application, before: str, question: str, completed: str
) -> None:
    assert await complete(sample_wiki, question, [HistoryMessage("user", before)]) == completed


async def test_a_whole_question_in_another_language_lets_go(sample_wiki: Application) -> None:
    history = [HistoryMessage("user", "How many vacation days do I get in the Netherlands?")]
    question = "Wie viele Urlaubstage habe ich?"
    assert await complete(sample_wiki, question, history) == question


async def test_after_a_change_the_new_subject_is_kept(sample_wiki: Application) -> None:
    completed = await complete(sample_wiki, "Who answers those?", said(HOTEL, ALERTS))
    assert "Monitoring and alerts" in completed
    assert TRAVEL not in completed


async def test_a_german_follow_up_is_completed(sample_wiki: Application) -> None:
    history = said(("Wie viele Urlaubstage habe ich in Deutschland?", "Urlaubsregelung Deutschland"))
    assert "Urlaubsregelung Deutschland" in await complete(sample_wiki, "Und wann verfallen sie?", history)


async def test_a_history_is_followed_though_its_subjects_are_not_known(sample_wiki: Application) -> None:
    asked = "What is the hotel limit per night in the Netherlands in 2026?"
    history = [HistoryMessage("user", asked), HistoryMessage("user", "And in Belgium?")]
    assert TRAVEL in await complete(sample_wiki, "And in Germany?", history)


async def test_a_history_of_answers_alone_is_no_history(sample_wiki: Application) -> None:
    history = [HistoryMessage("assistant", "Hello, ask me anything.", subject=TRAVEL)]
    assert await complete(sample_wiki, "And in Germany?", history) == "And in Germany?"


class _CountingRetriever:
    """The real retriever, noting the questions it was asked."""

    matcher = None

    def __init__(self, application: Application) -> None:
        self._retriever = application.retriever
        self.evidences = application.retriever.evidences
        self.asked: list[str] = []

    async def rank_pages(self, question: str, scope: Scope, stopwatch: Stopwatch) -> list[RankedPage]:
        self.asked.append(question)
        return await self._retriever.rank_pages(question, scope, stopwatch)

    async def has_page(self, title: str, scope: Scope) -> bool:
        return await self._retriever.has_page(title, scope)


async def test_of_500_messages_only_the_recent_ones_are_looked_at(sample_wiki: Application) -> None:
    counting = _CountingRetriever(sample_wiki)
    history = [HistoryMessage("user", f"What about bell number {number}?") for number in range(499)]
    history.append(HistoryMessage("user", HOTEL[0]))
    completed = await HeuristicCompleter(counting).complete("And in Germany?", history, ALL, TRACER)  # type: ignore[arg-type]
    assert TRAVEL in completed.intent_explicit
    assert len(counting.asked) <= 13  # two for each of the six recent questions, and one
    assert not any("number 400?" in asked for asked in counting.asked)


async def test_the_questions_of_known_subjects_are_not_asked_again(sample_wiki: Application) -> None:
    counting = _CountingRetriever(sample_wiki)
    await HeuristicCompleter(counting).complete("And in Germany?", said(*[HOTEL] * 6), ALL, TRACER)  # type: ignore[arg-type]
    assert counting.asked == ["And in Germany?"]


@pytest.mark.parametrize("history", [[HistoryMessage("user", HOTEL[0])], said(HOTEL), said(ALERTS, HOTEL)])
async def test_a_page_out_of_scope_does_not_show_in_a_completion(
    sample_wiki: Application, history: list[HistoryMessage]
) -> None:
    """Neither from a file's history nor from turns of somebody who may see more."""
    scope = Scope(frozenset({"ENG"}))
    completed = await complete(sample_wiki, "And in Germany?", history, scope)
    assert "Travel" not in completed
    assert "expenses" not in completed


VACATION = "Vacation policy Netherlands"


def answered(question: str, first: str, cited: str) -> list[HistoryMessage]:
    """A history of one turn, whose answer cites another page than the first one."""
    return [
        HistoryMessage("user", question),
        HistoryMessage("assistant", "An answer. [1]", subject=first, cited=cited),
    ]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Does it include carryover of unused days?", VACATION),
        ("Who maintains it?", TRAVEL),  # neither page says it
    ],
)
async def test_a_follow_up_is_about_the_first_page_unless_it_fits_the_cited_one_better(
    sample_wiki: Application, question: str, title: str
) -> None:
    history = answered("How many days in the Netherlands?", TRAVEL, VACATION)
    assert f"({title}" in await complete(sample_wiki, question, history)


async def test_a_cited_page_out_of_scope_does_not_show_in_a_completion(sample_wiki: Application) -> None:
    history = answered("Which alerts have severity S1?", "Monitoring and alerts", TRAVEL)
    question = "Does it cover the hotel limit?"
    assert TRAVEL in await complete(sample_wiki, question, history)
    assert "Monitoring and alerts" in await complete(sample_wiki, question, history, Scope(frozenset({"ENG"})))


async def test_an_empty_scope_completes_with_nothing(sample_wiki: Application) -> None:
    history = [HistoryMessage("user", HOTEL[0])]
    assert await complete(sample_wiki, "And in Germany?", history, Scope(frozenset())) == "And in Germany?"


_QUESTIONS = st.one_of(
    st.sampled_from(
        ["And then?", "Why?", "Who owns it?", "Und dort?", HOTEL[0], ALERTS[0], "What about the tenor bell?"]
    ),
    st.text(st.sampled_from("abc ?!äß'-/. 1"), min_size=1, max_size=20),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=_QUESTIONS, earlier=st.lists(st.tuples(_QUESTIONS, st.sampled_from(["", TRAVEL, "Glossary"])), max_size=3)
)
async def test_a_completion_brings_in_no_word_of_its_own(
    sample_wiki: Application, question: str, earlier: list[tuple[str, str]]
) -> None:
    """EXPLAIGNN's guard: every word is from the question, an earlier one, or the subject's title."""
    completed = await complete(sample_wiki, question, said(*earlier))
    titles = [page.title for text, _ in earlier for page in await _pages(sample_wiki, text)]
    known = " ".join([question, *(f"{text} {subject}" for text, subject in earlier), *titles])
    assert set(re.findall(r"\w+", completed)) <= set(re.findall(r"\w+", known))


async def _pages(application: Application, question: str) -> list[RankedPage]:
    return await application.retriever.rank_pages(question, ALL, Stopwatch(lambda: 0.0))
