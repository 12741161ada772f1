"""What is read of the first page besides the evidences that retrieval returned."""

from dataclasses import replace
from typing import cast

from bot.wiring import Application
from core.evidence.contextualise import contextualise, hash_text
from core.gathering.additional_evidences import add_rest_of_page
from core.model import Evidence, RankedEvidence, Scope
from core.ports.models import WordMatcher
from core.ports.store import EvidenceStore
from core.trace import Stopwatch
from tests.core.answering.examples import evidence, ranked, row

QUESTION = "How long does a strike train take?"


async def add(wiki: Application, evidences: list[RankedEvidence]) -> list[RankedEvidence]:
    return await add_rest_of_page(QUESTION, evidences, Scope(), wiki.evidences, wiki.matcher, "ALL")


async def retrieve(wiki: Application) -> list[RankedEvidence]:
    return list(await wiki.retriever.retrieve(QUESTION, Scope(), Stopwatch(lambda: 0.0)))


async def test_matching_passages_and_lists_of_the_first_page_follow_the_retrieved_ones(
    sample_wiki: Application,
) -> None:
    found = await retrieve(sample_wiki)
    first = found[0].evidence.page_id
    texts = await sample_wiki.evidences.load_texts([first], Scope())
    best = next(each for each in found if each.evidence.page_id == first)
    read = await add(sample_wiki, [replace(best, rank=1)])
    added = [each.evidence for each in read[1:]]
    assert read[0].evidence == best.evidence
    assert [each.rank for each in read] == list(range(1, len(read) + 1))
    assert all(each.page_id == first and each.kind in {"passage", "list"} for each in added)
    assert len({each.evidence_id for each in (best.evidence, *added)}) == len(read) <= min(4, len(texts))


async def test_nothing_is_added_twice(sample_wiki: Application) -> None:
    read = await add(sample_wiki, await retrieve(sample_wiki))
    assert len({each.evidence.evidence_id for each in read}) == len(read)


async def test_nothing_is_read_where_nothing_was_found(sample_wiki: Application) -> None:
    assert await add(sample_wiki, []) == []


async def test_only_what_the_scope_admits_is_read(sample_wiki: Application) -> None:
    found = await retrieve(sample_wiki)
    scope = Scope(frozenset({"NONE"}))
    read = await add_rest_of_page(QUESTION, found, scope, sample_wiki.evidences, sample_wiki.matcher, "ALL")
    assert read == found


async def test_a_text_beside_a_retrieved_table_is_read_though_its_rows_match_better() -> None:
    """The rows have its words around them, and words of their own."""
    note = "Empty batteries go to the grey bin. We may not open them, as they have lithium."
    after = evidence(note, page_id="9", title="Sensors", ordinal=9)
    other = evidence("The hall is heated.", page_id="9", title="Sensors", ordinal=10)
    found = row(("Type", "TX-1"), page_id="9", title="Sensors")
    found = replace(found, context=replace(found.context, after=f"{note} …"))
    assert await _read_beside(found, (after, 0.58), (other, 0.58)) == [after]


async def test_a_text_that_names_the_best_row_is_read_though_it_has_no_word_of_the_question() -> None:
    named = evidence("The TX-1 is late because a chip is missing.", page_id="9", title="Sensors", ordinal=9)
    other = evidence("The TX-12 is late because a lid is missing.", page_id="9", title="Sensors", ordinal=10)
    found = row(("Type", "TX-1"), page_id="9", title="Sensors")
    assert await _read_beside(found, (named, 0.4), (other, 0.4)) == [named]


async def _read_beside(found: Evidence, *others: tuple[Evidence, float]) -> list[Evidence]:
    """Return the texts that are read besides a retrieved row that matches by .62, of those with their matches."""
    matches = ((found, 0.62), *others)

    class Store:
        async def load_texts(self, pages: list[str], scope: Scope) -> list[Evidence]:
            return [each for each, _ in others]

    class Matcher:
        async def match_stored(self, question: str, hashes: set[str]) -> dict[str, float]:
            totals = {hash_text(contextualise(each, "ALL")): total for each, total in matches}
            return {each: totals[each] for each in hashes}

    store, matcher = cast(EvidenceStore, Store()), cast(WordMatcher, Matcher())
    read = await add_rest_of_page("?", ranked(found), Scope(), store, matcher, "ALL")
    assert read[0].evidence == found
    return [each.evidence for each in read[1:]]
