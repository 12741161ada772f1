from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.languages import (
    CATALOGUES,
    DETECTED,
    choose_catalogue,
    detect_catalogue,
    detect_language,
    is_clearly_not_in,
    is_language_clear,
    name_language,
)

ROOT = Path(__file__).parents[2]
SHORT = json.loads((ROOT / "benchmarks/questions/languages/detection.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What was the build used for the tests?", "en"),
        ("Welches BIOS wurde für die Tests eingesetzt?", "de"),
        ("Größe?", "de"),
        ("", "en"),
        ("?! 42", "en"),
        ("OpenXT 9.0", "en"),
        ("Quels sont les délais des livraisons ?", "fr"),
        ("¿y en Portugal?", "es"),
        ("VPN", "en"),
        ("VPNは？", "ja"),
        ("Jira Confluence Bitbucket の URL は", "ja"),
        ("VPN은?", "ko"),
        ("上海的酒店限额是多少", "zh"),
    ],
)
def test_the_language_of_a_short_text(text: str, expected: str) -> None:
    assert detect_language(text) == expected


@pytest.mark.parametrize("language", SHORT)
def test_short_questions_are_told_apart(language: str) -> None:
    right = sum(detect_language(question) == language for question in SHORT[language])
    assert right >= len(SHORT[language]) - 1


@pytest.mark.parametrize("language", CATALOGUES)
def test_questions_about_the_samples_are_in_their_language(language: str) -> None:
    conversations = json.loads((ROOT / "samples/questions.json").read_text("utf-8"))
    questions = {turn[f"q_{language}"] for each in conversations for turn in each["turns"]}
    assert [question for question in questions if detect_language(question) != language] == []


def test_the_title_in_a_completed_question_does_not_count() -> None:
    assert detect_language("et à Paris ? (Travel and expenses policy of the company: what is the limit)") == "fr"
    assert detect_language("(Travel and expenses policy)") == "en"


def test_the_bots_texts_are_english_where_there_is_no_catalogue() -> None:
    assert detect_catalogue("Wo finde ich das Formular?") == "de"
    assert detect_catalogue("Où trouver le formulaire ?") == "en"
    assert all(choose_catalogue(code) in CATALOGUES for code in DETECTED)


def test_every_language_that_is_told_apart_has_a_name() -> None:
    names = {code: name_language(code) for code in DETECTED}
    assert all(name != code for code, name in names.items())
    assert (names["fr"], names["ja"], name_language("fr", "de")) == ("French", "Japanese", "Französisch")
    assert name_language("xx") == "xx"


def test_only_a_clear_text_is_in_another_language() -> None:
    french = "Le plafond pour un hôtel est de 165 € par nuit, petit-déjeuner compris."
    assert is_clearly_not_in(french, "en", 4)
    assert not is_clearly_not_in(french, "fr", 4)
    assert is_clearly_not_in("The limit of a hotel is 165 € for each night.", "fr", 4)
    assert not is_clearly_not_in("165 € (Vestry)", "fr", 4)
    assert not is_language_clear("165 €", 3)


@given(st.text())
def test_any_text_has_a_language_that_is_told_apart(text: str) -> None:
    assert detect_language(text) in DETECTED
    is_language_clear(text, 3)
