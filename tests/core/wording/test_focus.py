"""What a question is about: its content words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.wording.focus import (
    find_carried_words,
    find_degrees,
    find_focus,
    match_text,
    select_content_words,
    strip_verb,
)


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


@pytest.mark.parametrize(
    ("number", "text", "share"),
    [
        ("7.16", "7.16.0 (1 May 2026)", 1.0),
        ("5.4", "Release 5.4.12.1", 1.0),
        ("5.4.0", "5.4 is out", 0.0),
        ("5.4", "5.41 15.4 15.4.0 5.40.1", 0.0),
        ("5", "5.4.0", 0.0),
        ("1.500", "1.500.000 €", 0.0),
        ("10:30", "10:30:15", 0.0),
    ],
)
def test_a_version_matches_one_that_continues_it_at_a_dot(number: str, text: str, share: float) -> None:
    assert match_text((number,), text) == [share]


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
    assert find_degrees(find_focus(question)) == degrees


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


@pytest.mark.parametrize(
    "forms",
    [
        ["zählen", "zählt", "gezählt", "zählte"],
        ["ausschalten", "ausgeschaltet", "auszuschalten", "ausschaltet", "ausschalte"],
        ["zusenden", "zugesendet", "zuzusenden"],
        ["kosten", "kostet", "gekostet", "kosteten"],
        ["pflegen", "pflegt", "gepflegte", "gepflegten"],
        ["zurückziehen", "zurückzieht", "zurückzuziehen"],
        ["einfrieren", "einzufrieren", "einfriert"],
    ],
)
def test_the_forms_of_a_german_verb_match_each_other(forms: list[str]) -> None:
    assert len({strip_verb(form) for form in forms}) == 1
    assert match_text(tuple(forms), forms[0]) == [1.0] * len(forms)


@pytest.mark.parametrize(
    ("word", "other"),
    [("gehalt", "halten"), ("gesetz", "setzen"), ("zugang", "gang"), ("gewinn", "winden"), ("zuerst", "erst")],
)
def test_other_words_that_begin_like_a_participle_do_not_match(word: str, other: str) -> None:
    assert match_text((word,), other) == [0.0]


@given(st.text("abcdefghijklmnopqrstuvwxyzäöüß", min_size=1, max_size=30))
def test_a_word_keeps_its_beginning_unless_it_is_a_participle(word: str) -> None:
    stem = strip_verb(word)
    assert len(stem) >= min(len(word), 3)
    assert word.startswith(stem) or "ge" in word or "zu" in word


@pytest.mark.parametrize(
    "question",
    [
        "Welche Version hat der Server?",
        "Welche Firmware-Version hatte das Gerät?",
        "Welche TPM version wurde genutzt?",
        "Welche neue Adresse hat das Büro?",
        "In welche Datei schreibt der Befehl?",
        "Welche Glocke ist die größte?",
    ],
)
def test_welche_with_a_singular_noun_or_verb_asks_for_one_thing(question: str) -> None:
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
    ],
)
def test_welche_elsewhere_asks_for_a_list(question: str) -> None:
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
