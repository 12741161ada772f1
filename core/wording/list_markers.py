"""The bullets, checkboxes, numbers and labels with which list items and numbered paragraphs begin; nested items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

LIST_MARKERS = [re.compile(rf"(?:^|\s)({marker} )") for marker in (r"-", r"\d+\.", r"\[[ x]\]")]
"""Each kind of marker that extraction writes before an item, at the beginning of a text or after white space."""

_ITEM_START = re.compile(r"^\s*(?:-|(?:\d+\.)+\d*|\[[ x]\]) ")
_NESTED = re.compile(r"^(\s*)(?:-|\d+\.|\[[ x]\]) ")
_LABEL = re.compile(r"(?P<before>\(?(?:\d{1,2}\.){0,3})(?P<sign>\d{1,2}|[A-Za-z])(?P<after>[).:])\s")


def begins_list(text: str) -> bool:
    """Whether a text begins with the marker of a list item."""
    return any(marker.match(text) for marker in LIST_MARKERS)


def strip_marker(text: str) -> str:
    """Return a list item or a heading without its bullet, checkbox or number."""
    return _ITEM_START.sub("", text)


def read_label(text: str) -> tuple[str, int] | None:
    """Return the form of the label with which a text begins, and its number: of "(B) …" "(A)" and 2; else None."""
    found = _LABEL.match(text)
    if found is None:
        return None
    sign = found["sign"]
    number = int(sign) if sign.isdigit() else ord(sign.lower()) - ord("a") + 1
    kind = "1" if sign.isdigit() else "A" if sign.isupper() else "a"
    return f"{found['before']}{kind}{found['after']}", number


def find_item_depth(item: str) -> int:
    """Return how deeply an item of a list is nested, from 0, by its indentation."""
    found = _NESTED.match(item)
    return len(found[1]) // 2 if found else 0


def find_ancestor_items(items: Sequence[str], index: int) -> list[int]:
    """Return the indexes of the items that an item is nested in, the nearest first."""
    found: list[int] = []
    depth = find_item_depth(items[index])
    for above in range(index - 1, -1, -1):
        if depth and find_item_depth(items[above]) < depth:
            found.append(above)
            depth = find_item_depth(items[above])
    return found


def find_nested_items(items: Sequence[str], index: int) -> list[int]:
    """Return the indexes of the items that are nested in an item."""
    depth = find_item_depth(items[index])
    return list(takewhile(lambda below: find_item_depth(items[below]) > depth, range(index + 1, len(items))))
