from __future__ import annotations

import pytest

from core.attribution.explainer import Conclusion, find_conclusions, has_effect
from core.model import NOT_FOUND, AblationResult


def moved(contribution: float | None, *answers: str) -> AblationResult:
    given = answers or ("Other.",)
    return AblationResult((0,), contribution, answers=given, answered=tuple(text != NOT_FOUND for text in given))


NOTHING, SLIGHT, MUCH, FAILED = moved(0.0), moved(0.01), moved(0.2), moved(None)
GONE = moved(0.2, NOT_FOUND)


@pytest.mark.parametrize(
    ("by_cluster", "by_page", "all_cited", "expected"),
    [
        ([NOTHING, NOTHING], [NOTHING], None, ["not_grounded"]),
        ([NOTHING, NOTHING], [NOTHING], NOTHING, ["not_grounded"]),
        ([NOTHING, NOTHING], [NOTHING], MUCH, ["redundant"]),
        ([NOTHING, SLIGHT], [NOTHING], GONE, ["redundant"]),
        ([NOTHING, NOTHING], [MUCH], NOTHING, ["redundant"]),
        ([NOTHING, SLIGHT], [NOTHING], SLIGHT, []),
        ([NOTHING, NOTHING], [NOTHING], FAILED, ["unknown"]),
        ([FAILED, FAILED], [], None, ["unknown"]),
        ([FAILED, NOTHING], [NOTHING], None, ["unknown"]),
        ([FAILED, MUCH], [NOTHING], None, []),
        ([MUCH, MUCH], [MUCH], None, []),
        ([GONE, NOTHING], [GONE], None, ["single_page"]),
        ([FAILED, NOTHING], [GONE], None, ["single_page"]),
        ([GONE, NOTHING], [MUCH], None, []),
    ],
)
def test_conclusions(
    by_cluster: list[AblationResult],
    by_page: list[AblationResult],
    all_cited: AblationResult | None,
    expected: list[Conclusion],
) -> None:
    assert find_conclusions("The answer. [1]", by_cluster, by_page, all_cited) == expected


@pytest.mark.parametrize(
    ("answer", "without", "opposite"),
    [
        ("Yes, you may. [1]", "No. [1]", True),
        ("Nein, das geht nicht.", "Ja, das geht.", True),
        ("**No**, never.", "Yes.", True),
        ("Yes, you may. [1]", "Yes, but ask first.", False),
        ("Nobody may.", "Yes.", False),
        ("No one knows it.", "Known to all.", False),
    ],
)
def test_a_yes_that_becomes_a_no_rests_on_that_page(answer: str, without: str, opposite: bool) -> None:
    page = moved(0.1, without)
    assert find_conclusions(answer, [page], [page]) == (["single_page", "opposite"] if opposite else [])


def test_one_draw_of_several_is_no_conclusion() -> None:
    assert find_conclusions("Yes.", [MUCH], [moved(0.1, NOT_FOUND, "Yes, a bit.", "Yes.")]) == []
    assert find_conclusions("Yes.", [MUCH], [moved(0.1, NOT_FOUND, "Yes, a bit.", NOT_FOUND)]) == ["single_page"]


def test_an_answer_with_the_words_of_not_found_is_one_if_it_is_said_to_be() -> None:
    page = AblationResult((0,), 0.1, answers=(NOT_FOUND,), answered=(True,))
    assert find_conclusions(NOT_FOUND, [page], [page]) == []


def test_an_answer_is_grounded_if_one_cluster_moves_it() -> None:
    assert not has_effect([NOTHING, FAILED, moved(1e-7)])
    assert has_effect([NOTHING, moved(1e-5)])
