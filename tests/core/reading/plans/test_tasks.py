"""Task lists: what is done and what is open, in all lists of a page or in the one that is named."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.gathering.additional_evidences import add_whole_tables
from core.model import RankedEvidence, Scope
from core.ports.store import EvidenceStore
from tests.core.reading.tables import NoEmbedder, StoredBlocks, compute, evidences


def write_tasks(*tasks: tuple[bool, str]) -> str:
    written = (
        f"<ac:task><ac:task-status>{'complete' if done else 'incomplete'}</ac:task-status>"
        f"<ac:task-body>{text}</ac:task-body></ac:task>"
        for done, text in tasks
    )
    return f"<ac:task-list>{''.join(written)}</ac:task-list>"


ONBOARDING = (
    "<h2>First day</h2>"
    + write_tasks((True, "Collect a laptop"), (False, "Join the channel"))
    + "<h2>First week</h2>"
    + write_tasks((True, "Meet your buddy"), (False, "Deploy to staging"), (False, "Read the handbook"))
)
ALL = ["laptop", "channel", "buddy", "staging", "handbook"]
OPEN = ["channel", "staging", "handbook"]


@pytest.mark.parametrize(
    ("question", "headline", "items"),
    [
        ("Which onboarding tasks are still open?", "3 of 5 entries in “Onboarding checklist” match state: open:", OPEN),
        ("Which onboarding follow-up tasks are not done?", "3 of 5 ", OPEN),
        ("Which onboarding follow-ups are still open?", "3 of 5 ", OPEN),
        ("Which items of the onboarding checklist are not ticked?", "3 of 5 ", OPEN),
        ("Which onboarding tasks are unticked?", "3 of 5 ", OPEN),
        ("What is still open on the onboarding checklist?", "3 of 5 ", OPEN),
        ("How many onboarding tasks are done?", "2 of 5 ", ["laptop", "buddy"]),
        ("Which onboarding tasks of the first day are open?", "1 of 5 ", ["channel"]),
        ("Which tasks of the first week of onboarding are not finished?", "2 of 5 ", ["staging", "handbook"]),
        ("Welche Aufgaben im Onboarding sind noch offen?", "3 von 5 Einträgen in „Onboarding checklist“", OPEN),
        ("Was ist in der Onboarding checklist noch offen?", "3 von 5 Einträgen", OPEN),
        ("Wie viele Aufgaben im Onboarding sind erledigt?", "2 von 5 Einträgen", ["laptop", "buddy"]),
    ],
)
def test_items_are_chosen_by_their_state(question: str, headline: str, items: list[str]) -> None:
    found = compute(question, evidences(ONBOARDING, "Onboarding checklist"))
    text = found.answer.text if found else ""
    assert text.startswith(headline)
    assert [item for item in ALL if item in text] == items


@pytest.mark.parametrize(
    "question",
    [
        "Which printers are still open?",
        "Which offices are open?",
        "Which onboarding tasks of Ada are open?",
        "Which onboarding tasks are open or done?",
    ],
)
def test_the_state_alone_chooses_no_items(question: str) -> None:
    assert compute(question, evidences(ONBOARDING, "Onboarding checklist")) is None


def test_lists_without_a_state_have_none() -> None:
    items = "<ul><li>Collect a laptop</li><li>Join the channel</li></ul>"
    assert compute("Which onboarding tasks are open?", evidences(items, "Onboarding checklist")) is None


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 12), st.booleans())
def test_open_and_done_items_are_all_items(states: list[bool], cut: int, is_done: bool) -> None:
    tasks = [(state, f"Task number {at} of it") for at, state in enumerate(states)]
    page = "".join(
        f"<h2>Part {at}</h2>{write_tasks(*part)}" for at, part in enumerate((tasks[:cut], tasks[cut:])) if part
    )
    found = compute(f"How many onboarding tasks are {'done' if is_done else 'open'}?", evidences(page, "Onboarding"))
    wanted = [text for state, text in tasks if state is is_done]
    assert found is not None
    assert [row.cells["item"] for row in found.result.rows] == wanted


@pytest.mark.parametrize("before", [0, 3, 4, 9])
@pytest.mark.parametrize("retrieved", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("How many onboarding tasks are open?", OPEN),
        ("How many tasks are done?", ["laptop", "buddy"]),
        ("Which onboarding tasks are still open?", OPEN),
        ("Which onboarding tasks of the first day are open?", ["channel"]),
    ],
)
async def test_all_task_lists_of_a_page_are_read_whatever_its_rank(
    question: str, items: list[str], retrieved: tuple[int, ...], before: int
) -> None:
    others = [
        RankedEvidence(each.evidence, at, 0.0)
        for at in range(1, before + 1)
        for each in evidences(f"<p>The wall of house {at} is painted.</p>", f"House {at}", f"other-{at}")
    ]
    lists = [each.evidence for each in evidences(ONBOARDING, "Onboarding checklist") if each.evidence.kind == "list"]
    assert len(lists) == 2
    found = [*others, *(RankedEvidence(lists[at], before + at + 1, 0.0) for at in retrieved)]
    store = cast(EvidenceStore, cast(Any, StoredBlocks(tuple(lists))))
    added = await add_whole_tables(question, found, Scope(), store, NoEmbedder())
    computed = compute(question, added)
    assert computed
    assert [item for item in ALL if item in computed.answer.text] == items
