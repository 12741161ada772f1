"""How answers and their sources look in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.style import Style
from rich.text import Text

from bot.cli.options import plain
from core.i18n import message
from core.model import Citation, RankedEvidence, Turn
from core.views import building as answer_building
from core.views.building import order_by_citation, shorten_evidence


def answer_view(turn: Turn) -> RenderableType:
    """The answer as a person reads it: how it was understood, the text, its numbered sources, what to ask next."""
    view = answer_building.answer_view(turn)
    parts: list[RenderableType] = []
    if view.understood_as:
        parts.append(Text(f"Understood as: {plain(view.understood_as)}", style="dim italic"))
    if view.answered:
        parts += [Text(plain(view.text)), Text()]
        parts += [line for citation in view.citations for line in _citation_lines(citation)]
    else:
        parts.append(Text(view.text, style="yellow"))
    # Users of a terminal may know the servers that errors name.
    notes = [*view.notes, *dict.fromkeys(call.error for call in turn.trace.calls if call.error)]
    if notes:
        parts += [Text(), *(Text(plain(note), style="dim") for note in notes)]
    if view.suggestions:
        parts.append(suggestions_view(turn))
    return Group(*parts)


def suggestions_view(turn: Turn) -> RenderableType:
    """The suggested questions, numbered from 1, in the language of the question."""
    lines = [Text(), Text(message("You could also ask:").render(turn.question.language), style="dim")]
    for number, suggestion in enumerate(turn.suggestions, start=1):
        lines.append(Text.assemble((f"{number}. ", "bold cyan"), plain(suggestion.question)))
    return Group(*lines)


def _citation_lines(citation: Citation) -> Iterator[Text]:
    place = plain(citation.title + (f" › {citation.heading}" if citation.heading else ""))
    yield Text.assemble((f"[{citation.number}] ", "bold cyan"), place)
    if citation.url:
        yield address(citation.url)


def address(url: str) -> Text:
    """Never broken, so that it can be copied; a link only with schemes that run no code."""
    url = plain(url)
    link = url if url.startswith(("http://", "https://")) else None
    return Text.assemble("    ", (url, Style(dim=True, link=link)), no_wrap=True, overflow="ignore")


def sources_view(turn: Turn) -> RenderableType:
    """The ranked evidences: first the cited ones by their number, then the others by rank."""
    if not turn.evidences:
        return Text("Nothing was found for this question.")
    return Group(*(part for ranked, number in order_by_citation(turn) for part in _source(ranked, number)))


def _source(ranked: RankedEvidence, number: int | None) -> Iterator[RenderableType]:
    evidence = ranked.evidence
    place = plain(" › ".join(filter(None, (evidence.context.title, *evidence.context.heading_path))))
    mark = f"[{number}] " if number else ""
    text = shorten_evidence(ranked)
    cited = f", cited as [{number}]" if number else ""
    yield Panel(
        Text(plain(text) or "This page was removed from the wiki.", style="" if text else "dim"),
        title=Text.assemble((mark, "bold cyan"), place or "(removed)"),
        title_align="left",
        subtitle=Text(f"{evidence.kind.replace('_', ' ')}, rank {ranked.rank}, score {ranked.score:.2f}{cited}"),
        subtitle_align="right",
        border_style="cyan" if number else "dim",
    )
    if evidence.url:
        yield address(evidence.url)
