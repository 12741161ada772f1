"""``wikiwhy explain``: show which sources an answer rests on, by leaving them out."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from bot.cli.document import draw_explanation, draw_question_and_answer
from bot.cli.json_views import make_explanation_json
from bot.cli.options import AsJson, DataDir, errors, load_command_settings, print_json, run, show
from bot.operations.operation import Event, Operations, open_operations
from bot.operations.questions import ExplainAnswer
from core.attribution.explainer import Explanation
from core.model import Turn
from core.timing import Progress

_INTERRUPTED = "Interrupted. Nothing was stored. Run the same command again to start over."


def explain(
    context: typer.Context,
    turn_id: Annotated[
        str, typer.Argument(help="The answer's id, as ask --json and /trace in chat show it.", metavar="TURN_ID")
    ],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show which sources an answer rests on."""
    with open_operations(load_command_settings(context, data_dir)) as operations:
        turn, explanation = run(explain_with_progress(operations, turn_id), _INTERRUPTED)
    if as_json:
        print_json(make_explanation_json(turn, explanation))
    else:
        show(draw_question_and_answer(turn))
        show(Text())
        show(draw_explanation(turn, explanation))


async def explain_with_progress(operations: Operations, turn_id: str) -> tuple[Turn, Explanation]:
    """Explain a turn, and show progress on standard error."""
    with errors.status("leaving sources out …") as status:

        def show_progress(event: Event) -> None:
            if isinstance(event, Progress):
                status.update(f"answering without each source: {event.done} of {event.total} …")

        return await operations.execute(ExplainAnswer(turn_id), show_progress)
