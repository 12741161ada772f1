"""Lists whose items have labelled values nested in them, read as tables with a column for each label.

"Customer care", and nested in it "Owner: Mara Stone" and "Channel: #care", is a row with the columns "Owner" and
"Channel".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.reading.relations.relation import Relation
from core.reading.relations.rows import DONE, ITEM, OWN_COLUMNS, VALUE, Row

_LABELLED = re.compile(r"(?P<label>[^\W\d_][^:\n]{1,30}): (?P<value>\S[^\n]{0,200})")
_LEAST_ITEMS = 2


def read_labelled_items(relation: Relation) -> Relation:
    """Return a list of items with labelled values as a table, any other relation unchanged.

    Each item has values, none has two with one label, and most labels are those of several items.
    """
    if relation.kind != "list" or len(relation.rows) < relation.total:
        return relation
    groups = _group_by_item(relation.rows)
    pairs = [[_LABELLED.fullmatch(row.cells[ITEM].strip()) for row in values] for _, values in groups]
    if len(groups) < _LEAST_ITEMS or not all(own and all(own) for own in pairs):
        return relation
    if any(len({match["label"].strip() for match in own if match}) < len(own) for own in pairs):
        return relation  # a cell has one value
    named = [{match["label"].strip(): match["value"].strip() for match in own if match} for own in pairs]
    labels = Counter(label for own in named for label in own)
    if sum(count > 1 for count in labels.values()) * 2 <= len(labels) or not OWN_COLUMNS.isdisjoint(labels):
        return relation
    rows = tuple(
        replace(item, cells={VALUE: item.cells[ITEM], **own}, more=tuple((each.ranked, each.part) for each in values))
        for (item, values), own in zip(groups, named, strict=True)
    )
    return replace(relation, kind="table", columns=(VALUE, *labels), rows=rows, total=len(rows), all_rows=())


def _group_by_item(rows: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    """Return the items with those nested in them; [] if they are nested deeper, or are tasks."""
    groups: list[tuple[Row, list[Row]]] = []
    for row in rows:
        if row.depth > 1 or DONE in row.cells or (row.depth == 1 and not groups):
            return []
        if row.depth == 0:
            groups.append((row, []))
        else:
            groups[-1][1].append(row)
    return groups
