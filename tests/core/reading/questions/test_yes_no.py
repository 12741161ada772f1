"""Questions that are answered with yes or no, and those that only begin like one."""

from __future__ import annotations

import pytest

from core.reading.questions.yes_no import is_yes_no_question


@pytest.mark.parametrize(
    "question",
    [
        "Is the port open?",
        "Did the pump pass the leak test?",
        "Was the crane inspected in May?",
        "In the spring inspection, was the lift of the north tower OK?",
        "Can you print on both sides?",
        "Are there any open tasks for the bell?",
        "Gibt es einen Aufzug im Turm?",
        "Wurde der Kran im Mai geprüft?",
        "Kann man beidseitig drucken?",
        "Would the crane fit into the yard?",
        "Sollte man die Pumpe im Winter abschalten?",
        "Wäre der Turm dafür hoch genug?",
        "Könnten zwei Pumpen gleichzeitig laufen?",
    ],
)
def test_recognises_a_yes_or_no_question(question: str) -> None:
    assert is_yes_no_question(question)


@pytest.mark.parametrize(
    "question",
    [
        "Was wird bei der Wartung der Pumpe geprüft?",
        "Was sollte man nach einem Stromausfall tun?",
        "Was waren die Voraussetzungen für den Test der Pumpe?",
        "Im Kontext des Wartungsplans: Was tut der Regler?",
        "For which of the towers, were two inspections needed?",
        "Would you please explain what the gauge does?",
        "Could you please explain what the regulator does?",
        "Did the reset but the lamp is still on. How many seconds until it goes out?",
        "Can you tell me who inspects the crane?",
        "Is there any information about the isolation of the pump?",
        "Können Sie mir bitte erklären, was der Regler tut?",
        "Gibt es Informationen über die Isolierung der Pumpe?",
    ],
)
def test_a_question_that_asks_for_more_than_yes_or_no_is_none(question: str) -> None:
    assert not is_yes_no_question(question)
