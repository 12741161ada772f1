"""What is read of the first page besides the evidences that retrieval returned."""

from dataclasses import replace

from bot.wiring import Application
from core.model import RankedEvidence, Scope
from core.reading.additional_evidences import add_rest_of_page
from core.trace import Stopwatch

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
