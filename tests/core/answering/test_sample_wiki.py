"""Questions to the sample wiki, from the question to the answer: what a reader gets."""

import pytest

from bot.explainers import make_explainer
from bot.wiring import Application
from core.conversation import QuestionToAnswer
from core.model import NOT_FOUND, NoticeKind, Scope, TraceNotice, Turn
from tests.core.answering.examples import numbers

ALL = Scope()


async def ask(application: Application, question: str, scope: Scope = ALL) -> Turn:
    """The turn; of every answer, each number has its citation, of an evidence of the turn."""
    turn = await application.make_assistant().answer_question(
        QuestionToAnswer("turn", "conversation", "2026-10-01T09:00:00Z", question, (), scope)
    )
    cited = [citation.number for citation in turn.answer.citations]
    assert cited == list(range(1, len(cited) + 1))
    assert set(numbers(turn.answer)) == set(cited)
    assert {c.evidence_id for c in turn.answer.citations} <= {e.evidence.evidence_id for e in turn.evidences}
    return turn


TELLING = [
    ("What is the hotel limit per night in the Netherlands in 2026?", "Hotel per night: €165", "table_row"),
    ("Who approves a hotel above the limit in 2026?", "Femke Oosterlaak", "passage"),
    ("How many requests per minute does the Town plan allow?", "Requests per minute: 120", "table_row"),
    ("How many vacation days do I get in the Netherlands?", "27 days of vacation a year", "passage"),
    ("How long is probation in Germany?", "six months in Germany", "passage"),
    ("Who do I ask about the sparrow repository?", "Rafael Nkemelu", "table_row"),
    ("What is a strike train?", "The part of a clock that counts and strikes the hours.", "table_row"),
    ("What happened at 03:11?", "184 more towers begin to ring", "table_row"),
    ("What does code E23 mean?", "Battery weak", "table_row"),
    ("Is SMS allowed as a second factor?", "SMS ist nicht erlaubt", "list"),
    ("Does the Heron have a battery?", "Battery lasts: none", "table_row"),
    ("Until when does polling stay in the firmware?", "until 31 December 2027", "list"),
    ("How much does a Rook 4 cost?", "2,450", "table_row"),
    ("Was kostet ein Heron?", "9,800", "table_row"),
    ("laptop stolen, whom to tell", "Bartosz Lindqvist", "passage"),
    ("Wer gibt den Schlüssel für das Berliner Büro aus?", "Carmen Eilers", "passage"),
    ("Wie lange dauert es, bis sich der Bildschirm sperrt?", "nach 5 Minuten", "passage"),
    ("Wie viele Urlaubstage habe ich in Deutschland?", "30 Urlaubstage im Jahr", "passage"),
    ("Wie hoch ist der Prüfturm?", "11 Meter hoch", "passage"),
    ("Who owns the glossary page?", "“Glossary” is owned by Oskar Mbeki-Thiel.", "facts"),
    ("When was the release checklist last updated?", "25 August 2026", "facts"),
    ("Wann wurde die Urlaubsregelung zuletzt geändert?", "14. Januar 2026", "facts"),
]


@pytest.mark.parametrize(("question", "told", "kind"), TELLING, ids=[question for question, _, _ in TELLING])
async def test_the_answer_has_the_cell_or_sentence_that_tells(
    sample_wiki: Application, question: str, told: str, kind: str
) -> None:
    turn = await ask(sample_wiki, question)
    assert told in turn.answer.text
    cited = turn.answer.citations[0].kind
    assert ("table_row" if cited == "table" else cited) == kind
    assert len(turn.answer.text.split()) <= 150


async def test_an_answer_that_may_not_be_one_says_so(sample_wiki: Application) -> None:
    turn = await ask(sample_wiki, "What do customers say about the deployment of Belfry?")
    assert turn.trace.notices == (TraceNotice(NoticeKind.UNSURE),)


WHOLE = [
    ("What has to be done before a Belfry release?", "All of these are ticked before anybody presses the button:", 5),
    ("What are the first ten minutes of an incident?", "The first ten minutes:", 5),
    ("What do I wear in a tower?", "What you wear:", 4),
    ("What do I do on my first day?", "Your first day:", 8),
    ("Was muss man bei einem Sicherheitsvorfall tun?", "Sicherheitsvorfall melden:", 3),
]


@pytest.mark.parametrize(("question", "introduction", "items"), WHOLE, ids=[question for question, _, _ in WHOLE])
async def test_a_list_comes_as_a_whole(sample_wiki: Application, question: str, introduction: str, items: int) -> None:
    lines = (await ask(sample_wiki, question)).answer.text.splitlines()
    assert lines[0] == introduction
    assert len(lines) == items + 1


async def test_instructions_come_with_their_code(sample_wiki: Application) -> None:
    text = (await ask(sample_wiki, "How do I roll back a Belfry deployment?")).answer.text
    assert "```bash\nbelfryctl deploy --version previous --nodes all --at-once\n```\n[1]" in text


@pytest.mark.parametrize(
    "question",
    [
        "Does the company pay for a gym membership?",
        "What is the capital of France?",
        "Wie bekomme ich einen Firmenwagen mit Chauffeur?",
        "And what about it?",
    ],
)
async def test_what_the_wiki_does_not_say_is_refused(sample_wiki: Application, question: str) -> None:
    answer = (await ask(sample_wiki, question)).answer
    assert (answer.text, answer.answered, answer.citations) == (NOT_FOUND, False, ())


@pytest.mark.parametrize("question", ["vacation days germany", "How many vacation days do I get in Germany?"])
async def test_a_page_that_a_sentence_sends_to_answers(sample_wiki: Application, question: str) -> None:
    sent, said, *_ = (await ask(sample_wiki, question)).answer.text.splitlines()
    assert "For German contracts the page Urlaubsregelung Deutschland applies" in sent
    assert "30 Urlaubstage im Jahr" in said


@pytest.mark.parametrize("question", ["ok", "hi", "test", "vpn"])
async def test_a_single_word_is_in_no_language(sample_wiki: Application, question: str) -> None:
    notices = (await ask(sample_wiki, question)).trace.notices
    assert NoticeKind.OTHER_LANGUAGE not in {notice.kind for notice in notices}


UNKNOWN = [
    "How much does the Rook 5 cost?",
    "Was kostet der Rook 5?",
    "What was decided in the Belfry weekly of November 2025?",
    "Does BitLocker encrypt my laptop?",
]


@pytest.mark.parametrize("question", UNKNOWN)
async def test_what_a_question_names_is_not_answered_from_its_neighbour(
    sample_wiki: Application, question: str
) -> None:
    assert not (await ask(sample_wiki, question)).answer.answered


async def test_a_page_is_found_by_the_month_it_was_changed_in(sample_wiki: Application) -> None:
    turn = await ask(sample_wiki, "Release checklist of August 2026: who presses the button?")
    assert turn.answer.answered
    assert "facts" in {ranked.evidence.kind for ranked in turn.evidences}
    without = await ask(sample_wiki, "Release checklist of September 2025: who presses the button?")
    assert not without.answer.answered


async def test_the_words_of_an_added_subject_do_not_answer(sample_wiki: Application) -> None:
    turn = await ask(sample_wiki, "Does the company pay for a gym membership? (Bürohandbuch Berlin)")
    assert not turn.answer.answered


async def test_a_follow_up_with_its_subject_added_is_answered(sample_wiki: Application) -> None:
    turn = await ask(sample_wiki, "How long is it? (Travel and expenses policy 2026: hand in receipts)")
    assert turn.answer.answered


async def test_facts_obey_the_scope_and_are_explained_like_other_evidence(sample_wiki: Application) -> None:
    question = "When was the page Vacation policy Netherlands last updated?"
    turn = await ask(sample_wiki, question)
    assert [ranked.evidence.kind for ranked in turn.evidences].count("facts") == 1
    assert "12 January 2026" in turn.answer.text
    without = await ask(sample_wiki, question, Scope(frozenset({"ENG"})))
    assert "facts" not in {ranked.evidence.kind for ranked in without.evidences}
    assert "12 January" not in without.answer.text
    explanation = await (await make_explainer(sample_wiki, turn)).explain(turn)
    assert explanation.top
    assert [ranked.evidence.kind for ranked in explanation.top.evidences] == ["facts"]


async def test_only_the_spaces_asked_answer(sample_wiki: Application) -> None:
    question = "What is the hotel limit per night in the Netherlands in 2026?"
    turn = await ask(sample_wiki, question, Scope(frozenset({"ENG"})))
    assert {ranked.evidence.space for ranked in turn.evidences} == {"ENG"}
    assert "165" not in turn.answer.text
