"""On the sample wiki."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from bot.wiring import Application
from core.model import Scope, Suggestion, Turn
from core.ports.models import Vectors
from core.suggesting.suggester import HeadingSuggester
from core.trace import Tracer
from tests.core.suggesting.asking import asked, checker, first_results

QUESTIONS = (
    "What does on-call pay for a Sunday?",
    "Within how many days after a trip do receipts have to be handed in under the 2026 travel policy?",
    "Wann verfällt der Resturlaub in Deutschland?",
    "Ist SMS als zweiter Faktor erlaubt?",
)


async def suggest(wiki: Application, turn: Turn, *earlier: str) -> tuple[Suggestion, ...]:
    return await HeadingSuggester(checker(wiki)).suggest(turn, earlier, Tracer(time.perf_counter))


@pytest.mark.parametrize("question", QUESTIONS)
async def test_what_is_suggested_finds_evidences_of_the_turn_that_the_answer_left(
    sample_wiki: Application, question: str
) -> None:
    turn = await asked(sample_wiki, question)
    suggestions = await suggest(sample_wiki, turn)
    own = {ranked.evidence.evidence_id for ranked in turn.evidences}
    cited = {citation.evidence_id for citation in turn.answer.citations}
    assert 1 <= len(suggestions) <= 3
    assert len({suggestion.evidence_id for suggestion in suggestions}) == len(suggestions)
    for suggestion in suggestions:
        assert suggestion.evidence_id in own - cited
        assert suggestion.evidence_id in await first_results(sample_wiki, suggestion.question, turn.scope)
        assert (await asked(sample_wiki, suggestion.question)).answer.answered


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_applications_suggester_compares_words_and_embeds_nothing(
    sample_wiki: Application, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = await asked(sample_wiki, question)
    embedded: list[str] = []

    async def embed(texts: Sequence[str]) -> Vectors:
        embedded.extend(texts)
        return np.zeros((len(texts), sample_wiki.embedder.dimension), np.float32)

    with monkeypatch.context() as patched:
        patched.setattr(sample_wiki.cached_embedder, "embed_queries", embed)
        assert sample_wiki.suggester
        suggestions = await sample_wiki.suggester.suggest(turn, (), Tracer(time.perf_counter))
    assert embedded == []
    assert suggestions
    pages = {ranked.evidence.evidence_id: ranked.evidence.page_id for ranked in turn.evidences}
    for suggestion in suggestions:
        found = await asked(sample_wiki, suggestion.question)
        assert found.answer.citations[0].page_id == pages[suggestion.evidence_id]


async def test_suggestions_read_as_a_person_would_ask(sample_wiki: Application) -> None:
    turn = await asked(sample_wiki, QUESTIONS[0])
    assert [each.question for each in await suggest(sample_wiki, turn)] == [
        "What does “On-call handbook” say about swapping a shift?",
    ]
    turn = await asked(sample_wiki, QUESTIONS[-1])
    assert [each.question for each in await suggest(sample_wiki, turn)] == [
        "Was steht in „IT-Sicherheitsrichtlinie“ über „Geräte“?",
        "Was steht in „IT-Sicherheitsrichtlinie“ über „Sicherheitsvorfall melden“?",
        "Was steht in „IT-Sicherheitsrichtlinie“ dazu, wo Kundendaten bleiben?",
    ]


async def test_what_was_asked_before_is_not_suggested(sample_wiki: Application) -> None:
    turn = await asked(sample_wiki, QUESTIONS[-1])
    first, *others = await suggest(sample_wiki, turn)
    assert others
    again = await suggest(sample_wiki, turn, first.question.upper())
    assert again[: len(others)] == tuple(others)
    assert first not in again


async def test_nothing_is_looked_up_outside_the_scope(sample_wiki: Application) -> None:
    turn = await asked(sample_wiki, QUESTIONS[0])
    narrow = Scope(frozenset({"BER"}))
    assert await suggest(sample_wiki, replace(turn, scope=narrow)) == ()


async def test_after_not_found_only_what_shares_words_with_the_question_is_suggested(sample_wiki: Application) -> None:
    near = await asked(sample_wiki, "Which poet praised the deployment of Belfry?")
    assert not near.answer.answered
    assert "Deployment runbook Belfry" in (await suggest(sample_wiki, near))[0].question
    far = await asked(sample_wiki, "How long does a password have to be at least?")
    assert not far.answer.answered
    assert await suggest(sample_wiki, far) == ()


async def test_a_turn_without_evidences_has_no_suggestions(sample_wiki: Application) -> None:
    nothing = await asked(sample_wiki, QUESTIONS[0], Scope(frozenset({"NONE"})))
    assert nothing.evidences == ()
    assert await suggest(sample_wiki, nothing) == ()
