"""When a sentence says that something is not in use any more."""

import pytest

from core.answering.extractive.units import ScoredUnit
from core.answering.extractive.verdicts.end_of_use import read_end_of_use
from core.wording.focus import find_focus
from tests.core.answering.examples import evidence, ranked


def is_over(question: str, *parts: str, title: str = "Tools", heading: str = "") -> bool:
    item = evidence(*parts, title=title, heading=heading)
    unit = ScoredUnit(ranked(item)[0], len(parts) - 1, parts[-1], 1.0, 1.0, 0.0)
    verdict = read_end_of_use(find_focus(question), unit)
    return verdict is not None and not verdict.says


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Do we still use Belfry?", "Belfry is deprecated."),
        ("Do we still use Belfry?", "Belfry was replaced by Sparrow in 2024."),
        ("Do we still rely on Belfry?", "Since May, the Belfry server has been decommissioned."),
        ("Is Belfry still maintained?", "Belfry is no longer maintained."),
        ("Is Belfry supported?", "Support for Belfry was dropped."),
        ("Can I still use Belfry?", "Belfry has been removed, use Sparrow."),
        ("Nutzen wir Belfry noch?", "Belfry is no longer used."),
        ("Wird Belfry noch verwendet?", "Belfry wurde durch Sparrow ersetzt."),
        ("Is Belfry still used?", "Belfry wird nicht mehr gepflegt."),
        ("Should we use Belfry 4?", "Belfry 4 is obsolete."),
    ],
)
def test_a_sentence_about_the_end_of_a_thing_answers_whether_it_is_in_use(question: str, sentence: str) -> None:
    assert is_over(question, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Do we still use Belfry?", "Belfry may be deprecated."),
        ("Do we still use Belfry?", "Belfry will be replaced by Sparrow."),
        ("Do we still use Belfry?", "Belfry is not deprecated."),
        ("Do we still use Belfry?", "Sparrow was replaced by Belfry."),
        ("Do we still use Belfry?", "The old Belfry server was retired."),
        ("Do we still use Belfry?", "The manual of Belfry is obsolete."),
        ("Do we still use Belfry 5?", "Belfry 4 is obsolete."),
        ("Do we still use Belfry?", "If Belfry is deprecated, use Sparrow."),
        ("Can I still use Belfry?", "Belfry is deprecated."),
        ("Is Belfry still supported?", "Belfry is deprecated."),
        ("Does Belfry ring at noon?", "Belfry is deprecated."),
        ("How do we use Belfry?", "Belfry is deprecated."),
        ("Is Belfry no longer used?", "Belfry is deprecated."),
    ],
)
def test_a_sentence_about_something_else_or_in_doubt_leaves_it_open(question: str, sentence: str) -> None:
    assert not is_over(question, sentence)


def test_this_stands_for_the_page_or_the_section() -> None:
    question, sentence = "Do we still rely on Belfry in 5.0?", "This project is deprecated in 5.0 and later."
    assert is_over(question, sentence, title="Belfry and Sparrow", heading="Belfry")
    assert not is_over(question, sentence, title="Sparrow")
    assert not is_over("Do we still rely on Belfry in 6.0?", sentence, title="Belfry")
