"""Completes lists: those that a passage announces, and those of which retrieval found a part.

A passage has only the first words of the list or table that follows it, as its context.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.model import Evidence, RankedEvidence, Scope, append_evidences
from core.ports.store import EvidenceStore
from core.wording.list_markers import begins_list
from core.wording.quotations import BETWEEN_CELLS

_WHOLE = frozenset(["list", "table"])
_RANKS = 8  # evidences of lower ranks are not quoted, except those of the first page

_FIRST_ROW = re.compile(r"Row 1 in Table \d")  # as extraction writes it

_Position = tuple[str, str, int]
_Block = tuple[str, str, int]
"""Page and kind, and the number of a list among the page's lists, or of a table among its tables."""


async def add_whole_lists(
    evidences: Sequence[RankedEvidence], scope: Scope, store: EvidenceStore
) -> list[RankedEvidence]:
    """Return the evidences, followed by missing parts of lists, and lists and tables that passages announce."""
    first = evidences[0].evidence.page_id if evidences else ""
    quoted = [each.evidence for each in evidences if each.rank <= _RANKS or each.evidence.page_id == first]
    announced = {_find_next_position(each) for each in quoted if _may_announce(each)}
    blocks = {_get_block(each) for each in quoted if each.kind == "list"}
    incomplete = {block for block in blocks if not _is_whole(_find_pieces(block, quoted))}
    missing = announced - {_find_position(each) for each in quoted}
    pages = {page_id for page_id, _, _ in (*missing, *incomplete)}
    if not pages:
        return list(evidences)
    stored = [each for each in await store.load_tables_and_lists(pages, scope) if each.kind in _WHOLE]
    wanted = incomplete | {_get_block(each) for each in stored if _find_position(each) in announced}
    return append_evidences(evidences, (each for each in stored if _get_block(each) in wanted))


def join_announced_lists(evidences: Sequence[RankedEvidence]) -> list[RankedEvidence]:
    """Return the evidences, those that announce a list or table with all of it as the text after them.

    A list below another heading, and any table, is announced only by a colon; otherwise it is not the text after the
    passage.
    """
    lists = {_find_position(each.evidence): each.evidence for each in evidences if each.evidence.kind in _WHOLE}
    pieces: dict[_Block, list[Evidence]] = defaultdict(list)
    for each in lists.values():
        pieces[_get_block(each)].append(each)
    joined: list[RankedEvidence] = []
    for ranked in evidences:
        evidence = ranked.evidence
        following = lists.get(_find_next_position(evidence)) if _may_announce(evidence) else None
        if following:
            whole = _join(evidence, sorted(pieces[_get_block(following)], key=lambda each: each.ordinal))
            ranked = replace(
                ranked, evidence=replace(evidence, context=replace(evidence.context, after=whole, after_breaks=()))
            )
        joined.append(ranked)
    return joined


def find_whole_list(evidence: Evidence, evidences: Iterable[RankedEvidence]) -> list[Evidence]:
    """Return all pieces of the list that an evidence is a part of, in order; only this one if some are missing."""
    block = _get_block(evidence)
    pieces = _find_pieces(block, (each.evidence for each in evidences)) if evidence.structure else []
    return pieces if _is_whole(pieces) else [evidence]


def _may_announce(evidence: Evidence) -> bool:
    if evidence.kind != "passage":
        return False
    after = evidence.context.after
    return begins_list(after) or (_has_final_colon(evidence) and bool(_FIRST_ROW.match(after)))


def _has_final_colon(passage: Evidence) -> bool:
    return bool(passage.parts) and passage.parts[-1].rstrip().endswith(":")


def _join(passage: Evidence, pieces: Sequence[Evidence]) -> str:
    is_announced = _has_final_colon(passage)
    if passage.context.heading_path != pieces[0].context.heading_path and not is_announced:
        return ""
    items = [line for piece in pieces for line in (_write_rows(piece) if piece.rows else piece.parts)]
    shown = items if _is_whole(pieces) else [*items, "…"]
    return "".join(f"{item}\n" for item in shown)  # a line break shows that it is not shortened, also of one item


def _write_rows(table: Evidence) -> list[str]:
    sections = table.structure.labels if table.structure else ("",) * len(table.rows)
    cells = ([f"{header}: {value}" if header else value for header, value in row] for row in table.rows)
    return [
        f"- {section} – {BETWEEN_CELLS.join(row)}" if section else f"- {BETWEEN_CELLS.join(row)}"
        for section, row in zip(sections, cells, strict=False)
    ]


def _find_pieces(block: _Block, evidences: Iterable[Evidence]) -> list[Evidence]:
    found = {each.ordinal: each for each in evidences if each.kind in _WHOLE and _get_block(each) == block}
    return [each for _, each in sorted(found.items())]


def _is_whole(pieces: Sequence[Evidence]) -> bool:
    """Whether pieces have all items of their list. Lists stored by early versions have no structure."""
    if not pieces or pieces[0].structure is None:
        return bool(pieces)
    numbers = {number for piece in pieces if piece.structure for number in piece.structure.numbers}
    return len(numbers) >= pieces[0].structure.total


def _get_block(evidence: Evidence) -> _Block:
    return evidence.page_id, evidence.kind, evidence.structure.block if evidence.structure else -1 - evidence.ordinal


def _find_position(evidence: Evidence) -> _Position:
    return evidence.page_id, evidence.thread, evidence.ordinal


def _find_next_position(evidence: Evidence) -> _Position:
    return evidence.page_id, evidence.thread, evidence.ordinal + 1
