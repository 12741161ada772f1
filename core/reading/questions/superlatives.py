"""Superlatives and comparatives, and the words for what they measure: "heaviest" measures a weight."""

from __future__ import annotations

import re

from core.reading.questions.comparison import PAYS_MORE, compile_phrases
from core.reading.questions.row_question import Operation, Superlative
from core.reading.words import PRICE, split_words
from core.text import split_subject

_WEIGHT = frozenset("mass weight weights weigh weighs gewicht gewichte masse wiegt wiegen kg".split())
_LENGTH = frozenset("length duration time take takes long länge dauer dauert dauern zeit".split())
_HEIGHT = frozenset("height heights höhe".split())
_SIZE = frozenset("size sizes größe größen capacity seats kapazität plätze sitzplätze".split())
_NOISE = frozenset("noise loudness db lärm lautstärke geräusch schallpegel".split())
_DELAY = frozenset("duration time delay latency dauer zeit verzögerung latenz".split())
_BIRTH = frozenset("year date cast built age jahr datum baujahr alter".split())
_TIMES = frozenset(
    """date dates day due deadline until when time year release released start end month datum fällig frist bis wann
    tag jahr monat termin veröffentlicht erschienen""".split()
)
_ASKS_PRICE = re.compile(r"(?i)^\W*(?:and )?how much (?:is|are|was|were)\b")


def asks_price(question: str) -> bool:
    """Whether a question begins with "how much is", which also begins comparisons."""
    return bool(_ASKS_PRICE.search(question))


def find_measured(question: str) -> frozenset[str]:
    """Return the words for the only quantity that a question for one value measures: "how long does it take"."""
    own, _ = split_subject(question)
    asked_words = {word.folded for word in split_words(own)}
    found = [hints for hints in (_WEIGHT, _LENGTH, _HEIGHT, PRICE) if not asked_words.isdisjoint(hints)]
    if not found and asks_price(question):
        return PRICE
    return found[0] if len(found) == 1 else frozenset()


_SUPERLATIVES: tuple[tuple[str, Operation, Superlative], ...] = (
    ("heaviest|schwerste[nrsm]?", Operation.LARGEST, Superlative(_WEIGHT, is_specific=True)),
    ("lightest|leichteste[nrsm]?", Operation.SMALLEST, Superlative(_WEIGHT, is_specific=True)),
    ("longest|längste[nrsm]?", Operation.LARGEST, Superlative(_LENGTH)),
    ("shortest|kürzeste[nrsm]?", Operation.SMALLEST, Superlative(_LENGTH)),
    ("tallest|höchste[nrsm]?|am höchsten", Operation.LARGEST, Superlative(_HEIGHT)),
    ("highest", Operation.LARGEST, Superlative(_HEIGHT)),
    ("lowest|niedrigste[nrsm]?|am niedrigsten", Operation.SMALLEST, Superlative(_HEIGHT)),
    ("loudest|lauteste[nrsm]?|am lautesten", Operation.LARGEST, Superlative(_NOISE, is_specific=True)),
    ("quietest|leiseste[nrsm]?|am leisesten", Operation.SMALLEST, Superlative(_NOISE, is_specific=True)),
    ("largest|biggest|greatest|größte[nrsm]?", Operation.LARGEST, Superlative(_SIZE)),
    ("smallest|kleinste[nrsm]?", Operation.SMALLEST, Superlative(_SIZE)),
    ("fastest|quickest|schnellste[nrsm]?|am schnellsten", Operation.SMALLEST, Superlative(_DELAY, is_specific=True)),
    ("slowest|langsamste[nrsm]?|am langsamsten", Operation.LARGEST, Superlative(_DELAY, is_specific=True)),
    ("most expensive|dearest|teuerste[nrsm]?|am teuersten", Operation.LARGEST, Superlative(PRICE, is_specific=True)),
    (
        "cheapest|least expensive|billigste[nrsm]?|günstigste[nrsm]?",
        Operation.SMALLEST,
        Superlative(PRICE, is_specific=True),
    ),
    ("oldest|älteste[nrsm]?", Operation.SMALLEST, Superlative(_BIRTH, is_temporal=True)),
    (
        "newest|latest|most recent(?:ly)?|last|neu(?:e)?ste[nrsm]?|jüngste[nrsm]?|späteste[nrsm]?|zuletzt"
        "|letzte[nrsm]?",
        Operation.LARGEST,
        Superlative(_TIMES, is_temporal=True),
    ),
    (
        "earliest|früheste[nrsm]?|first|zuerst|als erste[sr]?|erste[nrsm]?",
        Operation.SMALLEST,
        Superlative(_TIMES, is_temporal=True),
    ),
    ("(?:the )?most|am meisten|die meisten|den meisten", Operation.LARGEST, Superlative()),
    ("(?:the )?least|(?:the )?fewest|am wenigsten|die wenigsten", Operation.SMALLEST, Superlative()),
)
_ORDERS = tuple((compile_phrases(phrases), operation, superlative) for phrases, operation, superlative in _SUPERLATIVES)
_COMPARATIVES = (
    (compile_phrases("heavier", "lighter", "weighs?", "schwerer", "leichter", "wieg(?:t|en)"), _WEIGHT),
    (compile_phrases("longer", "shorter", "takes?", "länger", "kürzer", "dauer(?:t|n)"), _LENGTH),
    (compile_phrases("higher", "taller", "höher"), _HEIGHT),
    (compile_phrases("larger", "bigger", "smaller", "größer", "kleiner"), _SIZE),
    (compile_phrases("faster", "slower", "schneller", "langsamer"), _DELAY),
    (
        compile_phrases("older", "newer", "later", "earlier", "älter", "neuer", "später", "früher", "how long"),
        _TIMES,
    ),
    (compile_phrases("how many (?:days|weeks|months)", "wie ?viele (?:tage|wochen|monate)"), _TIMES),
    (
        compile_phrases(
            *("costs?", "cheaper", "dearer", "more expensive", "less expensive", *PAYS_MORE),
            *("kosten", "kostet", "gekostet", "teurer", "billiger", "günstiger"),
        ),
        PRICE,
    ),
)
_NO_ORDER = compile_phrases(
    "at (?:least|most)", "last (?:updated|name)",
    "(?:first|last) (?:of all|aid|days?|weeks?|months?|years?|quarter|shift|name|page|floor|line|level|steps?)",
    "(?:erste|letzte)[nrsm]? (?:hilfe|tag(?:es|e|en)?|wochen?|monats?|jahr(?:es)?|schicht|seite|stock|schritte?n?)",
)  # fmt: skip


def find_comparative(text: str) -> Superlative:
    """Return what the comparative of a text measures."""
    hints = find_hints(text)
    return Superlative(hints, is_temporal=hints is _TIMES)


def find_hints(text: str) -> frozenset[str]:
    """Return the words of columns, or units, for what the comparative of a text measures; none if it is not known."""
    return next((hints for pattern, hints in _COMPARATIVES if pattern.search(text)), frozenset())


def find_order(text: str) -> tuple[re.Pattern[str], Operation, Superlative] | None:
    """Return the only superlative of a text: the pattern of its words, the operation and what it measures."""
    if _NO_ORDER.search(text):
        return None
    found = [order for order in _ORDERS if order[0].search(text)]
    return found[0] if len(found) == 1 or (found and found[0][2].hints == PRICE) else None
