"""The tasks of a person: what somebody has to do."""

from __future__ import annotations

from typing import Any, cast

import pytest

from core.gathering.additional_evidences import add_whole_tables
from core.model import Scope
from core.ports.store import EvidenceStore
from tests.core.reading.tables import NoEmbedder, StoredBlocks, compute, evidences
from tests.core.reading.test_days import write_table

ACTIONS = write_table(
    ("Action", "Who", "Due"),
    ("Order the new winch", "Mara Lind", "12 May"),
    ("Paint the slipway", "Bo Hall", "19 May"),
    ("Call the insurer", "Mara Lind", "2 June"),
    ("Invite the neighbours", "Jules de Wit, Bo Hall", "9 June"),
)
AUFGABEN = write_table(
    ("Aufgabe", "Verantwortlich", "Frist"),
    ("Winde bestellen", "Jana Kern", "12.05.2026"),
    ("Prospekte drucken", "Paul von Ost", "19.05.2026"),
    ("Versicherung anrufen", "Jana Kern", "02.06.2026"),
)
SHIFTS = write_table(
    ("Week", "Who", "Depot"),
    ("45", "Mara Lind", "Penbury"),
    ("46", "Bo Hall", "Penbury"),
    ("47", "Mara Lind", "Dunmere"),
)
NAMESAKES = write_table(
    ("Task", "Owner"),
    ("Order the new winch", "Mara Lind"),
    ("Paint the slipway", "Bo Hall"),
    ("Call the insurer", "Mara Olsen"),
)


PARTLY_DONE = write_table(
    ("Task", "Owner", "Status"),
    ("Order the new winch", "Mara Lind", "Done"),
    ("Paint the slipway", "Bo Hall", "Open"),
)
PERMISSIONS = write_table(("Action", "Who"), ("Order the new winch", "Mara Lind"), ("Paint the slipway", "Bo Hall"))
STOCK = write_table(("Item", "Owner"), ("Order the new winch", "Mara Lind"), ("Paint the slipway", "Bo Hall"))
OTHER_MARA = write_table(
    ("Task", "Owner"),
    ("Sweep the pier", "Mara Olsen"),
    ("Order the new winch", "Bo Hall"),
)


def ask(question: str, content: str = ACTIONS, title: str = "Harbour round") -> str:
    found = compute(question, evidences(content, title))
    return found.answer.text if found else ""


@pytest.mark.parametrize(
    "question",
    [
        "what does Mara have to do",
        "What does mara lind still need to do?",
        "what must Mara do",
        "what is Mara supposed to do?",
        "what should Mara do for the harbour round?",
        "what are Mara's tasks",
        "Mara's action items?",
        "tasks of Mara Lind",
        "todos for mara",
        "what did Mara get to do",
        "what is on Mara's plate",
    ],
)
def test_the_tasks_of_a_person_are_listed_without_those_of_others(question: str) -> None:
    answer = ask(question)
    assert "winch" in answer
    assert "insurer" in answer
    assert "slipway" not in answer
    assert "neighbours" not in answer


@pytest.mark.parametrize(
    "question",
    [
        "Was muss Jana machen?",
        "was hat Jana noch zu tun",
        "was soll jana kern erledigen",
        "Was sind Janas Aufgaben?",
        "Aufgaben von Jana",
        "Was muss Jana alles tun?",
    ],
)
def test_german_questions_list_them_too(question: str) -> None:
    answer = ask(question, AUFGABEN, "Hafenrunde")
    assert "Winde" in answer
    assert "Versicherung" in answer
    assert "Prospekte" not in answer


@pytest.mark.parametrize("question", ["what does Jules have to do", "What must Jules de Wit do?"])
def test_a_task_of_several_people_is_one_of_each(question: str) -> None:
    answer = ask(question)
    assert "neighbours" in answer
    assert "winch" not in answer


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("what does Mara have to do", SHIFTS),  # no tasks
        ("what does Mara have to do", NAMESAKES),  # two people
        ("what does Mara have to do", f"{NAMESAKES}<h2>Pier</h2>{OTHER_MARA}"),
        ("what does Mara have to do", f"{ACTIONS}<h2>Pier</h2>{OTHER_MARA}"),
        ("what does Mara still have to do", PARTLY_DONE),
        ("what does Mara have to do", PERMISSIONS),
        ("what does Mara have to do", STOCK),
        ("what does Mara have to do with the insurer", ACTIONS),
        ("what does the winch have to do", ACTIONS),
        ("what do we have to do", ACTIONS),
        ("what does Mara have to do before the audit", ACTIONS),  # a word that nothing binds
        ("what does Mara not have to do", ACTIONS),
        ("what must Lind's successor do", ACTIONS),
        ("what is Mara doing", ACTIONS),
    ],
)
def test_other_questions_are_no_list_of_tasks(question: str, content: str) -> None:
    answer = ask(question, content)
    assert ("Order the new winch" not in answer and "Sweep" not in answer) or "Paint" in answer


def task(text: str, state: str = "incomplete") -> str:
    return f"<ac:task><ac:task-status>{state}</ac:task-status><ac:task-body>{text}</ac:task-body></ac:task>"


TASKS = "".join(
    (
        "<h2>Tasks</h2><ac:task-list>",
        task("@Mara Lind order the new winch until 12 May"),
        task("Bo: paint the slipway, ask Mara for the colour", "complete"),
        task("Call the insurer (Mara Lind, until 2 June)"),
        task("Invite Mara Lind to the summer party"),
        "</ac:task-list>",
    )
)


@pytest.mark.parametrize(
    "question",
    [
        "what does Mara have to do",
        "what's Mara's todo from the harbour round",
        "which tasks does Mara have?",
        "what is assigned to mara lind",
        "welche Aufgaben hat Mara",
    ],
)
def test_the_items_of_a_task_list_that_are_assigned_to_a_person_are_listed(question: str) -> None:
    answer = ask(question, TASKS)
    assert answer.startswith("2 ")
    assert "winch" in answer
    assert "insurer" in answer


def test_joint_tasks_are_listed_and_ticked_ones_are_not() -> None:
    tasks = "".join(
        (
            "<ac:task-list>",
            task("Mara and Kim: buy rope"),
            task("Sell the boat (Kim/Bo)"),
            task("@Kim Call the vendor"),
            task("Kim: sweep the pier", "complete"),
            task("Note: the gate is closed"),
            "</ac:task-list>",
        )
    )
    answer = ask("what does Kim have to do", tasks)
    assert answer.startswith("3 of 5")
    assert all(each in answer for each in ("rope", "boat", "vendor"))
    assert "pier" not in answer


def test_a_task_list_of_another_meeting_has_no_tasks_of_the_one_that_is_named() -> None:
    assert "winch" not in ask("what's Mara's todo from the lab ops weekly", TASKS)
    assert not ask("what are Olga's tasks", TASKS)


async def test_the_tasks_of_a_person_are_found_in_a_table_of_which_only_a_row_was_retrieved() -> None:
    rows = evidences(ACTIONS, "Harbour round")
    store = cast(EvidenceStore, cast(Any, StoredBlocks(tuple(each.evidence for each in rows))))
    found = [each for each in rows if "insurer" in each.evidence.text and each.evidence.kind == "table_row"][:1]
    assert found
    added = await add_whole_tables("what does Mara have to do", found, Scope(), store, NoEmbedder())
    computed = compute("what does Mara have to do", added)
    assert computed
    assert all(item in computed.answer.text for item in ("winch", "insurer"))
    assert "slipway" not in computed.answer.text
