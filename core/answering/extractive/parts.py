"""How the parts of an evidence hang together: which of them need the one before to be understood."""

from __future__ import annotations

import re
from collections.abc import Sequence

_REFERS_BACK = re.compile(
    r"(?i)^\W*(it|this|that|these|those|they|he|she|its|their|such|also|then|dies|diese[rsmn]?|es|sie|er|dann|auch)\b"
)
_MARKER = re.compile(r"^\s*(?:-|(?:\d+\.)+\d*|\[[ x]\]) ")
_LABEL_WORDS = 2
_CHAIN = 2  # parts before; further back it is another thought


def is_code(part: str) -> bool:
    """Whether a part is a block of code."""
    return part.startswith("```")


def without_marker(text: str) -> str:
    """A list item or a heading without its bullet, box or number."""
    return _MARKER.sub("", text)


def find_needed_parts(parts: Sequence[str], index: int) -> list[int]:
    """The parts before one that it needs: what "it" is, what the code does, the label that it stands under."""
    needed: list[int] = []
    while index and len(needed) < _CHAIN and _leans(parts[index - 1], parts[index]):
        index -= 1
        needed.append(index)
    return needed


def _leans(before: str, part: str) -> bool:
    return is_code(part) or bool(_REFERS_BACK.match(part)) or is_label(before)


def is_label(part: str) -> bool:
    """Whether a part only names what the next one says ("Costs." as people write minutes)."""
    return len(part.split()) <= _LABEL_WORDS and part.endswith(".") and not is_code(part)
