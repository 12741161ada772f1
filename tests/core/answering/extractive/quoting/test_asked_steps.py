"""One step of a procedure, and procedures for questions how to do a thing."""

from dataclasses import replace

import pytest

from core.answering.extractive.quoting.asked_steps import put_steps_first, quote_asked_step
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked

STEPS = evidence(
    "1. Make a branch.\n```\ngit switch -c x\n```",
    "2. Raise the version number.",
    "3. Upload it.",
    kind="list",
    title="Release the app",
    heading="Procedure",
    numbers=(1, 2, 3),
)
TEXT = evidence("The app is released on Tuesdays.", title="Release the app", ordinal=1)


@pytest.mark.parametrize(
    ("question", "step"),
    [
        ("what about the second step", "2. Raise"),
        ("and step 3?", "3. Upload"),
        ("what is the last step", "3. Upload"),
        ("was ist der zweite schritt", "2. Raise"),
        ("und der 1. Schritt?", "1. Make"),
        ("und Schritt 3 (Release the app: first step)", "3. Upload"),
        ("what is step 4", ""),
        ("how many steps are there", ""),
        ("what comes first (The second step)", ""),
    ],
)
def test_a_step_is_quoted_by_its_number(question: str, step: str) -> None:
    found = ranked(TEXT, STEPS)
    units = [*chosen(found[0], 0), *chosen(found[1], 2, 0, 1)]
    quoted = quote_asked_step(find_focus(question), units, found)
    assert [quotation.quote.startswith(step) for quotation in quoted] == ([True] if step else [])


@pytest.mark.parametrize(
    ("question", "is_first"),
    [
        ("how do i release it", True),
        ("wie mache ich das", True),
        ("was tun", True),
        ("how do i release it on tuesdays", False),  # only the sentence says so
        ("who releases it", False),
    ],
)
def test_a_procedure_comes_first_for_a_question_how(question: str, is_first: bool) -> None:
    found = ranked(TEXT, STEPS)
    units = [*chosen(found[0], 0), replace(chosen(found[1], 1)[0], score=0.96)]
    assert (put_steps_first(find_focus(question), units)[0] is units[1]) is is_first
