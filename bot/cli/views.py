"""How answers and their sources look in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.style import Style
from rich.text import Text

from bot.cli.options import plain
from core.model import Citation, RankedEvidence, Turn
from core.text import language

NOT_FOUND_SHOWN = {
    "en": "I could not find that in the wiki.",
    "de": "Das konnte ich im Wiki nicht finden.",
}
_SUGGESTIONS = {"en": "You could also ask:", "de": "Das könnten Sie auch fragen:"}
_UNSUPPORTED = "[?]"
_UNSUPPORTED_MEANS = {
    "en": "[?] No source supports this statement.",
    "de": "[?] Keine Quelle stützt diese Aussage.",
}


def answer_view(turn: Turn) -> RenderableType:
    """The answer as a person reads it: how it was understood, the text, its numbered sources, what to ask next."""
    spoken = language(turn.question.as_asked)
    parts: list[RenderableType] = []
    if turn.question.completed:
        parts.append(Text(f"Understood as: {plain(turn.question.intent_explicit)}", style="dim italic"))
    if turn.answer.answered:
        parts += [Text(plain(turn.answer.text)), Text()]
        parts += [line for citation in turn.answer.citations for line in _citation_lines(citation)]
    else:
        parts.append(Text(NOT_FOUND_SHOWN[spoken], style="yellow"))
    unsupported = turn.answer.answered and _UNSUPPORTED in turn.answer.text
    notes = [_UNSUPPORTED_MEANS[spoken]] * unsupported + [plain(notice) for notice in turn.trace.notices]
    if notes:
        parts += [Text(), *(Text(note, style="dim") for note in notes)]
    if turn.suggestions:
        parts.append(suggestions_view(turn))
    return Group(*parts)


def suggestions_view(turn: Turn) -> RenderableType:
    """The suggested questions, numbered from 1, in the language of the question."""
    lines = [Text(), Text(_SUGGESTIONS[language(turn.question.as_asked)], style="dim")]
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
    cited = {citation.evidence_id: citation.number for citation in reversed(turn.answer.citations)}
    ordered = sorted(turn.evidences, key=lambda ranked: (cited.get(ranked.evidence.evidence_id, inf), ranked.rank))
    return Group(*(part for ranked in ordered for part in _source(ranked, cited.get(ranked.evidence.evidence_id))))


def _source(ranked: RankedEvidence, number: int | None) -> Iterator[RenderableType]:
    evidence = ranked.evidence
    place = plain(" › ".join(filter(None, (evidence.context.title, *evidence.context.heading_path))))
    mark = f"[{number}] " if number else ""
    text = evidence.text if len(evidence.text) <= 600 else evidence.text[:600] + " …"
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
