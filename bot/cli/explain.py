"""``wikiwhy explain``: which sources an answer really rests on, found by leaving them out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import typer
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from bot.cli.json_views import explanation_json
from bot.cli.options import AsJson, DataDir, errors, plain, print_json, run, settings_for, show
from bot.cli.views import address
from bot.operations.connect import open_operations
from bot.operations.operation import Event, Operations
from bot.operations.questions import ExplainAnswer
from core.attribution.explainer import Explanation
from core.model import Turn
from core.timing import Progress
from core.views import explanation as explanation_building
from core.views.building import answer_text, question_text
from core.views.model import BarView, ExplanationView, PlaceView

_INTERRUPTED = "interrupted; what was found out is not kept, explaining it again starts anew"
_BAR = 30  # columns
_EIGHTHS = " ▏▎▍▌▋▊▉"


def explain(
    context: typer.Context,
    turn_id: Annotated[
        str, typer.Argument(help="Of an answer: ask --json gives it, chat's /trace shows it.", metavar="TURN_ID")
    ],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show which sources an answer really rests on."""
    with open_operations(settings_for(context, data_dir)) as operations:
        turn, explanation = run(explain_with_progress(operations, turn_id), _INTERRUPTED)
    if as_json:
        print_json(explanation_json(turn, explanation))
    else:
        asked = Text(f"› {plain(question_text(turn.question))}", style="bold")
        show(Group(asked, *[Text(plain(answer_text(turn)))] * turn.answer.answered, Text()))
        show(explanation_view(turn, explanation))


async def explain_with_progress(operations: Operations, turn_id: str) -> tuple[Turn, Explanation]:
    """Explains a turn, and shows the progress on standard error."""
    with errors.status("taking sources away …") as status:

        def show_progress(event: Event) -> None:
            if isinstance(event, Progress):
                status.update(f"answering without each source: {event.done} of {event.total} …")

        return await operations.execute(ExplainAnswer(turn_id), show_progress)


def explanation_view(turn: Turn, explanation: Explanation) -> RenderableType:
    """Shares as bars with their sources, what changed nothing, the verdict, and the answer without the first source."""
    view = _with_errors(explanation_building.explanation_view(turn, explanation), explanation)
    if not view.heading:
        return Text(plain(view.verdict), style="yellow")
    parts: list[RenderableType] = [Text(view.heading, style="bold")]
    parts += [line for bar in view.bars for line in (Text(), _bar(bar), *_sources(bar))]
    parts += _others(*view.unmoved)
    parts += _others(*view.unknown)
    parts += [_Indented(Text(plain(cause), style="yellow"), 2) for cause in view.causes]
    parts += [Text(), Text(plain(view.verdict), style="bold")]
    parts += _ending(view)
    return Group(*parts)


def _with_errors(view: ExplanationView, explanation: Explanation) -> ExplanationView:
    """The view with errors in full: users of a terminal may know the servers that they name."""
    top = explanation.top
    errors = [cluster.result.error for cluster in explanation.clusters if cluster.share is None]
    causes = tuple(dict.fromkeys(error for error in errors if error))
    return replace(view, causes=causes or view.causes, problem=(view.problem and top.result.error) if top else "")


def _ending(view: ExplanationView) -> Iterator[RenderableType]:
    """The answer without the top cluster, and how the explanation was made."""
    yield from _quoted(*view.without_top)
    if view.problem:
        yield Text(plain(view.problem), style="yellow")
    yield from _quoted(*view.compared_with, style="dim")
    for note in (*view.notes, view.made):
        yield Text(note, style="dim")


def _quoted(sentence: str, answer: str, style: str = "") -> Iterator[RenderableType]:
    if sentence:
        yield Text(sentence, style=style)
    if answer:
        yield _Indented(Text(plain(answer), style=style), 4)


@dataclass(frozen=True, slots=True)
class _Indented:
    """Text moved right by so many columns."""

    text: Text
    columns: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.no_wrap:  # for a file or a program: padding would cut the text at a width that nobody sees
            yield Text("\n").join(Text.assemble(" " * self.columns, line) for line in self.text.split())
        else:
            yield Padding(self.text, (0, 0, 0, self.columns), expand=False)


def _bar(bar: BarView) -> Text:
    full, eighth = divmod(round(bar.share * _BAR * 8), 8)
    filled = "█" * full + (_EIGHTHS[eighth] if eighth else "")
    return Text.assemble((f"{filled or '▏':{_BAR}}", "cyan"), (f"{bar.percent:>6}", "bold"))


def _sources(bar: BarView) -> Iterator[Text]:
    for place in bar.places:
        yield _place(place)
        if place.url:
            yield address(place.url)


def _others(heading: str, places: tuple[PlaceView, ...]) -> Iterator[RenderableType]:
    """Clusters without a share, a line a place, which is a link where the terminal has links."""
    if not places:
        return
    yield Text()
    yield Text(heading, style="dim")
    for place in places:
        url = plain(place.url)
        link = url if url.startswith(("http://", "https://")) else None
        yield _Indented(Text.assemble(_place(place), style=Style(dim=True, link=link)), 4)


def _place(place: PlaceView) -> Text:
    numbers = "".join(f"[{number}]" for number in place.numbers)
    name = plain(" › ".join(filter(None, (place.title, *place.heading_path))))
    return Text.assemble((f"{numbers} " if numbers else "", "bold cyan"), name, (f" ({place.kinds})", "dim"))
