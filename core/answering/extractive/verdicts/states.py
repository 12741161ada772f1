"""Words for the same state and for its opposite, in English and German, written in one way before they are compared.

"Optional" is "not required", "verboten" is "not allowed". So a sentence answers a question that uses another word of
the same state, or of the opposite one.
"""

from __future__ import annotations

import re

_STATES = {
    "required": (
        """required mandatory obligatory compulsory necessary needed erforderlich verpflichtend obligatorisch notwendig
        nötig vorgeschrieben pflicht""",
        "optional voluntary unnecessary freiwillig unnötig",
    ),
    "allowed": (
        "allowed permitted permissible erlaubt gestattet zulässig",
        "forbidden prohibited disallowed impermissible verboten untersagt unzulässig",
    ),
    "possible": ("possible möglich", "impossible unmöglich"),
    "supported": ("supported unterstützt", "unsupported"),
    "enabled": (
        "enabled activated aktiviert eingeschaltet switched_on turned_on",
        "disabled deactivated deaktiviert ausgeschaltet abgeschaltet switched_off turned_off",
    ),
    "available": ("available verfügbar", "unavailable"),
    "open": ("open geöffnet offen", "closed geschlossen"),
    "included": ("included inbegriffen", "excluded ausgeschlossen"),
    "valid": ("valid gültig", "invalid ungültig"),
    "encrypted": ("encrypted verschlüsselt", "unencrypted unverschlüsselt"),
    "visible": ("visible sichtbar", "invisible hidden unsichtbar verborgen"),
    "compatible": ("compatible kompatibel", "incompatible inkompatibel"),
}
"""The words for each state, and those for its opposite. Cells have only the pairs of ``core.reading.words.STATES``."""

STATES = frozenset(_STATES)
"""The words by which states are written."""

_WRITTEN = {
    word.replace("_", " "): f"{denial}{state}"
    for state, sides in _STATES.items()
    for denial, side in zip(("", "not "), sides, strict=True)
    for word in side.split()
}
_WORD = re.compile(rf"(?i)\b(?:{'|'.join(sorted(_WRITTEN, key=len, reverse=True))})\b")


def unify_states(text: str) -> str:
    """Return the text with each word for a state as the one word for it, after "not" if it is of the opposite."""
    return _WORD.sub(lambda found: _WRITTEN[found[0].lower()], text)


def affirm_states(text: str) -> tuple[str, int]:
    """Return the text with each word for a state as the one word for it, and how many were of the opposite state."""
    opposites = sum(_WRITTEN[found[0].lower()].startswith("not ") for found in _WORD.finditer(text))
    return _WORD.sub(lambda found: _WRITTEN[found[0].lower()].removeprefix("not "), text), opposites
