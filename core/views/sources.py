"""The sources of an answer: the view of its evidences, and its document; and the preview of a linked page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

from core.i18n import Message, message, plural
from core.languages import Language
from core.model import EvidenceKind, PageFacts, RankedEvidence, Turn
from core.model.views import LinkView, SourcesView, SourceView
from core.text import is_visible
from core.views.document import Actions, Block, Button, Document, Paragraph, Run, link, link_location, make_label
from core.views.fitting import Limits, count_more
from core.views.markdown import parse_plain
from core.views.notices import format_question

_SHOWN_SOURCES = 30
_EVIDENCE_CHARS = 600
# Maximum lengths of texts that we did not write, in the platform's units:
_QUESTION, _EVIDENCE, _KIND, _PREVIEW = 500, 700, 60, 300
KINDS: Mapping[EvidenceKind, Message] = {
    "passage": message("passage"),
    "list": message("list"),
    "table": message("table"),
    "table_row": message("table row"),
    "facts": message("facts of the page"),
}


def build_sources_view(turn: Turn, visible: Mapping[str, PageFacts]) -> SourcesView:
    """Build the view of a turn's evidences, cited ones first.

    ``visible``: facts of the pages that may be shown (``EvidenceStore.load_facts``); erased evidences are left out.
    """
    language = turn.question.language
    shown = tuple(
        SourceView(
            rank=ranked.rank,
            number=number,
            title=ranked.evidence.context.title,
            heading_path=ranked.evidence.context.heading_path,
            kind=KINDS[ranked.evidence.kind].render(language),
            text=_shorten_evidence(ranked),
            url=ranked.evidence.url,
            page=tuple(each.render(language) for each in describe_page(visible[ranked.evidence.page_id])),
        )
        for ranked, number in _order_by_citation(turn)
        if ranked.evidence.page_ids.issubset(visible) and ranked.evidence.text
    )
    hidden = len(turn.evidences) - len(shown)
    return SourcesView(language, format_question(turn.question), shown, hidden)


def _order_by_citation(turn: Turn) -> list[tuple[RankedEvidence, int | None]]:
    """Return the evidences with their citation numbers: cited ones by number, then the others by rank."""
    cited = {citation.evidence_id: citation.number for citation in reversed(turn.answer.citations)}
    ordered = sorted(turn.evidences, key=lambda ranked: (cited.get(ranked.evidence.evidence_id, inf), ranked.rank))
    return [(ranked, cited.get(ranked.evidence.evidence_id)) for ranked in ordered]


def _shorten_evidence(ranked: RankedEvidence) -> str:
    """Return the text of an evidence, shortened; table rows as names and values of their cells."""
    text = _format_rows(ranked.evidence.rows) or ranked.evidence.text
    return text if len(text) <= _EVIDENCE_CHARS else text[:_EVIDENCE_CHARS] + " …"


def _format_rows(rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    """Format one row as one line per cell, several rows as one line each."""
    between = "\n" if len(rows) == 1 else "; "
    cells = [[f"{name}: {value}" if name else value for name, value in row if value] for row in rows]
    return "\n".join(between.join(" ".join(cell.split()) for cell in row) for row in cells)


def describe_page(facts: PageFacts) -> Iterator[Message]:
    """Yield a page's owner or author, and its last change."""
    if facts.owner:
        yield message("owner: {name}", name=facts.owner)
    elif facts.creator:
        yield message("author: {name}", name=facts.creator)
    if changed := facts.updated or facts.created:
        yield message("updated on {date}", date=changed)


def build_sources(view: SourcesView, limits: Limits) -> Document:
    """The sources of an answer, each with its location, text and page facts."""
    language = view.language
    shown = limits.take(view.sources, _SHOWN_SOURCES)
    found = [block for source in shown for block in _build_source(source, view, limits)]
    hidden, title = format_hidden_sources(view.hidden, language), message("Sources").render(language)
    more = count_more(len(view.sources) - len(shown), language, tight=False)
    return Document(
        before=limits.make_line(view.question, _QUESTION, tight=True),
        body=tuple(found) or (make_label(message("Nothing was found for this question.").render(language), "body"),),
        after=(*more, *((make_label(hidden, tight=bool(more)),) if hidden else ())),
        language=language,
        title=title,
        summary=title,
    )


def _build_source(source: SourceView, view: SourcesView, limits: Limits) -> Iterator[Block]:
    number = [Run(f"[{source.number}] ", ("bold",))] if source.number is not None else []
    location = link_location(source.title, source.heading_path, source.url)
    yield Paragraph((*number, location) if number or is_visible(location.text) else (Run("…"),), ruled=True)
    for block in parse_plain(limits.make_excerpt(source.text, _EVIDENCE), ()):
        yield replace(block, tight=True) if isinstance(block, Paragraph) else block
    about = [limits.make_excerpt(source.kind, _KIND)]
    if limits.shows_everything:
        about.append(message("rank {rank}", rank=source.rank).render(view.language))
    if source.number is not None:
        about.append(message("cited as [{number}]", number=source.number).render(view.language))
    about += (limits.make_excerpt(each, _KIND) for each in source.page if is_visible(each))
    yield make_label(", ".join(about), tight=True)


def format_hidden_sources(count: int, language: Language) -> str:
    """Return the note that sources are hidden, or ""."""
    if not count:
        return ""
    return plural(
        "One source is not shown: its page is gone, or not everyone here may read it.",
        "{count} sources are not shown: their pages are gone, or not everyone here may read them.",
        count,
    ).render(language)


def build_link_preview(view: LinkView, limits: Limits) -> Document:
    """The preview of a link to a page: its title, its first words, its facts, and the button to ask about it."""
    ask = Button(message("Ask about this page").render(view.language), "page", view.language, page_id=view.page_id)
    return Document(
        body=(
            Paragraph((link(view.url, view.title),), "heading"),
            *limits.make_line(view.text, _PREVIEW, "body", tight=True),
            *limits.make_line(", ".join(view.about), _PREVIEW),
        ),
        after=(Actions((ask,)),),
        language=view.language,
    )
