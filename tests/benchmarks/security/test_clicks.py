"""A small run of the combinations of clicks and places; all of them: `python -m benchmarks.security clicks`."""

from __future__ import annotations

from inspect import iscoroutinefunction

from benchmarks.security import clicks
from bot.chat.clicked_answers import ClickedAnswers


def test_all_combinations_are_made() -> None:
    cases = clicks.all_cases()
    assert len(cases) == len(set(cases)) == 2 * (2 * 4 * 4 + 1) * 3 * len(clicks.CLICKS)


def test_no_click_sees_more_than_a_new_question() -> None:
    assert clicks.main(["--cases", "75"]) == 0


def test_each_action_of_an_answer_is_attacked() -> None:
    actions = {name for name, each in vars(ClickedAnswers).items() if iscoroutinefunction(each) and name[0] != "_"}
    called = {"suggested": "ask_suggestion", "good": "save_feedback", "reason": "save_feedback"}
    assert {called.get(click, click) for click in clicks.CLICKS} == actions
