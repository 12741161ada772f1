"""The lines of a passage or list: where paragraphs and line breaks are, and which lines say one thing by name.

A passage's text has a line break between the parts of two paragraphs or lines, and a space between the sentences of one
(:mod:`core.evidence.groups`). Paragraphs often do not end with a full stop ("Owner: Mara"), so the punctuation of the
parts does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.extractive.units import is_code
from core.model import Evidence
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.list_markers import find_ancestor_items, find_item_depth, find_nested_items, strip_marker
from core.wording.word_matches import match_text

_NAME_CHARACTERS = 60
_MOST_FIELDS = 8
_NAMED_LINE = re.compile(rf"([^:：]{{1,{_NAME_CHARACTERS}}})(?::\s|：)\s*\S")
_SENTENCE_ENDS = (".", "!", "?", "…", ":", ";", ",", "。", "！", "？")


def find_line_starts(evidence: Evidence) -> frozenset[int]:
    """Return the indexes of the parts of a passage that begin a line, except the first."""
    starts: list[int] = []
    end = 0
    for index, part in enumerate(evidence.parts):
        at = evidence.text.find(part, end)
        if at < 0:
            break
        if index and "\n" in evidence.text[end:at]:
            starts.append(index)
        end = at + len(part)
    return frozenset(starts)


def join_parts(evidence: Evidence, indexes: Sequence[int], omission: str = "…") -> str:
    """Join parts of a passage: a space between sentences of one line, line breaks between lines and around code.

    ``omission`` stands between sentences where others were left out.
    """
    parts, starts = evidence.parts, find_line_starts(evidence)
    joined, previous = parts[indexes[0]], indexes[0]
    for index in indexes[1:]:
        passed = range(previous + 1, index + 1)
        is_broken = not starts.isdisjoint(passed) or any("\n" in part for part in parts[previous + 1 : index])
        by_code = is_code(parts[index]) or is_code(parts[previous])
        joined += "\n" if is_broken or by_code else " "
        joined += f"{omission} " if omission and len(passed) > 1 and not by_code else ""
        joined += parts[index]
        previous = index
    return joined


def find_named_lines(focus: Focus, evidence: Evidence) -> tuple[int, ...]:
    """Return the indexes of the lines "name: value" of a passage whose names the question has in full.

    Such a line answers by itself: the lines around it are about something else.
    """
    parts, last = evidence.parts, len(evidence.parts) - 1
    if evidence.kind != "passage":
        return ()
    starts = {0, *find_line_starts(evidence), last + 1}
    lines = [index for index in range(last + 1) if index in starts and index + 1 in starts]
    return tuple(
        index
        for index in lines
        if _is_named(focus, parts[index]) and not any(map(is_code, parts[index : index + 2]))  # a line introduces code
    )


def _is_named(focus: Focus, line: str) -> bool:
    found = _NAMED_LINE.match(strip_marker(line))
    name = select_content_words(found[1]) if found and not line.endswith(_SENTENCE_ENDS) else ()
    return bool(name) and all(match_text(name, focus.question))


def find_record(focus: Focus, evidence: Evidence, index: int) -> tuple[int, ...]:
    """Return the items "name: value" of the thing that a question names by one of their values; () if it does not.

    "What does vm3 do?" is matched by "Name: vm3", and answered by the item beside it: "Function: firewall".
    """
    items = evidence.parts
    above = find_ancestor_items(items, index)[:1] if evidence.kind == "list" else []
    if not above:  # a list that was split may begin with a nested item
        return ()
    depth = find_item_depth(items[index])
    beside = [at for at in find_nested_items(items, above[0]) if find_item_depth(items[at]) == depth]
    named = [_NAMED_LINE.match(strip_marker(items[at])) for at in beside[: _MOST_FIELDS + 1]]
    if not 1 < len(beside) <= _MOST_FIELDS or not all(named):
        return ()
    label, _, value = strip_marker(items[index]).partition(":")
    is_value = any(match_text(select_content_words(value), focus.question))
    return tuple(beside) if is_value and not any(match_text(select_content_words(label), focus.question)) else ()
