"""How models say that the sources do not answer."""

import pytest

from core.answering.generative.refusal import refuses
from core.answering.generative.statements import statements_of
from core.model import NOT_FOUND


@pytest.mark.parametrize(
    "text",
    [
        NOT_FOUND,
        f'"{NOT_FOUND}"',
        f"{NOT_FOUND} [1]",
        f"{NOT_FOUND}\nThe sources are about clocks.",
        "The desired information cannot be found in the pool of evidence.",
        "The sources do not mention the price.",
        "There is no information about the price in the sources.",
        "The price is not specified.",
        "Die Quellen enthalten keine Angaben zum Preis.",
        "Der Preis wird nicht genannt.",
        "I don't know.",
    ],
)
def test_a_refusal_is_seen(text: str) -> None:
    assert refuses(statements_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "The price is 40 euros. [1]",
        "No. [1]",
        "The form does not need a signature. [1]",
        f"The price is 40 euros. [1] {NOT_FOUND}",
        "Smoking is not allowed.",
        "",
    ],
)
def test_an_answer_is_no_refusal(text: str) -> None:
    assert not refuses(statements_of(text))
