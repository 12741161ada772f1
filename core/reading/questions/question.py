"""Finds what a question asks of rows: an operation, and the words that describe the rows.

Words that only express the operation ("heaviest", "how much more", "at least 40 MB") are removed. The other words have
to be bound to a table or list, see :mod:`core.reading.plans.binding`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import dropwhile, takewhile

from core.languages import CATALOGUES, Language, choose_catalogue, detect_language
from core.reading.questions.comparison import compile_phrases, is_comparison, remove_comparison
from core.reading.questions.limits import Bound, take_bounds, take_range
from core.reading.questions.quantifier import Quantity, take_quantity
from core.reading.questions.yes_no import find_auxiliary
from core.reading.words import (
    CONTAINERS,
    DENIALS,
    DISTINCT_WORDS,
    EMPTY_WORDS,
    END_VERBS,
    FAILURE_WORDS,
    PEOPLE_WORDS,
    SUCCESS_WORDS,
    VERBS_OF_PRESENCE,
    Word,
    has_same_noun,
    split_words,
)
from core.text import split_subject
from core.text_caches import cache_texts
from core.wording.content_words import leave_out_light_words


class Operation(StrEnum):
    """The operation on the rows that fulfil the conditions."""

    COUNT = "count"
    LIST = "list"
    LARGEST = "largest"
    SMALLEST = "smallest"
    SUM = "sum"
    MEAN = "mean"
    COMPARE = "compare"
    CHECK = "check"
    PERSON = "person"
    CELL = "cell"

    @property
    def is_on_rows(self) -> bool:
        """Whether the rows themselves are counted or listed."""
        return self in {Operation.COUNT, Operation.LIST}


@dataclass(frozen=True, slots=True)
class Superlative:
    """A wanted largest or smallest value. ``hints``: words of columns, or units, that measure it.

    ``is_temporal``: a date or version is wanted ("latest"). ``is_specific``: the word says what is measured by itself:
    "heaviest", but not "highest".
    """

    hints: frozenset[str] = frozenset()
    is_temporal: bool = False
    is_specific: bool = False


@dataclass(frozen=True)
class RowQuestion:
    """A question that asks for rows, without the words that express the operation.

    ``subject``: the words for what is counted or listed, right after "how many" or "which"; empty for a sum, a
    comparison or a check. ``negated``: the words after "not", None without it. ``has_range``: "from X to Y".
    ``quoted``: phrases in quotation marks, which a relation has to have verbatim. ``text``: the question as asked.
    ``of_context``: words, in lower case, that the context of the relation has in another language. ``is_distinct``:
    "different X". ``counts_people``: people are counted, in whatever words. ``quantity``: of a check,
    "any", "all" or "other". ``asks_value``: "what is the X of Y", which no row answers that only has Y; of a sum or
    mean "the total X of Y", which a row for the total answers. ``choice``: of a comparison, whether the larger or the
    smaller of the two is asked for. Without slots, because ``needed`` is used for each table.
    """

    operation: Operation
    language: Language
    words: tuple[Word, ...]
    subject: tuple[Word, ...]
    superlative: Superlative = Superlative()
    bounds: tuple[Bound, ...] = ()
    negated: tuple[Word, ...] | None = None
    has_range: bool = False
    quoted: tuple[tuple[Word, ...], ...] = ()
    text: str = ""
    is_distinct: bool = False
    counts_people: bool = False
    quantity: Quantity | None = None
    of_context: frozenset[str] = frozenset()
    asks_value: bool = False
    choice: Operation | None = None

    @cached_property
    def needed(self) -> tuple[Word, ...]:
        """The words that a relation has to account for."""
        return tuple(word for word in self.words if word.is_content and not self._is_empty(word))

    def _is_empty(self, word: Word) -> bool:
        if word.is_name or (self.operation is Operation.CHECK and not self.quantity):
            return False
        is_long = len(word.folded) >= _DECLINED_LETTERS
        if word.folded in EMPTY_WORDS or (
            self.language == "de" and is_long and has_same_noun(word.folded, EMPTY_WORDS)
        ):
            return True  # German participles are declined: "die zugewiesenen"; "Runs" is no form of "run"
        return word.folded in CONTAINERS and word not in self.subject


_DECLINED_LETTERS = 5  # at least, of a participle with an ending
_COUNT = compile_phrases(
    "how many", r"(?<!\w )number of", "(?:an?|any|count|exact|list|our|overall|the|total|what|which|whole) number of",
    "count (?:of|the)", "wie ?viele?n?", "anzahl",
)  # fmt: skip
"""After a noun, "number" is a name, as in "serial number of the printer"."""
_HOW_MUCH = compile_phrases("wie ?viel")
"""What asks for an amount, as "how much" does, and never for a number of rows."""
_LIST = compile_phrases(
    "which", "what['’]?s?", "list", "name", "welche[rnms]?", "was für", "was(?= ist| sind)", "liste", "nenne", "zähle?",
    "(?:^|(?<=please )|(?<=can you )|(?<=could you ))show(?= (?:me |us )?(?:all|every|the))",
    "(?:^|(?<=bitte ))zeige?(?= (?:mir |uns )?(?:alle|die|das|den))",
)  # fmt: skip
_NEGATION = re.compile(
    rf"(?i)\b(?:{DENIALS}|no|w/o(?= (?:an?|any|the)\b)|missing|lack(?:s|ing)?|fehl(?:t|en|ende[nrsm]?))\b"
    r"|\bout of\b(?! (?:the|all|our|these|those|how|[0-9]))"
)
_QUOTED = re.compile(r"[“„\"«]([^“”„\"«»]{2,100})[“”\"»]|(?<!\w)['‚‘]([^'‚‘’]{2,100})['’](?!\w)")
_UNREAD = compile_phrases(
    "never", "except", "nor", "neither", "nie(?:mals)?", "außer", "weder", "average", "median", "durchschnitt(?:lich)?",
)  # fmt: skip
"""Words that no condition and no operation expresses."""
_VALUE = re.compile(r"(?i)^\W*(?:(?:so|and|und) )?(?:what(?:['’]?s| is| are| was| were)|was (?:ist|sind|war|waren)) ")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s ")
_STATE = re.compile(
    r"(?i) (?:is|are) (?:(?:still|not|yet) )?(open|outstanding|pending|done|finished|completed)\b"
    r"|(?<=was) (?:ist|sind)\b[^?]{0,80} (offen|erledigt|abgehakt|fertig)\W*$"
)
_UNREAD_IN_CHECKS = compile_phrases(
    "only", "nur", "always", "immer", "all", "every", "alle", "jede[rsnm]?", "any", "both", "beide", "or", "oder", "if",
    "wenn", "falls", "than", "als", "more", "less", "mehr", "weniger", "without", "ohne",
)  # fmt: skip
"""Words of questions that the verdict of a single cell does not answer."""
_UNREAD_IN_ROWS = compile_phrases(
    "than", "mehr", "weniger", "most", "least", "(?:larg|small|high|low|long|short|new|old|lat|earli|bigg|fast)est",
    "slowest", "meisten", "wenigsten",
    "(?:größ|klein|höch|niedrig|läng|kürz|neu|ält|spät|früh|schnell|langsam)s?te[nrsm]?",
)  # fmt: skip
_SUM = compile_phrases(
    "altogether", "in total", "total (?:number|sum|amount) of", "sum of", "insgesamt", "zusammen", "summe",
)  # fmt: skip
_HEAD = (
    r"(?i)^\W*(?:(?:so|and|und) )?(?:(?:what(?:['’]?s| is| are| was| were)"
    r"|how (?:much )?(?:is|are|was|were)"
    r"|was (?:ist|sind|war|waren)|wie (?:viel )?(?:ist|sind|war|waren)) )?(?:(?:the|our|der|die|das) )?"
)
"""The beginning of a question for one value, up to the word for it, without the adjective of "how high"."""

_TOTAL = re.compile(
    rf"{_HEAD}(?:total (?!(?:number|sum|amount) of)(?=(?:[^\W\d_]+ ){{1,4}}?(?:of|for|in|across)\b)"
    r"|gesamten? (?=[^\W\d_]+ (?:der|des|aller|von|für|in|im)\b)"
    r"|gesamt(?=[^\W\d_]{3,} (?:pro [^\W\d_]+ )?(?:der|des|aller|von|für|in|im)\b))"
)
"""Not in "which projects have a total cost of …", which asks for rows."""
_MEAN = re.compile(
    rf"{_HEAD}(?:(?:average|mean) (?:(?:number|amount|value) of )?(?!of\b)(?=[^\W\d_])"
    r"|durchschnittliche?[nrsm]? (?:anzahl (?:der |an )?)?|durchschnitts(?=[^\W\d_]{3,}))"
    r"|^(?=\W*(?:how (?:much|many)|wie ?viele?)\b)(?P<before>.+) (?:on average|im (?:durch)?schnitt)\b"
)
"""Not in "which prices are above average", nor with a noun for the mean of several columns ("the average of …")."""

_RANGE = re.compile(r"(?i)\b(?:from|von|between|zwischen)\b.{1,60}?\b(?:to|until|till|bis|and|und)\b")
_WEIGHT = frozenset("mass weight weights weigh weighs gewicht gewichte masse wiegt wiegen kg".split())  # noqa: SIM905
_LENGTH = frozenset("length duration time take takes long länge dauer dauert dauern zeit".split())  # noqa: SIM905
_HEIGHT = frozenset("height heights höhe".split())  # noqa: SIM905
_SIZE = frozenset("size sizes größe größen capacity seats kapazität plätze sitzplätze".split())  # noqa: SIM905
_DELAY = frozenset("duration time delay latency dauer zeit verzögerung latenz".split())  # noqa: SIM905
_PRICE = frozenset("price prices cost costs preis preise kosten kostet gekostet € $ £".split())  # noqa: SIM905
_BIRTH = frozenset("year date cast built age jahr datum baujahr alter".split())  # noqa: SIM905
_TIMES = frozenset(
    """date dates day due deadline until when time year release released start end month datum fällig frist bis wann
    tag jahr monat termin veröffentlicht erschienen""".split()  # noqa: SIM905
)

_ASKS_PRICE = re.compile(r"(?i)^\W*(?:and )?how much (?:is|are|was|were)\b")


def asks_price(question: str) -> bool:
    """Whether a question begins with "how much is", which also begins comparisons."""
    return bool(_ASKS_PRICE.search(question))


def find_measured(question: str) -> frozenset[str]:
    """Return the words for the only quantity that a question for one value measures: "how long does it take"."""
    own, _ = split_subject(question)
    asked_words = {word.folded for word in split_words(own)}
    found = [hints for hints in (_WEIGHT, _LENGTH, _HEIGHT, _PRICE) if not asked_words.isdisjoint(hints)]
    if not found and asks_price(question):
        return _PRICE
    return found[0] if len(found) == 1 else frozenset()


_SUPERLATIVES: tuple[tuple[str, Operation, Superlative], ...] = (
    ("heaviest|schwerste[nrsm]?", Operation.LARGEST, Superlative(_WEIGHT, is_specific=True)),
    ("lightest|leichteste[nrsm]?", Operation.SMALLEST, Superlative(_WEIGHT, is_specific=True)),
    ("longest|längste[nrsm]?", Operation.LARGEST, Superlative(_LENGTH)),
    ("shortest|kürzeste[nrsm]?", Operation.SMALLEST, Superlative(_LENGTH)),
    ("tallest|höchste[nrsm]?|am höchsten", Operation.LARGEST, Superlative(_HEIGHT)),
    ("highest", Operation.LARGEST, Superlative(_HEIGHT)),
    ("lowest|niedrigste[nrsm]?|am niedrigsten", Operation.SMALLEST, Superlative(_HEIGHT)),
    ("largest|biggest|greatest|größte[nrsm]?", Operation.LARGEST, Superlative(_SIZE)),
    ("smallest|kleinste[nrsm]?", Operation.SMALLEST, Superlative(_SIZE)),
    ("fastest|quickest|schnellste[nrsm]?|am schnellsten", Operation.SMALLEST, Superlative(_DELAY, is_specific=True)),
    ("slowest|langsamste[nrsm]?|am langsamsten", Operation.LARGEST, Superlative(_DELAY, is_specific=True)),
    ("most expensive|dearest|teuerste[nrsm]?|am teuersten", Operation.LARGEST, Superlative(_PRICE, is_specific=True)),
    (
        "cheapest|least expensive|billigste[nrsm]?|günstigste[nrsm]?",
        Operation.SMALLEST,
        Superlative(_PRICE, is_specific=True),
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
    (compile_phrases("costs?", "cheaper", "kosten", "kostet", "gekostet", "teurer", "billiger", "günstiger"), _PRICE),
)
_SUPERLATIVE_OF = {
    comparative: superlative
    for superlative, comparatives in (
        ("heaviest", "heavier schwerer"), ("lightest", "lighter leichter"), ("longest", "longer länger"),
        ("shortest", "shorter kürzer"), ("tallest", "taller"), ("highest", "higher höher"),
        ("lowest", "lower niedriger"), ("largest", "larger bigger greater größer"), ("smallest", "smaller kleiner"),
        ("fastest", "faster quicker schneller"), ("slowest", "slower langsamer"), ("most expensive", "teurer"),
        ("cheapest", "cheaper billiger günstiger"), ("oldest", "older älter"), ("latest", "newer later neuer später"),
        ("earliest", "earlier früher"), ("most", "more mehr"), ("least", "less fewer weniger"),
    )
    for comparative in comparatives.split()
} | {"more expensive": "most expensive", "less expensive": "least expensive"}  # fmt: skip
"""A comparative asks of two things what its superlative asks of all."""
_COMPARATIVE = compile_phrases(
    rf"(?P<comparative>{'|'.join(sorted(_SUPERLATIVE_OF, key=len, reverse=True))})(?:e[nrsm]?)?"
)
_OR = compile_phrases("or", "oder")
_OR_COMPARATIVE = re.compile(rf"{_OR.pattern} {_COMPARATIVE.pattern.removeprefix('(?i)')}")
"""An "or" that offers no choice, but is part of a limit ("5 or more") or about one thing ("older or newer")."""
_NO_CHOICE = compile_phrases("than", "als", "there", "gibt")
_NO_ORDER = compile_phrases(
    "at (?:least|most)", "last (?:updated|name)",
    "(?:first|last) (?:of all|aid|days?|weeks?|months?|years?|quarter|shift|name|page|floor|line|level|steps?)",
    "(?:erste|letzte)[nrsm]? (?:hilfe|tag(?:es|e|en)?|wochen?|monats?|jahr(?:es)?|schicht|seite|stock|schritte?n?)",
)  # fmt: skip

_EMPTY_IN_CHECKS = frozenset(
    """another country countries land currently still already configuration setup combination derzeit noch konfiguration
    kombination""".split()  # noqa: SIM905
)
_END_OF_CLAUSE = re.compile(r"\?|(?<=\w) \(")
"""Also before the title that completion adds in brackets: "And which keys? (Cars and keys: free)"."""
_BETWEEN = frozenset(
    """of the our all are were other der die das den unsere unserer unseren alle aller sind waren andere anderen me my
    mir""".split()  # noqa: SIM905
)
_PER = frozenset(["per", "pro"])
MOST_WORDS = 60
"""The most words that a question may have to be bound."""


def read_question(question: str) -> RowQuestion | None:
    """Return what a question asks of rows; None if it asks for none."""
    row_question = _read_question(question)
    return (
        None
        if row_question and row_question.operation is Operation.COUNT and _HOW_MUCH.search(question)
        else row_question
    )


def read_count(question: str) -> RowQuestion | None:
    """Return a question that asks how many there are, or how much, of whatever a cell or the rows have."""
    row_question = _read_question(question)
    return row_question if row_question and row_question.operation is Operation.COUNT else None


@cache_texts(64)
def read_choice(question: str) -> RowQuestion | None:
    """Return a question for the larger or smaller of two things: "what is cheaper, X or Y"; None for any other."""
    found = list(_COMPARATIVE.finditer(question))
    if len(found) != 1 or len(_OR.findall(question)) != 1 or len(split_words(question)) > MOST_WORDS:
        return None
    if any(each.search(question) for each in (_OR_COMPARATIVE, _NO_CHOICE, _UNREAD)) or is_comparison(question):
        return None
    language = detect_language(question)
    order = _find_order(_SUPERLATIVE_OF[found[0]["comparative"].lower()])
    if language not in CATALOGUES or order is None or _find_negation(question):
        return None
    spoken = choose_catalogue(language)
    if take_bounds(question, spoken)[0]:
        return None
    _, choice, superlative = order
    if not superlative.hints:  # "costs more"
        superlative = replace(superlative, hints=_find_hints(question))
    words = split_words(_COMPARATIVE.sub(" ", question))
    return RowQuestion(Operation.COMPARE, spoken, words, (), superlative, text=question, choice=choice)


@cache_texts(64)
def _read_question(question: str) -> RowQuestion | None:
    if len(split_words(question)) > MOST_WORDS or _UNREAD.search(_MEAN.sub(" ", question)):
        return None
    language = detect_language(question)
    if language not in CATALOGUES:  # the patterns are English and German
        return None
    text = question if is_comparison(question) else leave_out_light_words(question)  # "how long is it from" compares
    asked = _read_operation(text, choose_catalogue(language))
    quoted = tuple(split_words(match[1] or match[2]) for match in _QUOTED.finditer(question))
    return replace(asked, quoted=quoted, text=question) if asked else None


def _read_operation(question: str, spoken: Language) -> RowQuestion | None:
    is_range = bool(_RANGE.search(question)) and (_SUM.search(question) or is_comparison(question))
    bounds, text = ((), question) if is_range else take_bounds(question, spoken)
    negation = _find_negation(text)
    if (mean := _MEAN.match(text)) and not (negation or bounds or _find_order(text) or _SUM.search(text)):
        words = split_words(_COUNT.sub(" ", f"{mean['before'] or ''} {text[mean.end() :]}"))
        return RowQuestion(Operation.MEAN, spoken, words, (), asks_value=True)
    if (total := _TOTAL.match(text)) and not (negation or bounds or _find_order(text)):
        return RowQuestion(Operation.SUM, spoken, split_words(text[total.end() :]), (), asks_value=True)
    if is_comparison(text):
        return _read_comparison(text, spoken) if not bounds and not negation else None
    if order := _find_order(text):
        return _read_order(text, spoken, order) if not bounds and not negation else None
    if _SUM.search(text):
        words = split_words(_COUNT.sub(" ", _SUM.sub(" ", text)))
        has_range = bool(_RANGE.search(text))
        return (
            None
            if negation or bounds
            else RowQuestion(Operation.SUM, spoken, words, (), Superlative(_find_hints(text)), has_range=has_range)
        )
    if find_auxiliary(text, spoken):
        return _read_check(text, spoken, bounds)
    return _read_rows_question(text, spoken, bounds, negation)


def _read_check(text: str, spoken: Language, bounds: tuple[Bound, ...]) -> RowQuestion | None:
    quantity, text = take_quantity(text)
    auxiliary = find_auxiliary(text, spoken)
    if auxiliary is None or _find_negation(text) or _UNREAD_IN_CHECKS.search(text):
        return None
    words = split_words(text[: auxiliary.start("verb")] + text[auxiliary.end("verb") :])
    words = tuple(word for word in words if word.folded not in _EMPTY_IN_CHECKS)
    subject = _take_subject(quantity.following) if quantity else ()
    return RowQuestion(Operation.CHECK, spoken, words, subject, bounds=bounds, quantity=quantity)


def _find_negation(text: str) -> re.Match[str] | None:
    """Return the first "not" outside of quotation marks."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    found = (match for match in _NEGATION.finditer(text) if not any(a <= match.start() < b for a, b in quoted))
    return next(found, None)


def _read_rows_question(
    text: str, spoken: Language, bounds: tuple[Bound, ...], negation: re.Match[str] | None
) -> RowQuestion | None:
    operation = Operation.COUNT if _COUNT.search(text) else Operation.LIST if _LIST.search(text) else None
    if operation is None or _UNREAD_IN_ROWS.search(text):
        return None
    if not bounds:
        bounds, text = take_range(text, spoken)
        negation = _find_negation(text)
    subject = _find_subject(operation, text[: negation.start()] if negation else text)
    if not subject:
        return None
    negated = split_words(text[negation.end() :]) if negation else None
    rest = f"{text[: negation.start()]} {text[negation.end() :]}" if negation else text
    words = split_words(_COUNT.sub(" ", rest))
    counted = _COUNT.split(text, maxsplit=1)[-1] if operation is Operation.COUNT else ""
    return RowQuestion(
        operation,
        spoken,
        words,
        subject,
        bounds=bounds,
        negated=negated,
        is_distinct=_is_distinct(text),
        counts_people=any(
            word.folded in PEOPLE_WORDS for word in (*split_words(counted)[:1], *subject[-1:]) if counted
        ),
        asks_value=operation is Operation.LIST and bool(_VALUE.match(text)),
    )


def _is_distinct(text: str) -> bool:
    """Whether a word like "different" is right before what is counted or listed."""
    match = _COUNT.search(text) or _LIST.search(text)
    return any(map(_says_distinct, split_words(text[match.end() :])[:2])) if match else False


def _says_distinct(word: Word) -> bool:
    return word.folded in DISTINCT_WORDS


def _find_subject(operation: Operation, text: str) -> tuple[Word, ...]:
    match = (_COUNT if operation is Operation.COUNT else _LIST).search(text)
    rest = text[match.end() :] if match else ""
    own = _END_OF_CLAUSE.split(rest, maxsplit=1)[0]
    following = tuple(dropwhile(_says_distinct, split_words(own if own.strip() else rest)))
    if match and (state := _STATE.match(text, match.end())):  # "what is still open on the checklist"
        return split_words(state[1] or state[2])
    if operation is Operation.LIST:
        if match and (value := _VALUE.match(text)) and (owner := _POSSESSIVE.search(text, value.end())):
            following = split_words(text[owner.end() :])  # "what's Ada's extension"
        # Not the verb of "what do I do": no rows are asked for.
        following = tuple(dropwhile(lambda word: word.folded in _BETWEEN, following))
    else:
        following = tuple(dropwhile(lambda word: not word.is_content, following))
    return _take_subject(following)


def _take_subject(words: Iterable[Word]) -> tuple[Word, ...]:
    """Return the first words up to one without content, or a verb that says that something is there.

    Right after a name it is no verb: "which 8.0 measured machines".
    """
    taken: list[Word] = []
    for word in words:
        is_verb = word.folded in VERBS_OF_PRESENCE
        if not word.is_content or (is_verb and not (taken and all(each.is_name for each in taken))):
            break
        if taken and word.folded in SUCCESS_WORDS | FAILURE_WORDS | END_VERBS:
            break
        if not is_verb:
            taken.append(word)
    return tuple(taken)


def _read_comparison(text: str, spoken: Language) -> RowQuestion:
    rest = remove_comparison(text)
    hints = _find_hints(text)
    wanted = Superlative(hints, is_temporal=hints is _TIMES)
    return RowQuestion(Operation.COMPARE, spoken, split_words(rest), (), wanted, has_range=bool(_RANGE.search(text)))


def _find_hints(text: str) -> frozenset[str]:
    return next((hints for pattern, hints in _COMPARATIVES if pattern.search(text)), frozenset())


def _find_order(text: str) -> tuple[re.Pattern[str], Operation, Superlative] | None:
    if _NO_ORDER.search(text) or _COUNT.search(text):
        return None
    found = [order for order in _ORDERS if order[0].search(text)]
    return found[0] if len(found) == 1 or (found and found[0][2].hints == _PRICE) else None


def _read_order(
    text: str, spoken: Language, order: tuple[re.Pattern[str], Operation, Superlative]
) -> RowQuestion | None:
    pattern, operation, superlative = order
    rest = pattern.sub(" ", text)
    subject = _find_subject(Operation.LIST, rest)
    if not subject:
        match = pattern.search(text)
        subject = tuple(takewhile(_may_be_subject, split_words(text[match.end() :]))) if match else ()
    return RowQuestion(operation, spoken, split_words(rest), subject, superlative) if subject else None


def _may_be_subject(word: Word) -> bool:
    return word.is_content and word.folded not in _PER
