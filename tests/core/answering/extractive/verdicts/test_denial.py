"""The verdict no of a sentence that only denies."""

from dataclasses import replace

import pytest

from core.answering.extractive.verdicts.denial import read_denial
from core.answering.extractive.verdicts.yes_no_question import read_yes_no_question
from core.wording.focus import find_focus
from tests.core.answering.examples import chosen, evidence, ranked


def _denies(question: str, text: str, rating: float = 9.0, kind: str = "passage") -> bool:
    asked = read_yes_no_question(find_focus(question))
    assert asked
    [found] = ranked(evidence(text, kind="list" if kind == "list" else "passage"))
    verdict = read_denial(asked, replace(chosen(found, 0)[0], rating=rating))
    return verdict is not None and not verdict.says


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("can I ship on a Friday?", "- No production release on Fridays, nor on the last day of a month"),
        ("Does version 2 work with OVN?", "Info: Firewall v2 has no support for OVN currently."),
        ("may I use this address privately?", "The domain shall not be used for personal e-mail."),
        ("Kann ich mir Überstunden auszahlen lassen?", "Auszahlung ist nicht vorgesehen, sie werden abgefeiert."),
    ],
)
def test_a_sentence_that_denies_and_is_rated_as_the_answer_says_no(question: str, text: str) -> None:
    assert _denies(question, text)
    assert not _denies(question, text, rating=2.0)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("May I work from Switzerland?", "Working from outside is not permitted, with the exception of Switzerland."),
        ("should I import the keys?", "The keys are not signed, and should be imported."),
        ("is cone mode the default?", "In the past, this was not the default."),
        ("is it safe on a live cluster?", "It is safe as long as you do not pass names."),
        ("is it forbidden to ship on a Friday?", "No releases on Fridays."),
        ("Is the port open?", "The port is open."),
        ("may others see it?", "No other users can see it without a key."),
    ],
)
def test_limits_exceptions_and_other_clauses_give_no_verdict(question: str, text: str) -> None:
    assert not _denies(question, text)
