"""Writes superscripts and subscripts, so that they are not read as a part of the number or word before them."""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ")
_LOWERED = str.maketrans("0123456789+-−–=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_CAN_RAISE = re.compile(r"[0-9+\-−–=()ni]+")
_CAN_LOWER = re.compile(r"[0-9+\-−–=()]+|[aehijklmnoprstuvx]")
_LINKED = re.compile(r"(?P<marker>[0-9]{1,4})(?P<address> \(https?://\S+\))")  # the number of a note, with an address
_WORD = re.compile(r"[^\W\d_]{2}")
_ORDINALS = frozenset("aeor")  # of numbers: 1a, 2e, 1o, 1r
_OPERATOR = re.compile(r"[-+−–*/·\s]")


def write_superscript(text: str, before: str) -> str:
    """Return a superscript in Unicode, with ``^`` if it has characters that Unicode lacks, or words as they are.

    ``before``: the character before it.
    """
    raised = text.strip()
    if found := _LINKED.fullmatch(raised):
        return text.replace(raised, found["marker"].translate(_RAISED) + found["address"])
    if _WORD.search(raised) and (raised[0].isalpha() or " " in raised):
        is_small_print = " " in raised and before.isalnum()
        return f" {text}" if is_small_print else text
    if _CAN_RAISE.fullmatch(raised):
        return text.replace(raised, raised.translate(_RAISED))
    if not _is_exponent(raised, before):
        return text
    return text.replace(raised, f"^({raised})" if _OPERATOR.search(raised, 1) else f"^{raised}")


def _is_exponent(raised: str, before: str) -> bool:
    """Whether a superscript without words is more than a sign ("™", "[1]") or the end of an ordinal number."""
    is_text = raised.isprintable() and any(map(str.isalnum, raised)) and raised[0] != "["
    is_ordinal = before.isdigit() and raised in _ORDINALS
    return is_text and not is_ordinal and (before.isalnum() or before in {")", "]"})


def write_subscript(text: str, before: str) -> str:
    """Return a subscript in Unicode, or as it is if it has characters that Unicode lacks, or several letters.

    ``before``: the character before it.
    """
    lowered = text.strip()
    return text.replace(lowered, lowered.translate(_LOWERED)) if _CAN_LOWER.fullmatch(lowered) else text
