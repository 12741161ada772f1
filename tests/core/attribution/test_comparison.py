from __future__ import annotations

from core.attribution.comparison import similarities, words_only
from tests.core.attribution.examples import HashEmbedder


def test_citations_are_not_part_of_what_an_answer_says() -> None:
    assert words_only("Ann does. [1][12]\nBob  helps. [?]") == "Ann does. Bob helps."
    assert words_only("See [note] and list[0x1].") == "See [note] and list[0x1]."


async def test_an_answer_that_differs_in_numbers_only_is_exactly_the_same() -> None:
    embedder = HashEmbedder()
    assert await similarities("Who?", "Ann. [1]", ["Ann. [2]", "Ann."], embedder) == [1.0, 1.0]
    assert embedder.embedded == []


async def test_other_answers_are_compared_each_in_its_place_together_with_the_question() -> None:
    embedder = HashEmbedder()
    same, bob, again, none = await similarities("Who?", "Ann. [1]", ["Ann.", "Bob.", "Bob. [3]", ""], embedder)
    assert same == 1.0
    assert bob == again != none
    assert all(-1.0 <= near < 0.9 for near in (bob, none))
    assert embedder.embedded[:2] == ["passage: Who?\nAnn.", "passage: Who?\nBob."]


async def test_a_longer_question_makes_two_answers_more_alike(embedder) -> None:  # type: ignore[no-untyped-def]
    (bare,) = await similarities("?", "Yes.", ["No."], embedder)
    question = "Does the person on call at night have to climb the tower alone?"
    (asked,) = await similarities(question, "Yes.", ["No."], embedder)
    assert bare < asked < 1.0
