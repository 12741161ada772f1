"""What a question is about: its content words."""

import pytest

from core.wording.content_words import find_degrees, select_content_words
from core.wording.focus import find_focus


@pytest.mark.parametrize(
    ("contracted", "written"),
    [
        ("What's the price of the bell's clapper?", "What is the price of the bell clapper?"),
        ("does it ring if I don’t wind it, and isn't it loud?", "does it ring if I do not wind it, and is it loud?"),
        ("they've moved what we'd hung", "they moved what we hung"),
        ("Wie geht's der Glocke?", "Wie geht es der Glocke?"),
        (
            "whats the charge, and whos on duty if theres a fire",
            "what is the charge, and who is on duty if there is a fire",
        ),
        ("ive lost the key, wheres the spare", "I have lost the key, where is the spare"),
    ],
)
def test_the_rest_of_a_contraction_is_no_content_word(contracted: str, written: str) -> None:
    assert select_content_words(contracted) == select_content_words(written)


@pytest.mark.parametrize(
    "word",
    ["warum", "weshalb", "weswegen", "wieso", "wieviel", "wieviele", "woran", "worin", "worüber", "wozu", "wodurch"],
)
def test_a_question_word_is_no_content_word(word: str) -> None:
    assert select_content_words(f"{word} läutet die Glocke") == ("läutet", "glocke")


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
    ("question", "degrees"),
    [
        ("wie hoch ist der mindestumsatz", {"hoch"}),
        ("Wie teuer war die Glocke?", {"teuer"}),
        ("Wissen wir, wie schwer der Klöppel ist?", {"schwer"}),
        ("How high is the deposit for a long rope?", {"high"}),
        ("Wie zufrieden sind die hohen Glocken?", set()),
        ("Is the heavy bell the only one?", set()),
    ],
)
def test_an_adjective_after_how_asks_for_an_amount(question: str, degrees: set[str]) -> None:
    assert find_degrees(question) == degrees


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("durchwahl von frau wolter", ("durchwahl", "wolter")),
        ("Welche Nummer hat Herr Dr. Quandt?", ("nummer", "dr", "quandt")),
        ("fahrer des herrn okafor", ("fahrer", "okafor")),
        ("What is the extension of Ms. Rivera?", ("extension", "rivera")),
        ("desk of Mr Quandt", ("desk", "quandt")),
        ("Welche Frau leitet die Werkstatt?", ("frau", "leitet", "werkstatt")),
        ("Gibt es eine Frau im Turm?", ("frau", "turm")),
        ("within 20 ms latency of an mr review", ("20", "ms", "latency", "mr", "review")),
    ],
)
def test_a_title_before_a_name_is_no_content_word(question: str, words: tuple[str, ...]) -> None:
    assert find_focus(question).words == words


@pytest.mark.parametrize(
    ("typed", "short"),
    [
        ("Wer pflegt die Glocke gerade eigentlich?", "Wer pflegt die Glocke?"),
        ("Ich möchte mal die Glocke selbst läuten", "die Glocke läuten"),
        ("Wie viele Glocken hat jemand davon insgesamt schon?", "Glocken"),
        ("Krieg ich da eben noch irgendwo etwas Öl?", "Öl"),
        ("Wie kriegt man den Klöppel überhaupt wieder hin, und würde das mindestens genügen?", "Klöppel genügen"),
    ],
)
def test_german_fillers_are_no_content_words(typed: str, short: str) -> None:
    assert select_content_words(typed) == select_content_words(short)


def test_an_e_mail_is_one_word() -> None:
    assert select_content_words("Icinga schickt keine E-Mails") == select_content_words("Icinga schickt keine Emails")
