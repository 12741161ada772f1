"""Moves the assignee and due date of tasks behind the task's text.

Confluence has them among the words of the task: "@Mara Lind order ropes 2026-05-03". Evidences have them in brackets:
"order ropes (Mara Lind, until 3 May 2026)".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date

from core.evidence.mentions import MARK
from core.evidence.tree import Node
from core.i18n import format_value
from core.languages import Language

_UNTIL: Mapping[Language, str] = {"en": "until", "de": "bis"}
_WRAPPERS = frozenset({"p", "span", "div", "em", "strong", "u"})
_SEPARATORS = " \t\r\n\u00a0,;:–-"
# The words that need the date after them, and the words that make the person before them a part of the sentence.
_NEEDS_MORE = re.compile(r"(?i)(?:[:,(]|\b(?:by|until|till|on|for|before|after|bis|am|ab|zum|vom|vor|nach))\s*$")
_GOES_ON = re.compile(r"(?i)\s*(?:['’]|(?:and|or|und|oder|is|has|will|ist|hat|wird)\b)")


def complete_tasks(root: Node, language: Callable[[], Language]) -> None:
    """Move assignees and due dates of all tasks behind their text, unless the sentence needs them in place.

    Of a task whose text is struck through, they are removed too.
    """
    for node in root.iterate_descendants():
        if node.name == "ac:task" and (body := node.find_child("ac:task-body")):
            if body.has_text:
                _complete(body, language)
            elif body.has_struck:
                _remove(body)


def _complete(body: Node, language: Callable[[], Language]) -> None:
    line = _find_first_line(body)
    own = [child for child in line.children if not child.breaks_line]
    if own != list(line.children[: len(own)]):
        return
    people = _take_people(line, own)
    day = _take_day(line, own)
    if day:
        people = [*people, f"{_UNTIL[language()]} {format_value(day, language())}"]
    if not people:
        return
    noted = f" ({', '.join(people)})"
    if own:
        own[-1].tail = f"{own[-1].tail.rstrip()}{noted}"
    else:
        line.text = f"{line.text.rstrip()}{noted}"


def _find_first_line(body: Node) -> Node:
    """Return the element with the first line of a task, inside elements that only wrap it."""
    node = body
    while not node.text.strip() and node.children and node.children[0].name in _WRAPPERS:
        first, others = node.children[0], node.children[1:]
        if first.tail.strip() or any(not other.breaks_line for other in others):
            break
        node = first
    return node


def _take_people(line: Node, own: list[Node]) -> list[str]:
    """Remove the people at the beginning of the line, and return their marks."""
    taken: list[Node] = []
    if not line.text.strip():
        for child in own:
            if not _mark_of(child) or _GOES_ON.match(child.tail):
                break
            taken.append(child)
            if child.tail.strip(_SEPARATORS):
                break
    marks = [_mark_of(child) for child in taken]
    for child in taken:
        _remove(child)
        child.tail = child.tail.lstrip(_SEPARATORS)
    return marks


def _mark_of(node: Node) -> str:
    """Return the mark of the person that an element mentions, "" for other elements."""
    if node.name == "ac:link" and len(node.children) == 1:
        return _mark_of(node.children[0])
    return node.attribute(MARK) if node.name == "ri:user" else ""


def _take_day(line: Node, own: list[Node]) -> date | None:
    """Remove the date at the end of the line and return it; None if there is none or the sentence needs it there."""
    last = own[-1] if own else None
    if last is None or last.name != "time" or last.tail.strip(". \t\r\n\u00a0"):
        return None
    before = own[-2].tail if len(own) > 1 else line.text
    try:
        day = date.fromisoformat(last.attribute("datetime").strip()[:10])
    except ValueError:
        return None
    if _NEEDS_MORE.search(before):
        return None
    _remove(last)
    last.tail = ""
    return day


def _remove(node: Node) -> None:
    """Remove the content of an element, but not the text after it."""
    node.name, node.text, node.children = "", "", ()
