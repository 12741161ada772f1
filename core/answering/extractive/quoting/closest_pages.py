"""The pages that come closest to a question without an answer, each with the passage that comes closest."""

from __future__ import annotations

from collections.abc import Collection

from core.answering.extractive.quoting.compose import split_items, write_row
from core.answering.extractive.quoting.lines import join_parts
from core.answering.extractive.units import is_code, is_image
from core.model import Evidence, Turn
from core.model.views import PageLink
from core.wording.focus import Focus, find_focus
from core.wording.instructions import LEFT_OUT, strip_evidence
from core.wording.list_markers import strip_marker
from core.wording.quotations import replace_brackets
from core.wording.word_matches import match_text


def list_closest_pages(turn: Turn, visible: Collection[str]) -> tuple[PageLink, ...]:
    """Return the visible pages that were found, each once with its best section and passage, best first."""
    focus = find_focus(turn.question.intent_explicit)
    ranked = [each.evidence for each in sorted(turn.evidences, key=lambda each: each.rank)]
    units = {unit.evidence_id: unit.index for unit in turn.trace.closest}
    named = {evidence.evidence_id: evidence for evidence in ranked}
    found: dict[str, PageLink] = {}
    for evidence in (*(named[each] for each in units if each in named), *ranked):
        page = found.get(evidence.page_id)
        if page and page.passage:
            continue
        if evidence.page_ids.issubset(visible) and evidence.context.title:  # an erased one has no title
            passage = _choose_passage(focus, evidence, units.get(evidence.evidence_id))
            if passage or not page:
                location = evidence.context.title, evidence.url, evidence.heading
                found[evidence.page_id] = PageLink(*location, passage)
    return tuple(found.values())


def _choose_passage(focus: Focus, evidence: Evidence, closest: int | None) -> str:
    """Return the text of an evidence from its closest unit on; else its unit with the most words of the question."""
    usable, _ = strip_evidence(evidence)
    texts = [at for at, part in enumerate(usable.parts) if not (part == LEFT_OUT or is_code(part) or is_image(part))]
    if not texts:
        return ""
    if closest not in texts:
        closest = max(texts, key=lambda at: sum(match_text(focus.words, usable.parts[at])))
    if usable.kind != "passage":
        return replace_brackets(strip_marker(write_row(focus, usable, closest)))
    lines = join_parts(usable, [at for at in texts if at >= closest], omission="").split("\n")
    announced = split_items(usable.context).split("\n") if lines[-1].endswith(":") else []
    return replace_brackets(" ".join(" · ".join(some) for some in (lines, map(strip_marker, announced))).strip())
