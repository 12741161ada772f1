"""Finds what a question asks of rows: an operation, and the words that describe the rows.

Words that only express the operation ("heaviest", "how much more", "at least 40 MB") are removed. The other words have
to be bound to a table or list, see :mod:`core.reading.plans.binding`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import dropwhile, takewhile

from core.languages import CATALOGUES, Language, choose_catalogue, detect_language
from core.reading.questions.comparison import compile_phrases, is_comparison, remove_comparison
from core.reading.questions.limits import Bound, take_bounds, take_range
from core.reading.questions.quantifier import take_quantity
from core.reading.questions.row_question import MOST_WORDS, Operation, RowQuestion, Superlative
from core.reading.questions.superlatives import find_comparative, find_hints, find_order
from core.reading.questions.yes_no import find_auxiliary
from core.reading.words import (
    DENIALS,
    DISTINCT_WORDS,
    END_VERBS,
    FAILURE_WORDS,
    PEOPLE_WORDS,
    SUCCESS_WORDS,
    VERBS_OF_PRESENCE,
    Word,
    split_words,
)
from core.text_caches import cache_texts
from core.wording.content_words import leave_out_light_words

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
UNREAD = compile_phrases(
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


_EMPTY_IN_CHECKS = frozenset(
    """another country countries land currently still already configuration setup combination derzeit noch konfiguration
    kombination""".split()
)
_END_OF_CLAUSE = re.compile(r"\?|(?<=\w) \(")
"""Also before the title that completion adds in brackets: "And which keys? (Cars and keys: free)"."""
_BETWEEN = frozenset(
    """of the our all are were other der die das den unsere unserer unseren alle aller sind waren andere anderen me my
    mir""".split()
)
_PER = frozenset(["per", "pro"])


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
def _read_question(question: str) -> RowQuestion | None:
    if len(split_words(question)) > MOST_WORDS or UNREAD.search(_MEAN.sub(" ", question)):
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
    negation = find_negation(text)
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
            else RowQuestion(Operation.SUM, spoken, words, (), Superlative(find_hints(text)), has_range=has_range)
        )
    if find_auxiliary(text, spoken):
        return _read_check(text, spoken, bounds)
    return _read_rows_question(text, spoken, bounds, negation)


def _read_check(text: str, spoken: Language, bounds: tuple[Bound, ...]) -> RowQuestion | None:
    quantity, text = take_quantity(text)
    auxiliary = find_auxiliary(text, spoken)
    if auxiliary is None or find_negation(text) or _UNREAD_IN_CHECKS.search(text):
        return None
    words = split_words(text[: auxiliary.start("verb")] + text[auxiliary.end("verb") :])
    words = tuple(word for word in words if word.folded not in _EMPTY_IN_CHECKS)
    subject = _take_subject(quantity.following) if quantity else ()
    return RowQuestion(Operation.CHECK, spoken, words, subject, bounds=bounds, quantity=quantity)


def find_negation(text: str) -> re.Match[str] | None:
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
        negation = find_negation(text)
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


_PARTICLES = frozenset(["up", "off", "out"])
_BEFORE_PARTICLE = frozenset("back check follow hand kick log roll set sign stand start".split())
"""The first words of compounds: "follow-up", "roll-out"."""


def _take_subject(words: Iterable[Word]) -> tuple[Word, ...]:
    """Return the first words up to one without content, or a verb that says that something is there.

    Right after a name it is no verb: "which 8.0 measured machines". Of a compound such as "follow-up measures" the
    particle is left out.
    """
    taken: list[Word] = []
    for word in words:
        if word.folded in _PARTICLES and taken and taken[-1].folded in _BEFORE_PARTICLE:
            continue
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
    wanted = find_comparative(text)
    return RowQuestion(Operation.COMPARE, spoken, split_words(rest), (), wanted, has_range=bool(_RANGE.search(text)))


def _find_order(text: str) -> tuple[re.Pattern[str], Operation, Superlative] | None:
    return None if _COUNT.search(text) else find_order(text)


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
