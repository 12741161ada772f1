"""Retrieval over a real store and real indexes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from bot.threads import Threads
from bot.wiring import Application, open_application
from core.evidence.extract import extract
from core.indexing.index_entries import make_access_id, make_entry
from core.model import Page, RankedEvidence, Scope
from core.ports.pages import IndexedPage
from core.ports.store import EvidenceSummary
from core.retrieval.retriever import RetrievalSettings, Retriever
from core.trace import Stopwatch

QUESTION = "How much does the tenor bell weigh?"
TENOR = "<p>The tenor bell weighs two tonnes.</p>"
CLOCK = "<h1>Clock</h1><p>The clock is wound on Mondays.</p><h1>Hands</h1><p>The hands are of brass.</p>"
ALL = Scope()
ILSE = frozenset({"user:ilse"})
MODES = ("lexical", "dense", "hybrid")


@pytest.fixture
def application(tmp_path: Path, embedder: E5Embedder) -> Iterator[Application]:
    with open_application(Settings(data_dir=tmp_path)) as application:
        application.__dict__["embedder"] = embedder  # the cached property: one model for the whole session
        yield application


def page(page_id: str, content: str, space: str = "DOC", title: str = "", *readers: frozenset[str]) -> Page:
    return Page(page_id, space, title or f"Page {page_id}", f"https://w/pages/{page_id}", content, "", readers)


def prepared(item: Page) -> IndexedPage:
    access = make_access_id(item.read_restrictions)
    evidences = tuple(make_entry(evidence, access) for evidence in extract(item).evidences)
    return IndexedPage(item, f"digest of {item.content}", evidences)


async def put(application: Application, *pages: Page) -> None:
    await application.indexer.put([prepared(item) for item in pages], lambda embedded: None)


def retriever(application: Application, **changes: Any) -> Retriever:
    settings = replace(RetrievalSettings(), **changes)
    return Retriever(application.embedder, application.dense, application.lexical, application.evidences, settings)


async def found(
    application: Application,
    question: str = QUESTION,
    scope: Scope = ALL,
    **changes: Any,
) -> list[RankedEvidence]:
    changes = {"more_of_first_page": 0, **changes}
    return await retriever(application, **changes).retrieve(question, scope, Stopwatch(lambda: 0.0))


def page_ids(ranked: Sequence[RankedEvidence]) -> list[str]:
    return [item.evidence.page_id for item in ranked]


async def test_every_mode_finds_the_page_and_ranks_from_one_by_falling_score(application: Application) -> None:
    await put(application, page("1", CLOCK), page("2", TENOR), page("3", "<p>Pigeons have got in.</p>"))
    for mode, fusion in product(MODES, ("min-max", "rrf")):
        ranked = await found(application, mode=mode, fusion=fusion)
        assert page_ids(ranked)[0] == "2"
        assert [item.rank for item in ranked] == list(range(1, len(ranked) + 1))
        assert [item.score for item in ranked] == sorted((item.score for item in ranked), reverse=True)
        assert all((item.dense is None) == (mode == "lexical") for item in ranked)
        assert ranked[0].lexical is None if mode == "dense" else ranked[0].lexical is not None
        assert all(item.fused is not None for item in ranked)


async def test_the_ranks_in_each_list_are_distinct_and_count_from_one(application: Application) -> None:
    await put(application, *(page(str(number), f"<p>Bell {number} weighs {number} tonnes.</p>") for number in range(8)))
    ranked = await found(application)
    for ranking in ("lexical", "dense", "fused"):
        places = [getattr(item, ranking) for item in ranked]
        by_rank = sorted((place for place in places if place), key=lambda place: place.rank)
        assert by_rank[0].rank == 1
        assert len({place.rank for place in by_rank}) == len(by_rank)
        assert [place.score for place in by_rank] == sorted((place.score for place in by_rank), reverse=True)


async def test_reciprocal_rank_fusion_orders_by_the_sum_of_one_over_60_plus_rank(application: Application) -> None:
    await put(application, page("1", TENOR), page("2", CLOCK), page("3", "<p>A tenor bell is heavy.</p>"))
    ranked = await found(application, fusion="rrf", title_weight=0.0)
    sums = [sum(1 / (60 + place.rank) for place in (item.lexical, item.dense) if place) for item in ranked]
    fused = [item.fused.score for item in ranked if item.fused]
    assert len(ranked) == 4
    assert [score / fused[0] for score in fused] == pytest.approx([total / sums[0] for total in sums])


async def test_a_title_in_another_language_counts_by_its_meaning(application: Application) -> None:
    titles = ("Parkplätze", "Car insurance", "Lunch menu", "Release checklist", "Coffee machine", "Fire drill")
    pages = [replace(prepared(page(title, "<p>See the file.</p>", title=title)), language="en") for title in titles]

    async def rank(share: float) -> list[str]:
        matching = replace(retriever(application, title_by_meaning=share), matcher=application.matcher)
        return page_ids(await matching.retrieve("Where do I park my car?", ALL, Stopwatch(lambda: 0.0)))

    await application.indexer.put(pages, lambda embedded: None)
    by_letters = await rank(0.0)
    assert by_letters[0] == "Car insurance"
    assert await rank(1.0) == by_letters, "all pages are in the question's language"
    await application.indexer.put([replace(pages[0], language="de")], lambda embedded: None)
    assert (await rank(0.0))[0] == "Car insurance"
    assert (await rank(1.0))[0] == "Parkplätze"


async def test_no_page_has_more_than_its_share(application: Application) -> None:
    many = "".join(f"<h2>Part {number}</h2><p>The tenor bell weighs {number} tonnes.</p>" for number in range(6))
    await put(application, page("1", many), page("2", many), page("3", TENOR))
    for per_page in (1, 2, 3):
        ids = page_ids(await found(application, per_page=per_page))
        assert ids.count(ids[0]) == per_page + 1  # the best page has one more
        assert ids.count("1") + ids.count("2") == 2 * per_page + 1
        assert "3" in ids


async def test_after_them_comes_more_of_the_first_page(application: Application) -> None:
    many = "".join(f"<h2>Part {number}</h2><p>The tenor bell weighs {number} tonnes.</p>" for number in range(9))
    await put(application, page("1", many), page("2", TENOR))
    ten, more = await found(application, per_page=1), await found(application, per_page=1, more_of_first_page=4)
    assert [item.evidence for item in more[: len(ten)]] == [item.evidence for item in ten]
    assert page_ids(more[len(ten) :]) == [ten[0].evidence.page_id] * 4
    assert [item.rank for item in more] == list(range(1, len(more) + 1))
    assert len({item.evidence.evidence_id for item in more}) == len(more)


async def test_a_list_comes_with_the_sentence_that_announces_it_beyond_the_share(application: Application) -> None:
    content = f"<p>{QUESTION} It depends on:</p><ul><li>age</li><li>rust</li></ul><h2>Tenor bell</h2>{TENOR}"
    await put(application, page("1", content))
    ranked = await found(application, per_page=1)
    assert [item.evidence.kind for item in ranked] == ["passage", "list"]
    assert ranked[0].evidence.text.endswith("It depends on:")


async def test_no_more_than_the_limit_are_found(application: Application) -> None:
    await put(application, *(page(str(number), TENOR) for number in range(6)))
    assert [len(await found(application, limit=limit)) for limit in (1, 4)] == [1, 4]


async def test_nothing_is_found_in_an_empty_wiki(application: Application) -> None:
    assert await found(application) == []


async def test_nothing_is_found_for_an_empty_scope(application: Application) -> None:
    await put(application, page("1", TENOR))
    assert await found(application, scope=Scope(frozenset())) == []
    assert await found(application, scope=Scope(frozenset({"NONE"}))) == []


@pytest.mark.parametrize(
    ("space", "readers"), [("OTHER", ()), ("DOC", (ILSE,))], ids=["of another space", "restricted"]
)
async def test_150_pages_that_may_not_be_read_do_not_push_out_the_one_that_may(
    application: Application, space: str, readers: tuple[frozenset[str], ...]
) -> None:
    others = [page(f"9{number:03}", TENOR, space, "", *readers) for number in range(150)]
    await put(application, *others, page("1", "<p>A tenor bell is heavy.</p>"))
    for mode in MODES:
        ranked = await found(application, scope=Scope(frozenset({"DOC"})), mode=mode, candidates=10)
        assert page_ids(ranked) == ["1"]


async def test_a_restricted_page_is_found_by_its_principals_only(application: Application) -> None:
    await put(
        application,
        page("1", TENOR, "DOC", "", ILSE),
        page("2", TENOR, "DOC", "", ILSE, frozenset({"group:ringers"})),
    )
    assert await found(application) == []
    assert await found(application, scope=Scope(principals=frozenset({"user:jonas"}))) == []
    assert page_ids(await found(application, scope=Scope(principals=ILSE))) == ["1"]
    both = Scope(principals=ILSE | {"group:ringers"})
    assert sorted(page_ids(await found(application, scope=both))) == ["1", "2"]


async def test_stale_entries_do_not_push_out_current_ones(application: Application) -> None:
    """What a crash between the indexes and the store leaves: entries that the store does not know."""
    stale = [entry for number in range(150) for entry in prepared(page(f"9{number:03}", TENOR)).evidences]
    vectors = await application.embedder.embed_passages(["The tenor bell weighs two tonnes."] * len(stale))
    await application.dense.add([item.entry for item in stale], vectors)
    await application.lexical.add([item.entry for item in stale])
    await put(application, page("1", "<p>A tenor bell is heavy.</p>"))
    for mode in MODES:
        assert page_ids(await found(application, mode=mode, candidates=10)) == ["1"]


async def test_an_updated_page_is_found_by_its_new_words_only(application: Application) -> None:
    await put(application, page("1", TENOR))
    await put(application, page("1", "<p>The tenor bell weighs three tonnes.</p>"))
    assert [item.evidence.text for item in await found(application)] == ["The tenor bell weighs three tonnes."]


async def test_a_page_whose_title_is_named_comes_before_one_with_the_same_words(application: Application) -> None:
    await put(application, page("1", TENOR, title="Minutes"), page("2", TENOR, title="Tenor bell"))
    assert page_ids(await found(application)) == ["2", "1"]


async def test_pages_come_once_each_with_the_score_of_their_best_evidence(application: Application) -> None:
    await put(application, page("1", CLOCK), page("2", TENOR + CLOCK))
    pages = await retriever(application).rank_pages(QUESTION, Scope(), Stopwatch(lambda: 0.0))
    assert [item.page_id for item in pages] == ["2", "1"]
    assert pages[0].title == "Page 2"
    assert pages[0].score == (await found(application))[0].score
    assert pages[0].score > pages[1].score


async def test_a_page_with_many_evidences_in_front_leaves_room_for_others(application: Application) -> None:
    sections = "".join(f"<h1>Tenor bell {at}</h1><p>The tenor bell weighs {at} tonnes.</p>" for at in range(90))
    await put(application, page("1", sections), page("2", "<p>A bell in the tower.</p>"))
    found_pages = page_ids(await found(application))
    assert found_pages == ["1", "1", "1", "2"]


class _Withdrawing:
    """The real evidences; a page is withdrawn by a sync just after the summaries were read."""

    def __init__(self, application: Application, page_id: str) -> None:
        self._application, self._page_id = application, page_id

    async def load_summaries(self, keys: Collection[str], scope: Scope) -> dict[str, EvidenceSummary]:
        summaries = await self._application.evidences.load_summaries(keys, scope)
        await self._application.pages.remove([self._page_id])
        return summaries

    def __getattr__(self, name: str) -> Any:
        return getattr(self._application.evidences, name)


async def test_a_page_that_is_withdrawn_while_it_is_being_found_is_left_out(application: Application) -> None:
    await put(application, page("1", TENOR), page("2", TENOR))
    assert sorted(page_ids(await found(application))) == ["1", "2"]
    evidences: Any = _Withdrawing(application, "1")
    finding = Retriever(application.embedder, application.dense, application.lexical, evidences)
    assert page_ids(await finding.retrieve(QUESTION, ALL, Stopwatch(lambda: 0.0))) == ["2"]


async def test_the_same_question_has_the_same_result(application: Application) -> None:
    await put(application, *(page(str(number), TENOR) for number in range(5)))
    assert await found(application) == await found(application)


async def test_any_question_can_be_searched_for(application: Application) -> None:
    await put(application, page("1", TENOR))
    for question in ("?", '"', "NEAR(", "*", "und", "鐘 🔔", "a" * 4000):
        assert len(await found(application, question)) <= 1


async def test_only_the_parts_of_the_mode_are_asked(application: Application) -> None:
    await put(application, page("1", TENOR))
    ticks = iter(range(1000))
    stopwatch = Stopwatch(lambda: float(next(ticks)))
    await retriever(application, mode="lexical").retrieve(QUESTION, Scope(), stopwatch)
    assert set(stopwatch.timings_ms) == {"lexical", "fuse"}


async def test_words_are_searched_while_the_question_is_embedded(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    await put(application, page("1", TENOR))
    embedder, lexical, events = application.embedder, application.lexical, list[str]()

    def note(name: str, work: Any) -> Any:
        def noted(*arguments: Any) -> Any:
            events.append(name)
            return work(*arguments)

        return noted

    monkeypatch.setattr(embedder, "run_in_thread", note("embed", embedder.run_in_thread))  # type: ignore[attr-defined]
    monkeypatch.setattr(lexical, "search", note("words", lexical.search))
    parts = retriever(application)
    cached = replace(parts, embedder=application.cached_embedder)
    with Threads() as threads:
        await threads.run_in_one_thread(lambda: cached.retrieve(QUESTION, ALL, Stopwatch(time.perf_counter)))
    assert events[:2] == ["embed", "words"]
