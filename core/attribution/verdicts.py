"""What the contributions mean: the verdicts that people are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from core.attribution.attributor import Counterfactual
from core.attribution.steps import NOTHING

Verdict = Literal["not_found", "not_grounded", "single_page", "opposite", "redundant", "unknown"]
"""not_found: there is no answer to explain. not_grounded: the answer stayed the same, whatever was removed.
single_page: without one page the answer is gone, or its ``opposite``. redundant: no cluster matters by itself, but
removing all that the answer cites does: each is enough. unknown: too many failures for any of these."""

SLIGHT = 0.02
"""A contribution up to this means other words for the same answer."""

_YES, _NO = re.compile(r"(?i)^\W*(?:yes|ja|doch)\b"), re.compile(r"(?i)^\W*(?:no|nein)\b")


def is_moved(by_cluster: Sequence[Counterfactual]) -> bool:
    """Whether removing one cluster moved the answer."""
    return any(result.contribution is not None and result.contribution > NOTHING for result in by_cluster)


def has_only_slight_effects(by_cluster: Sequence[Counterfactual]) -> bool:
    """Whether no cluster matters by itself, and no ablation failed."""
    return all(result.contribution is not None and result.contribution <= SLIGHT for result in by_cluster)


def judge(
    answer: str,
    by_cluster: Sequence[Counterfactual],
    by_page: Sequence[Counterfactual] = (),
    all_cited: Counterfactual | None = None,
) -> list[Verdict]:
    """The verdicts on an answer, which is not "not found"; there may be none.

    ``by_page``: the results of removing each cited page as a whole; ``all_cited``: that of removing all cited clusters
    together, None if that was not asked.
    """
    page = find_single_page(answer, by_page)
    if page:
        return ["single_page", "opposite"] if _mostly_opposite(answer, page) else ["single_page"]
    if not has_only_slight_effects(by_cluster):
        return [] if is_moved(by_cluster) else ["unknown"]
    asked = [result for result in (*by_page, all_cited) if result is not None]
    if any(result.contribution is None for result in asked):
        return ["unknown"]
    if any((result.contribution or 0.0) > SLIGHT for result in asked):
        return ["redundant"]
    return [] if is_moved([*by_cluster, *asked]) else ["not_grounded"]


def find_single_page(answer: str, by_page: Sequence[Counterfactual]) -> Counterfactual | None:
    """The page without which the answer becomes its opposite, else the one without which it is gone, if any."""
    opposite = (result for result in by_page if _mostly_opposite(answer, result))
    gone = (result for result in by_page if _is_mostly([not answered for answered in result.answered]))
    return next(opposite, None) or next(gone, None)


def _became_opposite(answer: str, counterfactual: str) -> bool:
    """Whether a yes became a no, or the other way round."""
    return any(one.search(answer) and other.search(counterfactual) for one, other in ((_YES, _NO), (_NO, _YES)))


def _mostly_opposite(answer: str, result: Counterfactual) -> bool:
    return _is_mostly([_became_opposite(answer, text) for text in result.answers])


def _is_mostly(turned: Sequence[bool]) -> bool:
    """Whether it holds for most repetitions: one draw of a sampling model is not enough for a verdict."""
    return sum(turned) * 2 > len(turned)
