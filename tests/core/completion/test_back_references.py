"""Whether a question refers to what was said before it."""

import pytest

from core.completion.back_references import refers_back, resolve_former_or_latter, resolve_week


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
        ("Compare 5.0.0 and 5.1.0", "Who was the former manager?", "Who was the former manager?"),
        ("Compare 5.0.0 and 5.1.0", "was kann die letztere Version?", "was kann die letztere Version?"),
    ],
)
def test_the_latter_of_two_names_is_the_second_one(before: str, question: str, resolved: str) -> None:
    assert resolve_former_or_latter(question, before).question == resolved


def test_the_other_name_is_left_out() -> None:
    resolved = resolve_former_or_latter("and the former?", "What changed between 4.0.0 and 5.0.0?")
    assert resolved.question == "and 4.0.0?"
    assert "5" in resolved.left_out


@pytest.mark.parametrize(
    ("before", "question", "resolved"),
    [
        ("wer leitet in KW 50 die Spätschicht?", "und in der Woche drauf?", "wer leitet in KW 51 die Spätschicht?"),
        ("who is on call in week 7?", "and the week before?", "who is on call in week 6?"),
        ("who is on call in KW 05?", "and the week after?", "who is on call in KW 06?"),
        ("who is on call in week 52?", "and the week after?", "and the week after?"),
        ("who is on call in week 7 and week 8?", "and the week after?", "and the week after?"),
        ("who is on call?", "and the week after?", "and the week after?"),
        ("who is on call in week 7?", "and the week after the fair?", "and the week after the fair?"),
    ],
)
def test_the_week_after_is_counted_from_the_week_of_the_question_before(
    before: str, question: str, resolved: str
) -> None:
    assert resolve_week(question, before) == resolved
