"""Comparisons in a question: "how much more does X cost than Y", "X vs. Y"; and the words that express them."""

from __future__ import annotations

import re


def compile_phrases(*phrases: str) -> re.Pattern[str]:
    """Return a pattern that finds any of the phrases as whole words, in any case. Each may be a regular expression."""
    return re.compile(rf"(?i)\b(?:{'|'.join(phrases)})\b")


PAYS_MORE = r"pays?(?=.{1,200}\bthan\b)", r"(?:be)?zahl(?:en|t)(?=.{1,200}\bals\b)"
"""What somebody pays, where it is compared: "more than …", "mehr als …"."""

_COMPARE = compile_phrases(
    r"how (?:much|many)(?: [^\W\d_]{1,20}){0,2} (?:more|less|fewer|longer|shorter|higher|lower|heavier|lighter|larger"
    r"|smaller|bigger|older|newer|faster|slower|later|earlier|cheaper|dearer)(?: expensive)?", "(?:by )?how much",
    "difference(?: between| in| of)?", "differ(?:s|ed)?", r"how long (?:is|was)? ?(?:it )?(?=from|between)",
    r"how many (?:days|weeks|months)(?: (?:are|were|lie|lay|passed|pass|is|was|it|there)){0,2} (?=between|from)",
    "compared? (?:to|with)", "compare", "versus", "vs", "what(?: has|['’]s)? changed (?=from|between|in)",
    "um wie ?viel",
    r"wie ?viele?(?: [^\W\d_]{1,20}){0,2} (?:mehr|weniger|länger|kürzer|höher|schwerer|leichter|größer|kleiner|später"
    r"|früher|teurer|billiger|günstiger)", "unterschied(?:e)?(?: zwischen)?", "differenz(?: zwischen)?",
    "unterscheide[nt]", "wie lange? (?=von|zwischen)",
    "wie ?viele (?:tage|wochen|monate)(?: (?:liegen|lagen|sind|waren|vergehen|vergingen|es)){0,2} (?=zwischen|von|vom)",
    "im vergleich (?:zu[mr]?|mit)", "verglichen mit", "vergleiche?", "gegenüber",
    r"was hat sich (?=.{1,60}\bgeändert\b)", r"(?<=\d )(?:gegen|against)(?= \d)",
)  # fmt: skip
_OF_COMPARISON = frozenset(
    """how much many by the a more less fewer longer shorter higher lower heavier lighter larger smaller bigger older
    newer faster slower later earlier cheaper dearer expensive difference between in of differ differs differed
    long is was it days weeks months are were lie lay passed pass went there compare compared to with versus vs
    what has changed um wie viel wieviel viele mehr weniger länger kürzer höher schwerer leichter größer kleiner
    später früher teurer billiger günstiger unterschied unterschiede zwischen differenz unterscheidet
    unterscheiden lange tage wochen monate liegen lagen sind waren vergehen vergingen es im vergleich zu zum zur
    mit verglichen vergleich vergleiche gegenüber was hat sich gegen against""".split()
)
"""Words of a match of :data:`_COMPARE` that are removed; "seats" of "wie viele seats mehr" stays."""
_COMPARED = compile_phrases(
    "more", "less", "fewer", "longer", "shorter", "higher", "lower", "heavier", "lighter", "larger", "smaller",
    "bigger", "older", "newer", "faster", "slower", "later", "earlier", "cheaper", "dearer",
    *PAYS_MORE, "than", "mehr", "weniger", "länger", "kürzer", "höher", "schwerer", "leichter",
    "größer", "kleiner", "später", "früher", "teurer", "billiger", "günstiger",
    "als", "go up", "gone up", "went up", "rise", "rose", "increased?",
    "decreased?", "fall", "fell", "drop", "dropped", "gestiegen", "gesunken", "gefallen", "geändert",
)  # fmt: skip


def is_comparison(text: str) -> bool:
    """Whether a question compares two things."""
    return bool(_COMPARE.search(text))


def remove_comparison(text: str) -> str:
    """Return the question without the words that express the comparison."""
    return _COMPARED.sub(" ", _COMPARE.sub(_keep_compared_words, text))


def _keep_compared_words(match: re.Match[str]) -> str:
    kept = (word for word in match[0].split() if word.lower().strip("'’") not in _OF_COMPARISON)
    return f" {' '.join(kept)} "
