"""``wikiwhy explain``: which sources an answer really rests on, found by taking them away."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from bot.cli.explain_view import explanation_view
from bot.cli.json_views import explanation_json
from bot.cli.options import AsJson, DataDir, errors, plain, print_json, run, settings_for, show
from bot.explaining import explainer_for, turn_to_explain
from bot.wiring import Application, opened
from core.attribution.explaining import Explanation
from core.model import Scope, Turn
from core.ports import Progress

_INTERRUPTED = "interrupted; what was found out is not kept, explaining it again starts anew"


def explain(
    context: typer.Context,
    turn_id: Annotated[
        str, typer.Argument(help="Of an answer: ask --json gives it, chat's /trace shows it.", metavar="TURN_ID")
    ],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show which sources an answer really rests on."""
    with opened(settings_for(context, data_dir)) as application:
        turn, explanation = run(_explained(application, turn_id), _INTERRUPTED)
    if as_json:
        print_json(explanation_json(turn, explanation))
    else:
        asked = Text(f"› {plain(turn.question.as_asked)}", style="bold")
        show(Group(asked, *[Text(plain(turn.answer.text))] * turn.answer.answered, Text()))
        show(explanation_view(turn, explanation))


async def _explained(application: Application, turn_id: str) -> tuple[Turn, Explanation]:
    turn = await turn_to_explain(application, turn_id, Scope())
    return turn, await explained(application, turn)


async def explained(application: Application, turn: Turn) -> Explanation:
    """Explains a turn, and shows meanwhile on standard error how far that has come."""
    with errors.status("taking sources away …") as status:

        def tell(progress: Progress) -> None:
            status.update(f"answering without each source: {progress.done} of {progress.total} …")

        explainer = await explainer_for(application, turn)
        return await explainer.explain(turn, on_progress=tell)
