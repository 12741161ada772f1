"""Words that stand in the same sentences but say something else."""

from __future__ import annotations

import pytest

from core.wording.opposites import has_opposite


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("close", "The reception opens at 08:00."),
        ("opens", "It is closed on Sundays."),
        ("geöffnet", "Die Werkstatt schließt um 16 Uhr."),
        ("mindestens", "Höchstens drei Tage."),
    ],
)
def test_a_text_has_the_opposite_in_any_form(word: str, text: str) -> None:
    assert has_opposite(word, text)


def test_the_same_word_and_unrelated_ones_are_no_opposites() -> None:
    assert not has_opposite("close", "The reception closes at 18:30.")
    assert not has_opposite("close", "Opening hours: 8:00 to 18:00")
    assert not has_opposite("reception", "The reception opens at 08:00.")
