"""What a question is about: its content words."""

import pytest

from core.answering.focus import find_focus, select_content_words


@pytest.mark.parametrize(
    ("contracted", "written"),
    [
        ("What's the price of the bell's clapper?", "What is the price of the bell clapper?"),
        ("does it ring if I don’t wind it, and isn't it loud?", "does it ring if I do not wind it, and is it loud?"),
        ("they've moved what we'd hung", "they moved what we hung"),
        ("Wie geht's der Glocke?", "Wie geht es der Glocke?"),
    ],
)
def test_the_rest_of_a_contraction_is_no_content_word(contracted: str, written: str) -> None:
    assert select_content_words(contracted) == select_content_words(written)


def test_quotation_marks_and_french_articles_are_not_contractions() -> None:
    assert find_focus("l'horloge 's-Hertogenbosch' d'argent").words == (
        "l",
        "horloge",
        "s",
        "hertogenbosch",
        "d",
        "argent",
    )


@pytest.mark.parametrize(
    ("question", "answer_type"),
    [
        ("Was ist der Unterschied zwischen den beiden Schlüsseln?", "other"),
        ("„Was“ bedeutet das Wort auf dem Schild?", "other"),
        ("Was the office open on Sunday?", "yes_no"),
        ("Ist das Büro am Sonntag geöffnet?", "yes_no"),
        ("Who was it?", "person"),
    ],
)
def test_what_is_no_yes_or_no_question_in_german(question: str, answer_type: str) -> None:
    assert find_focus(question).answer_type == answer_type
