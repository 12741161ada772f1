"""How turns look in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.style import Style
from rich.table import Table
from rich.text import Text

from bot.cli.options import plain
from core.model import Citation, RankedEvidence, Turn
from core.text import language

_NOT_FOUND = {
    "en": "I could not find that in the wiki.",
    "de": "Das konnte ich im Wiki nicht finden.",
}


def answer_view(turn: Turn) -> RenderableType:
    """The answer as a person reads it: how it was understood, the text, and its numbered sources."""
    parts: list[RenderableType] = []
    if turn.question.completed:
        parts.append(Text(f"Understood as: {plain(turn.question.intent_explicit)}", style="dim italic"))
    if not turn.answer.answered:
        parts.append(Text(_NOT_FOUND[language(turn.question.as_asked)], style="yellow"))
        return Group(*parts)
    parts.append(Text(plain(turn.answer.text)))
    parts.append(Text())
    for citation in turn.answer.citations:
        parts.extend(_citation_lines(citation))
    return Group(*parts)


def _citation_lines(citation: Citation) -> Iterator[Text]:
    place = plain(citation.title + (f" › {citation.heading}" if citation.heading else ""))
    yield Text.assemble((f"[{citation.number}] ", "bold cyan"), place)
    if url := plain(citation.url):
        # Never broken, so that it can be copied; other schemes than these may run code.
        style = Style(dim=True, link=_link(url))
        yield Text.assemble("    ", (url, style), no_wrap=True, overflow="ignore")


def _link(url: str) -> str | None:
    return url if url.startswith(("http://", "https://")) else None


def sources_view(turn: Turn) -> RenderableType:
    """The ranked evidences, the cited ones marked."""
    cited = {citation.evidence_id: citation.number for citation in turn.answer.citations}
    return Group(*(_source_panel(ranked, cited.get(ranked.evidence.evidence_id)) for ranked in turn.evidences))


def _source_panel(ranked: RankedEvidence, number: int | None) -> RenderableType:
    evidence = ranked.evidence
    place = plain(" › ".join((evidence.context.title, *evidence.context.heading_path)))
    mark = f" cited as [{number}]" if number else ""
    text = evidence.text if len(evidence.text) <= 600 else evidence.text[:600] + " …"
    return Panel(
        Text(plain(text)),
        title=Text(f"{ranked.rank}. {place}"),
        title_align="left",
        subtitle=Text(f"{evidence.kind.replace('_', ' ')}, {ranked.score:.2f}{mark}"),
        subtitle_align="right",
        border_style="cyan" if number else "dim",
    )


def trace_view(turn: Turn) -> RenderableType:
    """How the answer came about: completion, ranks by each signal, times, configuration."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("rank", "score", "lexical", "dense", "kind", "place"):
        table.add_column(name, justify="left" if name in {"kind", "place"} else "right", no_wrap=name != "place")
    for ranked in turn.evidences:
        lexical, dense = (str(place.rank) if place else "–" for place in (ranked.lexical, ranked.dense))
        place = " › ".join((ranked.evidence.context.title, *ranked.evidence.context.heading_path))
        kind = ranked.evidence.kind.replace("_", " ")
        table.add_row(str(ranked.rank), f"{ranked.score:.3f}", lexical, dense, kind, Text(plain(place)))
    timings = "  ".join(f"{stage} {spent:.0f} ms" for stage, spent in turn.timings_ms.items())
    configuration = "  ".join(f"{name}={value}" for name, value in turn.configuration.items())
    lines = (
        Text(f"turn {turn.turn_id}, asked {turn.asked_at}", style="dim"),
        Text(f"as asked:        {plain(turn.question.as_asked)}"),
        Text(f"intent-explicit: {plain(turn.question.intent_explicit)}"),
        Padding(table, (1, 0)),
        Text(timings, style="dim"),
        Text(configuration, style="dim"),
    )
    return Group(*lines)
