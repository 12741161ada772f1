"""What a question asks for: the type of its answer, and one thing or a list."""

import pytest

from core.wording.focus import find_carried_words, find_focus


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


@pytest.mark.parametrize(
    "question",
    [
        "Welche Version hat der Server?",
        "Welche Firmware-Version hatte das Gerät?",
        "Welche TPM version wurde genutzt?",
        "Welche neue Adresse hat das Büro?",
        "In welche Datei schreibt der Befehl?",
        "Welche Glocke ist die größte?",
        "which version are you on",
        "Which day are the bins emptied?",
        "What happens if there are no backups?",
        "Which manager approves trips that are expensive?",
        "which person is on call",
        "what is there",
    ],
)
def test_which_and_welche_with_a_singular_noun_or_verb_ask_for_one_thing(question: str) -> None:
    assert not find_focus(question).wants_list


@pytest.mark.parametrize(
    "question",
    [
        "Welche Versionen hat der Server?",
        "Welche Geräte wurden getestet?",
        "Welche kooperierenden Technologien gibt es?",
        "Welche Rechte hat ein Gast?",
        "Welche Hardware wurde genutzt?",
        "Für welche Maschinen ist das bekannt?",
        "Welche waren das?",
        "Welche Anfragen nie ankommen, steht wo?",
        "Weißt du, welche Systeme Wartung brauchen?",
        "Welche Unterstützung gibt es für Eltern?",
        "Welche Gestelle haben wir?",
        "Welche Klänge sind erlaubt?",
        "which guest OSes were tested",
        "what open source tools are used",
    ],
)
def test_which_and_welche_elsewhere_ask_for_a_list(question: str) -> None:
    assert find_focus(question).wants_list


@pytest.mark.parametrize(
    ("question", "carried"),
    [
        ("Who decides on a recall? (Recalls: hotlines open recall)", {"hotlines", "open"}),
        ("Who decides on a recall? (Recalls)", set()),
        ("Who decides on a recall?", set()),
        ("And at night? (Recalls: hotlines open)", set()),  # an ellipsis is about them
    ],
)
def test_words_of_the_question_before_are_told_from_those_of_a_whole_question(question: str, carried: set[str]) -> None:
    assert find_carried_words(question) == carried


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("woran lag das", "reason"),
        ("what was the root cause", "reason"),
        ("how come it is late", "reason"),
        ("was war der grund", "reason"),
        ("wie kommt man hin", "other"),
    ],
)
def test_a_reason_is_asked_for_in_several_ways(question: str, expected: str) -> None:
    assert find_focus(question).answer_type == expected
