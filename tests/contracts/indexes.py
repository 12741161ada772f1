"""Contract suites of DenseIndex and LexicalIndex.

A test class that inherits a suite provides a fixture of an empty index: ``make_index`` for a DenseIndex (it takes the
name of an embedder), and ``index`` for a LexicalIndex.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.errors import IndexDamaged
from core.ports.indexes import AccessFilter, DenseIndex, Hit, LexicalIndex
from core.ports.models import Vectors
from tests.contracts.examples import entry, unit_vectors

AWKWARD_SPACES = ["~cclark", "Überblick", "a", "S" * 300, "with space/and..dots", "日本"]
DOC = AccessFilter(("DOC",))

MakeIndex = Callable[[str], DenseIndex]
"""Makes or opens the index of an embedder, by the embedder's name. All indexes share one place."""


def keys(hits: list[Hit]) -> list[str]:
    return [hit.key for hit in hits]


class DenseIndexContract:
    @pytest.fixture
    def index(self, make_index: MakeIndex) -> DenseIndex:
        return make_index("hash")

    async def test_an_empty_index_finds_nothing(self, index: DenseIndex) -> None:
        assert await index.search(unit_vectors(1)[0], DOC, 10) == []
        assert await index.load_keys("DOC") == set()

    async def test_a_reach_without_spaces_finds_nothing(self, index: DenseIndex) -> None:
        await index.add([entry("a")], unit_vectors(1))
        assert await index.search(unit_vectors(1)[0], AccessFilter(()), 10) == []

    async def test_hits_are_the_nearest_with_their_cosine_best_first(self, index: DenseIndex) -> None:
        vectors = unit_vectors(50)
        await index.add([entry(f"k{i:02}") for i in range(50)], vectors)
        hits = await index.search(vectors[7], DOC, 5)
        similarities = vectors @ vectors[7]
        best = np.argsort(-similarities)[:5]
        assert keys(hits) == [f"k{i:02}" for i in best]
        assert [hit.score for hit in hits] == pytest.approx(similarities[best].tolist(), abs=1e-3)

    async def test_equal_scores_are_ordered_by_key(self, index: DenseIndex) -> None:
        vector = unit_vectors(1)
        await index.add([entry(key) for key in ("c", "a", "b")], np.repeat(vector, 3, axis=0))
        assert keys(await index.search(vector[0], DOC, 10)) == ["a", "b", "c"]

    async def test_entries_out_of_scope_do_not_push_out_the_one_in_scope(self, index: DenseIndex) -> None:
        near = unit_vectors(1)[0] + 0.01 * unit_vectors(301, seed=1)
        near[-1] = unit_vectors(1, seed=2)[0]  # the one in scope is the farthest
        vectors: Vectors = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
        outside = [entry(f"o{i}", space="HR") for i in range(150)]
        restricted = [entry(f"r{i}", access="secret") for i in range(149)]
        own = [entry("own", access="mine"), entry("in")]
        await index.add([*outside, *restricted, *own], vectors)
        assert set(keys(await index.search(vectors[0], AccessFilter(("DOC",), frozenset({"mine"})), 100))) == {
            "in",
            "own",
        }

    async def test_restricted_entries_need_their_access(self, index: DenseIndex) -> None:
        vectors = unit_vectors(3)
        await index.add([entry("open"), entry("a", access="A"), entry("b", access="B")], vectors)
        assert keys(await index.search(vectors[1], DOC, 10)) == ["open"]
        assert set(keys(await index.search(vectors[1], AccessFilter(("DOC",), frozenset({"A"})), 10))) == {"open", "a"}

    async def test_one_search_goes_through_several_spaces(self, index: DenseIndex) -> None:
        vectors = unit_vectors(3)
        await index.add([entry("a", space="A"), entry("b", space="B"), entry("c", space="C")], vectors)
        assert set(keys(await index.search(vectors[0], AccessFilter(("A", "B", "NONE")), 10))) == {"a", "b"}

    async def test_adding_twice_is_adding_once(self, index: DenseIndex) -> None:
        vectors = unit_vectors(2)
        await index.add([entry("a"), entry("b"), entry("a")], vectors[[0, 1, 0]])
        await index.add([entry("a")], vectors[:1])
        assert keys(await index.search(vectors[0], DOC, 10)) == ["a", "b"]
        assert await index.load_keys("DOC") == {"a", "b"}
        assert await index.count("DOC") == 2

    async def test_entries_are_counted_by_space(self, index: DenseIndex) -> None:
        vectors = unit_vectors(4)
        added = [entry("a"), entry("b", access="A"), entry("c"), entry("d", space="HR")]
        await index.add(added, vectors)
        assert [await index.count(space) for space in ("DOC", "HR", "NONE")] == [3, 1, 0]
        await index.remove("DOC", ["b", "c", "never there"])
        assert [await index.count(space) for space in ("DOC", "HR")] == [1, 1]
        await index.add(added, vectors)
        assert [await index.count(space) for space in ("DOC", "HR")] == [3, 1]

    async def test_removed_entries_are_gone_and_unknown_ones_ignored(self, index: DenseIndex) -> None:
        vectors = unit_vectors(3)
        await index.add([entry("a"), entry("b"), entry("c", access="A")], vectors)
        await index.remove("DOC", ["a", "c", "never there"])
        await index.remove("NONE", ["b"])
        assert keys(await index.search(vectors[0], AccessFilter(("DOC",), frozenset({"A"})), 10)) == ["b"]
        assert await index.load_keys("DOC") == {"b"}

    async def test_a_space_can_be_emptied_and_filled_again(self, index: DenseIndex) -> None:
        vectors = unit_vectors(2)
        await index.add([entry("a")], vectors[:1])
        await index.remove("DOC", ["a"])
        assert await index.search(vectors[0], DOC, 10) == []
        await index.add([entry("b")], vectors[1:])
        assert keys(await index.search(vectors[0], DOC, 10)) == ["b"]

    @pytest.mark.parametrize("space", AWKWARD_SPACES)
    async def test_any_space_key_will_do(self, index: DenseIndex, space: str) -> None:
        vectors = unit_vectors(2)
        await index.add([entry("a", space=space), entry("b", space="DOC")], vectors)
        assert keys(await index.search(vectors[0], AccessFilter((space,)), 10)) == ["a"]
        assert await index.load_keys(space) == {"a"}

    async def test_vectors_of_different_embedders_never_meet(self, make_index: MakeIndex) -> None:
        small, large = make_index("small"), make_index("large")
        await small.add([entry("a")], unit_vectors(1, 8))
        await large.add([entry("b")], unit_vectors(1, 16))
        assert keys(await small.search(unit_vectors(1, 8)[0], DOC, 10)) == ["a"]
        assert keys(await large.search(unit_vectors(1, 16)[0], DOC, 10)) == ["b"]

    async def test_removal_reaches_the_vectors_of_every_embedder(self, make_index: MakeIndex) -> None:
        small, large = make_index("small"), make_index("large")
        await small.add([entry("a")], unit_vectors(1, 8))
        await large.add([entry("a")], unit_vectors(1, 16))
        await large.remove("DOC", ["a"])
        assert await small.load_keys("DOC") == set()

    async def test_a_vector_of_another_dimension_is_reported(self, index: DenseIndex) -> None:
        await index.add([entry("a")], unit_vectors(1, 8))
        with pytest.raises(IndexDamaged, match=r"dimension.*rebuild-index"):
            await index.search(unit_vectors(1, 16)[0], DOC, 10)


class LexicalIndexContract:
    @pytest.mark.parametrize(
        "question", ["anything", "", "?!", "\0", 'a "quoted" OR NOT NEAR(x) *', "title: text", "'"]
    )
    async def test_any_question_can_be_asked_of_an_empty_index(self, index: LexicalIndex, question: str) -> None:
        hits = await index.search(question, DOC, 10)
        assert (hits.words, hits.grams) == ([], [])

    async def test_words_are_stemmed_and_case_does_not_matter(self, index: LexicalIndex) -> None:
        await index.add([entry("a", "Deploying services"), entry("b", "Lunch menu")])
        hits = await index.search("how is a SERVICE deployed", DOC, 10)
        assert keys(hits.words) == ["a"]

    async def test_subscripts_and_superscripts_of_units_are_found_as_people_type_them(
        self, index: LexicalIndex
    ) -> None:
        await index.add([entry("a", "A hall of 90 m² has one CO₂ meter"), entry("b", "Lunch menu")])
        for question in ("CO2", "CO₂", "m2", "m²"):
            assert keys((await index.search(question, DOC, 10)).words) == ["a"]

    async def test_grams_find_german_compounds_and_folded_umlauts(self, index: LexicalIndex) -> None:
        await index.add([entry("a", "Die Urlaubsanträge prüft Frau Weiß"), entry("b", "Kantine und Speiseplan")])
        assert keys((await index.search("Urlaubsantrag", DOC, 10)).grams) == ["a"]
        assert keys((await index.search("Antraege", DOC, 10)).grams) == ["a"]
        assert keys((await index.search("weiss", DOC, 10)).grams) == ["a"]

    async def test_the_title_counts_more_than_the_text_and_that_more_than_the_surroundings(
        self, index: LexicalIndex
    ) -> None:
        rest = "other words of about the same number"
        await index.add(
            [
                entry("surroundings", rest, surroundings="kubernetes"),
                entry("text", f"kubernetes {rest}"),
                entry("heading", rest, heading="kubernetes"),
                entry("title", rest, title="kubernetes"),
                *(entry(f"x{i}", rest) for i in range(20)),
            ]
        )
        hits = await index.search("kubernetes", DOC, 10)
        assert keys(hits.words) == ["title", "heading", "text", "surroundings"]
        assert all(hit.score > 0 for hit in hits.words)

    async def test_stopwords_find_nothing_unless_they_are_the_question(self, index: LexicalIndex) -> None:
        await index.add([entry("a", "the what and the who"), entry("b", "travel policy")])
        assert keys((await index.search("what is the policy", DOC, 10)).words) == ["b"]
        assert keys((await index.search("the who", DOC, 10)).words) == ["a"]

    async def test_entries_out_of_scope_do_not_push_out_the_one_in_scope(self, index: LexicalIndex) -> None:
        outside = [entry(f"o{i}", f"release checklist number {i}", space="HR") for i in range(150)]
        restricted = [entry(f"r{i}", f"release checklist number {i}", access="secret") for i in range(150)]
        filler = "a long text about many other things " * 20
        await index.add([*outside, *restricted, entry("in", f"{filler} release checklist")])
        hits = await index.search("release checklist number", DOC, 100)
        assert (keys(hits.words), keys(hits.grams)) == (["in"], ["in"])

    async def test_restricted_entries_need_their_access(self, index: LexicalIndex) -> None:
        await index.add([entry("open", "salary"), entry("a", "salary", access="A"), entry("b", "salary", access="B")])
        for access_filter, expected in ((DOC, {"open"}), (AccessFilter(("DOC",), frozenset({"A"})), {"open", "a"})):
            hits = await index.search("salary", access_filter, 10)
            assert set(keys(hits.words)) == set(keys(hits.grams)) == expected

    async def test_the_limit_keeps_the_best_and_ties_are_ordered_by_key(self, index: LexicalIndex) -> None:
        await index.add([entry(f"k{i}", "backup plan") for i in (3, 1, 2)])
        hits = await index.search("backup", DOC, 2)
        assert keys(hits.words) == keys(hits.grams) == ["k1", "k2"]

    async def test_adding_twice_is_adding_once(self, index: LexicalIndex) -> None:
        await index.add([entry("a", "backup plan"), entry("a", "backup plan")])
        await index.add([entry("a", "backup plan")])
        hits = await index.search("backup plan", DOC, 10)
        assert keys(hits.words) == keys(hits.grams) == ["a"]
        assert await index.load_keys("DOC") == {"a"}

    async def test_removed_entries_are_gone_and_unknown_ones_ignored(self, index: LexicalIndex) -> None:
        await index.add([entry("a", "backup plan"), entry("b", "backup plan")])
        await index.remove("DOC", ["a", "never there"])
        await index.remove("NONE", ["b"])
        hits = await index.search("backup plan", DOC, 10)
        assert keys(hits.words) == keys(hits.grams) == ["b"]
        assert await index.load_keys("DOC") == {"b"}

    async def test_text_after_a_nul_is_found(self, index: LexicalIndex) -> None:
        await index.add([entry("a", "before\0 afterwards")])
        hits = await index.search("afterwards\0before", DOC, 10)
        assert keys(hits.words) == keys(hits.grams) == ["a"]

    @pytest.mark.parametrize("space", AWKWARD_SPACES)
    async def test_any_space_key_will_do(self, index: LexicalIndex, space: str) -> None:
        await index.add([entry("a", "backup", space=space), entry("b", "backup", space="DOC")])
        assert keys((await index.search("backup", AccessFilter((space,)), 10)).words) == ["a"]
        assert await index.load_keys(space) == {"a"}
