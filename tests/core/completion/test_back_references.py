"""Whether a question refers to what was said before it."""

import pytest

from core.completion.back_references import refers_back


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
