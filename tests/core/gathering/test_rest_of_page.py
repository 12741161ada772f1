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
    cells = (("Type", "TX-1"),)
    found = row(*cells, page_id="9", title="Sensors")
    found = replace(found, context=replace(found.context, after=f"{note} …"))

    matches = ((found, 0.62), (after, 0.58), (other, 0.58))

    class Store:
        async def load_texts(self, pages: list[str], scope: Scope) -> list[Evidence]:
            return [after, other]

    class Matcher:
        async def match_stored(self, question: str, hashes: set[str]) -> dict[str, float]:
            totals = {hash_text(contextualise(each, "ALL")): total for each, total in matches}
            return {each: totals[each] for each in hashes}

    store, matcher = cast(EvidenceStore, Store()), cast(WordMatcher, Matcher())
    read = await add_rest_of_page("?", ranked(found), Scope(), store, matcher, "ALL")
    assert [each.evidence for each in read] == [found, after]
