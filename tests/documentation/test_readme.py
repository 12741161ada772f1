"""The example in the README is what the demo shows."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console, RenderableType

from bot.cli.document import draw_answer, draw_explanation
from bot.explainers import make_explainer
from bot.wiring import Application
from core.conversation import QuestionToAnswer
from core.model import HistoryMessage

ROOT = Path(__file__).parents[2]
FIRST = "What is the hotel limit per night in the Netherlands in 2026?"


def draw(shown: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(shown)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_the_example_of_an_explanation_is_what_the_demo_shows(sample_wiki: Application) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f'Ask "{FIRST}", then "And in Germany?", then `/explain`' in " ".join(readme.split())
    _, _, rest = readme.partition("› And in Germany?\n")
    example = [line for line in rest.partition("```")[0].splitlines() if line and not line.startswith("›")]

    assistant = sample_wiki.make_assistant()
    before = await assistant.answer_question(QuestionToAnswer("t1", "c", "", FIRST))
    history = (HistoryMessage("user", FIRST), HistoryMessage("assistant", before.answer.text))
    turn = await assistant.answer_question(QuestionToAnswer("t2", "c", "", "And in Germany?", history))
    explanation = await (await make_explainer(sample_wiki, turn)).explain(turn)
    shown = draw(draw_answer(turn)) + draw(draw_explanation(turn, explanation))
    missing = [line for line in example if line.removesuffix("…").rstrip() not in shown]
    assert (len(example), missing) == (9, [])
