"""Tasks with assignee and due date."""

from __future__ import annotations

import pytest

from core.evidence.extract import extract
from core.model import Page

MARA = '<ac:link><ri:user ri:account-id="a"/></ac:link>'
BO = '<ac:link><ri:user ri:account-id="b"/></ac:link>'
DAY = '<time datetime="2026-05-03"/>'
NAMES = {"account-id:a": "Mara Lind", "account-id:b": "Bo Hall"}


def read(body: str, title: str = "The tower", state: str = "incomplete") -> str:
    task = f"<ac:task><ac:task-status>{state}</ac:task-status><ac:task-body>{body}</ac:task-body></ac:task>"
    content = f"<ac:task-list>{task}</ac:task-list>"
    return "\n".join(evidence.text for evidence in extract(Page("1", "DOC", title, "", content), names=NAMES).evidences)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{MARA} order ropes {DAY}", "[ ] order ropes (Mara Lind, until 3 May 2026)"),
        (f'<span class="placeholder-inline-tasks">{MARA} order ropes</span>', "[ ] order ropes (Mara Lind)"),
        (f"<p>{MARA} {BO} order ropes</p>", "[ ] order ropes (Mara Lind, Bo Hall)"),
        (f"{MARA}: order <b>new</b> ropes", "[ ] order new ropes (Mara Lind)"),
        (f"order ropes {DAY}", "[ ] order ropes (until 3 May 2026)"),
        (f"{MARA} order ropes by {DAY}", "[ ] order ropes by 2026-05-03 (Mara Lind)"),
        (f"{MARA} has ordered ropes", "[ ] Mara Lind has ordered ropes"),
        (f"{MARA}'s ropes are ordered", "[ ] Mara Lind's ropes are ordered"),
        (f"Ask {MARA} for ropes", "[ ] Ask Mara Lind for ropes"),
        (f"{MARA} {DAY}", "[ ] Mara Lind 2026-05-03"),
        (f'{MARA} order ropes <time datetime="some day"/>', "[ ] order ropes some day (Mara Lind)"),
        ("order ropes", "[ ] order ropes"),
    ],
)
def test_assignee_and_due_date_stand_behind_the_words(body: str, text: str) -> None:
    assert read(body) == text


def test_a_task_in_a_task_has_its_own() -> None:
    inner = f"<ac:task-list><ac:task><ac:task-body>{BO} cut them {DAY}</ac:task-body></ac:task></ac:task-list>"
    assert read(f"<p>{MARA} order ropes</p>{inner}") == (
        "[ ] order ropes (Mara Lind)\n  [ ] cut them (Bo Hall, until 3 May 2026)"
    )


def test_the_date_is_written_in_the_language_of_the_page_and_the_state_stays() -> None:
    text = read(f"{MARA} neue Seile für die Glocken bestellen {DAY}", "Aufgaben für die Türme", "complete")
    assert text == "[x] neue Seile für die Glocken bestellen (Mara Lind, bis 3. Mai 2026)"
