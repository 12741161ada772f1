"""What the contributions mean for a person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from core.attribution.attributor import Counterfactual
from core.attribution.comparing import words_only
from core.attribution.shares import NOTHING
from core.model import NOT_FOUND

Verdict = Literal["not_found", "not_grounded", "single_page", "redundant", "unknown"]
"""not_found: there is no answer to explain. not_grounded: nothing changed, whatever was taken away.
single_page: without one page the answer is gone, or its opposite. redundant: several clusters say it, each is enough.
unknown: the model failed so often that nothing can be said."""

_SLIGHT = 0.02  # a contribution up to this is other words, not another answer
_YES, _NO = re.compile(r"(?i)^\W*(?:yes|ja|doch)\b"), re.compile(r"(?i)^\W*(?:no|nein)\b")


def turned(answer: str, counterfactual: str) -> bool:
    """Whether an answer became "not found", or a yes a no."""
    if words_only(counterfactual) == NOT_FOUND:
        return words_only(answer) != NOT_FOUND
    return any(one.search(answer) and other.search(counterfactual) for one, other in ((_YES, _NO), (_NO, _YES)))


def grounded(results: Sequence[Counterfactual]) -> bool:
    """Whether taking anything away moved the answer."""
    return any(result.contribution is not None and result.contribution > NOTHING for result in results)


def verdicts(answer: str, by_cluster: Sequence[Counterfactual], by_page: Sequence[Counterfactual]) -> list[Verdict]:
    """The verdicts on an answer. ``by_page``: what taking each cited page away as a whole did."""
    if words_only(answer) == NOT_FOUND:
        return ["not_found"]
    if by_cluster and all(result.contribution is None for result in by_cluster):
        return ["unknown"]
    found: list[Verdict] = []
    if not grounded([*by_cluster, *by_page]):
        return ["not_grounded"] if all(result.contribution is not None for result in by_cluster) else ["unknown"]
    if any(turned(answer, text) for result in by_page for text in result.answers):
        found.append("single_page")
    elif all((result.contribution or 0.0) <= _SLIGHT for result in by_cluster):
        found.append("redundant")
    return found
