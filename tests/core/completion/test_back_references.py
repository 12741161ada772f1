"""Whether a question refers to what was said before it."""

import pytest

from core.completion.back_references import refers_back, resolve_former_or_latter


@pytest.mark.parametrize(
    ("question", "is_reference"),
    [
        ("was kostet das?", True),
        ("wo finde ich den", True),
        ("wem gehört der denn", True),
        ("wann ist das sommerfest", False),
        ("was ist der preis", False),
        ("what does the das do?", False),
    ],
)
def test_a_german_article_without_a_noun_refers_back(question: str, is_reference: bool) -> None:
    assert refers_back(question) == is_reference


@pytest.mark.parametrize(
    ("before", "question", "resolved"),
    [
        ("What changed between 4.0.0 and 5.0.0?", "which disk does the latter need?", "which disk does 5.0.0 need?"),
        ("Was unterscheidet Rook 4 und Rook 5?", "was kostet ersterer?", "was kostet Rook 4?"),
        ("What changed in 5.0.0?", "which disk does the latter need?", "which disk does the latter need?"),
        ("Are Ann, Bo and Cy here?", "and the latter?", "and the latter?"),
    ],
)
def test_the_latter_of_two_names_is_the_second_one(before: str, question: str, resolved: str) -> None:
    assert resolve_former_or_latter(question, before).question == resolved


def test_the_other_name_is_left_out() -> None:
    resolved = resolve_former_or_latter("and the former?", "What changed between 4.0.0 and 5.0.0?")
    assert resolved.question == "and 4.0.0?"
    assert "5" in resolved.left_out
