"""Puts the name that an ellipsis gives in the place of the one before it.

"And the Heron?" after "What does the Rook 4 cost?" asks "What does the Heron cost?". Structure tells which words of the
earlier question are replaced: the ellipsis and that question name two labels of one table or list (cells of a column,
headers, items), or two phrases after the same preposition, or two names of the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile, zip_longest

from core.evidence.dates import MONTHS
from core.languages import detect_language
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, OWN_COLUMNS
from core.reading.words import Word, is_same_noun
from core.text import QUESTION_WORDS, is_stopword, list_words
from core.text_caches import cache_texts

PREPOSITIONS = frozenset(
    """in at on for with from to by of im ins am ans bei beim für mit von vom aus nach zu zum zur auf an über à au aux
    en chez em para""".split()
)
CONTINUATIONS = r"and|und|or|oder|also|then|dann|what about|how about|was ist mit|wie (?:steht|sieht) es"
_ARTICLES = "the|a|an|der|die|das|den|dem|des|ein|eine|einen|einem|einer|le|la|les|el|los|las"
_OF_OTHER_LANGUAGES = "et|ou|alors|puis|y|entonces|qué tal|e|ed|o|allora|então|en|of|dan"
_CONTRACTED = {"im": "in", "ins": "in", "am": "an", "ans": "an", "beim": "bei", "vom": "von", "zum": "zu", "zur": "zu"}
_POSSESSIVES = frozenset(
    """my your our their his her its mein meine meinen meiner dein deine ihr ihre unser unsere""".split()
)
_MOST_CHARS = 400  # of an earlier question whose words are replaced
_MOST_WORDS = 6  # of a phrase that replaces another
_FIRST_LETTERS = 3
_MOST_ITEM_WORDS = 4  # of the beginning of an item that is its label

_ELLIPSIS = re.compile(
    rf"(?i)^[\s,;:…¿¡(]*(?P<lead>(?:(?:{CONTINUATIONS}|{_OF_OTHER_LANGUAGES})\b[\s,:]+)*)"
    rf"(?:(?:aus )?(?P<preposition>{'|'.join(sorted(PREPOSITIONS))})\s+)?"
    rf"(?:(?P<article>{_ARTICLES})\s+)?(?P<phrase>\S.*)$"
)
_ADJECTIVES = re.compile(
    r"(?:(?!(?:welch|dies|jed|all|beid|erst|zweit|dritt|letzt|nächst|vorig|vergangen|kommend|folgend)e)"
    r"[a-zäöüß]{2,}e[nrms]?\s+){1,2}(?=[A-ZÄÖÜ])"
)
"""German adjectives and possessives before a noun, but for those that select a time, or ask for something."""
_AUXILIARY = re.compile(
    r"(?i)\b(?:ist|sind|war|waren|wird|werden|wurden?|hat|haben|habe|hatten?|kann|können|darf|dürfen|muss|müssen|soll"
    r"|sollen|will|wollen|möchte)\b"
)
_VERB_AT_END = re.compile(r"(?<!\b(?:der|die|das|den|dem|ein|auf|aus|bei|mit|von|für|und)) [a-zäöüß]{3,}[tn]$")
"""The participle or infinitive with which a German question with an auxiliary ends: "geöffnet", "bestellen"."""
_TIME_NOW = re.compile(
    r"(?i)\b(?:today|tonight|yesterday|tomorrow|now|currently|(?:this|next|last|coming|previous) (?:\w+day|week|weekend"
    r"|month|quarter|year)|heute|gestern|morgen|jetzt|derzeit|aktuell|(?:diese|nächste|letzte|vorige|kommende"
    r"|vergangene)[nrsm]? (?:\w+tag|woche|wochenende|monat|quartal|jahr))\b"
)
_WEEKDAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|sonnabends?"
)
_COURTESY_AT_END = re.compile(r"(?i),\s*(?:please|thanks|thank you|thx|bitte|danke)\W*$")
_LANGUAGES_AND_EXAMPLES = frozenset(
    """english german french spanish italian dutch englisch deutsch französisch spanisch italienisch niederländisch
    example beispiel""".split()
)
"""After a preposition they are a wish for the answer, and no condition."""
_PLACES_AND_TIMES = frozenset(["in", "at", "on", "im", "ins", "am", "ans", "an"])
_ACTS = re.compile(r"(?i)\b(?:do|does|did|has|have|had|can|could|should|must|will|would|may)\s+(?:the\s+)?$")
"""Before the name of whoever acts: "What did Anna decide?"."""
_LEADS = re.compile(rf"(?i)^\W*(?:(?:{CONTINUATIONS})\s+)+")
_WORD = re.compile(r"\d+(?:[.:/-]\d+)+|[^\W_]+")
_ARTICLE_BEFORE = re.compile(rf"(?i)\b(?:{_ARTICLES})\s+$")
_PREPOSITION_BEFORE = re.compile(rf"(?i)\b(?:{'|'.join(sorted(PREPOSITIONS))})\s+$")
_BETWEEN_LABELS = re.compile(r"[,;/|=()<>:]|\s[–—-]\s")  # what stands between the labels of one cell: "-q, --quiet"
_SIGNS = "-.#@$"  # that begin a name: "--abort", ".gitmodules"
_CAPITALS = re.compile(r"[A-ZÄÖÜ][^\W_]*(?: [A-ZÄÖÜ][^\W_]*)*")
_JOINTS = frozenset([" ", "-", "_", "."])
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d[\d.,]*")
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = re.compile(
    r"(?i)(?<![\w.])(?<!\bto )(?<!\bbis )(?<![–—-] )(?<![–—-])"
    rf"(?:\d\d?(?:\.|st|nd|rd|th)? (?:of )?(?:{_MONTH})\b|(?:{_MONTH}) \d\d?(?:st|nd|rd|th)?(?![\w.]*\d)"
    r"|\d\d?\.\d\d?\.(?!\d\d?\b)|\d{4}-\d\d-\d\d\b)(?: ?\d{4}\b)?"
)
"""A day that ends no period: "9 December", "9. Dezember 2026", "December 9th", "9.12.", "2026-12-09"."""
_NUMBERED_NAME = re.compile(r"(?<![^\W_])(?P<name>[^\W\d_]+)[ _.-]?(?P<number>\d+(?:\.\d+)*)(?![^\W_])")


@dataclass(frozen=True, slots=True)
class EllipticalQuestion:
    """A question without a sentence: "And of the Rook 4?". ``preposition`` and ``article`` may be ""."""

    preposition: str
    article: str
    phrase: str
    continues: bool


@dataclass(frozen=True, slots=True)
class Replacement:
    """The earlier question with the phrase of the ellipsis, and the words that it has lost, lower-cased.

    ``by_label``: whether both are labels of the page that the conversation is on, so its title stays right.
    """

    question: str
    replaced: frozenset[str]
    by_label: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a text with its place. Stop words are left out, but for names such as "IT"."""

    word: Word
    start: int
    end: int


_Span = tuple[int, int]


def parse_ellipsis(question: str) -> EllipticalQuestion | None:
    """Return the parts of a question that is only a phrase; None if it is too long for one."""
    found = _ELLIPSIS.match(question)
    phrase = found["phrase"].rstrip(" ?!.,;:？。！") if found else ""
    if found is None or not 0 < len(phrase.split()) <= _MOST_WORDS or not _begins_with_name(phrase):
        return None
    preposition = (found["preposition"] or "").lower()
    return EllipticalQuestion(preposition, found["article"] or "", phrase, bool(found["lead"]))


def strip_continuation(question: str) -> str:
    """Return a question without the words with which it continues a conversation: "And who pays?"."""
    return _LEADS.sub("", question)


def _begins_with_name(phrase: str) -> bool:
    """Whether the first word is no stop word: "Heron", but not "is the Heron", "who", "it"."""
    tokens = _list_tokens(phrase)
    first = _WORD.search(phrase)
    return bool(tokens and first and (first.start() == tokens[0].start or first[0].lower() in _POSSESSIVES))


def replace_phrase(ellipsis: EllipticalQuestion, before: str, relations: Iterable[Relation]) -> Replacement | None:
    """Return the earlier question about what the ellipsis names; None if it is not clear what that replaces.

    ``relations``: the tables and lists of the page that the conversation is on.
    """
    if len(before) > _MOST_CHARS:
        return None
    by_label = _replace_label(ellipsis, before, relations)
    if by_label or not (ellipsis.continues or ellipsis.preposition):
        return by_label
    span = _find_span_of_same_form(ellipsis, before)
    if span is None or _list_words(before[slice(*span)]) == _list_words(ellipsis.phrase):
        return None
    return _replace(ellipsis, before, span, ellipsis.phrase)


def add_phrase(ellipsis: EllipticalQuestion, before: str) -> str:
    """Return the earlier question with the phrase of the ellipsis as a further condition: "Who paints it in Leiden?".

    "" if the ellipsis has no preposition, or may replace something: a phrase of the same form or of ordinary words
    after the same one, a name of the same form, a time without a preposition ("this week"), or in German, where all
    nouns are capitalised, a noun after any.
    """
    if not ellipsis.preposition or not _may_be_continued(before):
        return ""
    form, is_time = _find_form(ellipsis.phrase), _is_time(ellipsis.phrase)
    is_wish = ellipsis.phrase.lower() in _LANGUAGES_AND_EXAMPLES
    after = _find_spans_after(ellipsis.preposition, before, len(ellipsis.phrase.split()))
    is_replacing = any(_find_form(before[slice(*span)]) in {form, ""} for span in after)
    is_replacing = is_replacing or (is_time and bool(_TIME_NOW.search(before)))
    if not form or is_wish or is_replacing or _find_same_names(ellipsis, before):
        return ""
    is_german = detect_language(before) == "de"
    if is_german and form == "name" and not is_time and any(_find_nouns_after(each, before) for each in PREPOSITIONS):
        return ""
    article = f"{ellipsis.article.lower()} " if ellipsis.article else ""
    question = before.rstrip(" ?")
    verb = _VERB_AT_END.search(question) if is_german and _AUXILIARY.search(question) else None
    end = verb.start() if verb else len(question)
    return f"{question[:end]} {ellipsis.preposition} {article}{ellipsis.phrase}{question[end:]}?"


def _may_be_continued(before: str) -> bool:
    """Whether a text is a question that is not followed by a courtesy: "Who approves travel, please?"."""
    words = list_words(before)
    is_question = before.rstrip().endswith("?") or (bool(words) and words[0] in QUESTION_WORDS)
    return is_question and len(before) <= _MOST_CHARS and not _COURTESY_AT_END.search(before)


def _is_time(phrase: str) -> bool:
    """Whether a phrase names a time: a month, a weekday, or a year."""
    return any(word in MONTHS or _YEAR.fullmatch(word) or _WEEKDAY.fullmatch(word) for word in phrase.lower().split())


def _find_nouns_after(preposition: str, text: str) -> list[str]:
    found = (text[slice(*span)] for span in _find_spans_after(preposition, text, 1))
    return [noun for noun in found if noun[0].isupper()]


def find_replaced_words(question: str, before: str) -> frozenset[str]:
    """Return the words that follow the same preposition, of a whole name: "rook" and "4" of "for the Rook 4"."""
    found: frozenset[str] = frozenset()
    for preposition in PREPOSITIONS.intersection(word.lower() for word in question.split()):
        for new in _find_spans_after(preposition, question, _MOST_WORDS)[:1]:
            phrase = question[slice(*new)]
            if not _begins_with_name(phrase):  # "for which models"
                continue
            spans = _find_spans_after(preposition, before, len(phrase.split()))
            alike = [span for span in spans if _find_unit(before[slice(*span)]) == _find_unit(phrase)]
            found |= _list_words(before[slice(*_add_noun(alike[0], before))]) if alike else frozenset()
    return found


def complete_names(words: frozenset[str], before: str) -> frozenset[str]:
    """Return the words, and all words of the names that have one of them: "rook" and "4" for "rook"."""
    names = map(_list_words, _list_names(before))
    return words.union(*(name for name in names if name & words))


def has_other_name(question: str, before: str) -> bool:
    """Whether a question has a name, and the earlier question another one of the same form."""
    forms = set(map(_find_form, _list_names(before)))
    return any(_find_form(name) in forms and name not in before for name in _list_names(question))


def find_other_numbers(question: str, title: str) -> frozenset[str]:
    """Return the title's words with a number for which the question has another one.

    "rc2" if it asks about the rc1, "4" of "Rook 4" if it asks about the Rook 5. A question with both replaces neither.
    """
    asked, found = _list_numbers(question), _list_numbers(title)
    others = [found[name] for name in found.keys() & asked.keys() if not found[name] & asked[name]]
    return frozenset(word for numbers in others for number in numbers for word in list_words(number))


def _list_numbers(text: str) -> dict[str, set[str]]:
    """Return the numbers by the name before each, joined ones with the name: {"rook": {"4"}, "rc": {"rc2"}}."""
    numbers: dict[str, set[str]] = {}
    for found in _NUMBERED_NAME.finditer(text.lower()):
        if not is_stopword(found["name"]):
            joined = found.end("name") == found.start("number")
            numbers.setdefault(found["name"], set()).add(found[0] if joined else found["number"])
    return numbers


def _replace(
    ellipsis: EllipticalQuestion, before: str, span: _Span, phrase: str, by_label: bool = False
) -> Replacement:
    start, end = span
    head, article = before[:start], _ARTICLE_BEFORE.search(before[:start])
    if article and (ellipsis.article or ellipsis.preposition):
        head = head[: article.start()]
    if ellipsis.preposition and (preposition := _PREPOSITION_BEFORE.search(head)):  # "für die", "beim"
        head = f"{head[: preposition.start()]}{ellipsis.preposition} "
    if ellipsis.article and (article or ellipsis.preposition):
        phrase = f"{ellipsis.article.lower()} {phrase}"
    replaced = _list_words(before[start:end]) - _list_words(phrase)
    return Replacement(f"{head}{phrase}{before[end:]}", replaced, by_label)


# ----------------------------------------------------------------------------------------------- labels of a relation


@dataclass(frozen=True, slots=True)
class _Mention:
    """The words of a text that name a label: all of its words if ``is_whole``, else the first ones."""

    span: _Span
    count: int
    is_whole: bool
    words: tuple[str, ...]

    def has_overlap(self, other: _Mention) -> bool:
        return self.span[0] < other.span[1] and other.span[0] < self.span[1]


def _replace_label(ellipsis: EllipticalQuestion, before: str, relations: Iterable[Relation]) -> Replacement | None:
    asked, earlier = _list_tokens(ellipsis.phrase), _list_tokens(before)
    found: dict[tuple[bool, bool, bool, int], set[tuple[_Span, _Span]]] = {}
    for is_main, texts in _list_label_groups(relations):
        if not _may_mention(asked, texts) or not _may_mention(earlier, texts):
            continue
        labels = [label for text in texts if (label := tuple(token.word for token in _list_tokens(text)))]
        new = _find_mention(asked, labels, ellipsis.phrase)
        old = _find_mention(earlier, labels, before)
        if new is None or old is None or new.words == old.words or not (is_main or (new.is_whole and old.is_whole)):
            continue
        known = {token.word.folded for token in earlier}
        others = [each for each in asked if not new.span[0] <= each.start < new.span[1]]
        if all(each.word.folded in known for each in others):
            rank = (new.is_whole, old.is_whole, is_main, old.count)
            found.setdefault(rank, set()).add((new.span, old.span))
    best = found[max(found)] if found else set()
    if len(best) != 1:
        return None
    [(in_phrase, in_before)] = best
    return _replace(ellipsis, before, in_before, ellipsis.phrase[slice(*in_phrase)], by_label=True)


def _list_label_groups(relations: Iterable[Relation]) -> Iterator[tuple[bool, Sequence[str]]]:
    """Yield labels that may replace each other, and whether they name the rows: a column's cells, headers, items."""
    for relation in relations:
        if relation.kind == "list":
            beginnings = (_BETWEEN_LABELS.split(row.cells.get(ITEM, ""), maxsplit=1)[0] for row in relation.rows)
            yield True, [each for each in beginnings if len(each.split()) <= _MOST_ITEM_WORDS]
            continue
        yield False, [column.rpartition(" > ")[2] for column in relation.columns if column not in OWN_COLUMNS]
        for column in relation.columns:
            cells = dict.fromkeys(filter(None, relation.get_cells(column)))
            labels = dict.fromkeys(each for cell in cells for each in (cell, *_BETWEEN_LABELS.split(cell)))
            yield column == relation.columns[0], list(labels)


def _may_mention(tokens: Sequence[_Token], labels: Sequence[str]) -> bool:
    """Whether a label has the first letters of a word; most columns have not, and need not be read."""
    together = "\n".join(labels).lower()
    return any(token.word.folded[:_FIRST_LETTERS] in together for token in tokens)


def _find_mention(tokens: Sequence[_Token], labels: Sequence[tuple[Word, ...]], text: str) -> _Mention | None:
    """Return the longest mention of a label in a text; None if there is none, or if the text names two labels."""
    mentions: dict[_Span, _Mention] = {}
    for label in labels:
        for at in range(len(tokens)):
            pairs = zip(tokens[at:], label, strict=False)
            count = len(list(takewhile(lambda pair: _is_same(pair[0].word, pair[1]), pairs)))
            if count:
                mention = _make_mention(tokens, at, count, count == len(label), text)
                known = mentions.get(mention.span)
                mentions[mention.span] = mention if known is None or mention.is_whole else known
    longest = max(((each.is_whole, each.count) for each in mentions.values()), default=None)
    best = [each for each in mentions.values() if (each.is_whole, each.count) == longest]
    if len(best) != 1 or any(each.is_whole and not best[0].has_overlap(each) for each in mentions.values()):
        return None
    return best[0]


def _make_mention(tokens: Sequence[_Token], at: int, count: int, is_whole: bool, text: str) -> _Mention:
    end = at + count
    while not is_whole and end < len(tokens) and _is_number_after(tokens[end - 1], tokens[end], text):
        end += 1  # "Rook 5" is one name, also if the label is "Rook 4"; and "R-5" if it is "R-4"
    start = tokens[at].start
    while start and text[start - 1] in _SIGNS:
        start -= 1
    span = (start, tokens[end - 1].end)
    return _Mention(span, count, is_whole, tuple(token.word.folded for token in tokens[at:end]))


def _is_number_after(name: _Token, number: _Token, text: str) -> bool:
    return text[name.end : number.start] in _JOINTS and bool(_NUMBER.fullmatch(number.word.text))


def _is_same(word: Word, other: Word) -> bool:
    if word.is_name or other.is_name:
        return word.folded == other.folded
    return is_same_noun(word.folded, other.folded)


def _list_tokens(text: str) -> list[_Token]:
    found = (_Token(_make_word(match[0]), match.start(), match.end()) for match in _WORD.finditer(text))
    return [token for token in found if token.word.text.isupper() or not is_stopword(token.word.text.lower())]


@cache_texts(5_000)
def _make_word(text: str) -> Word:
    return Word(text, text.lower())


# ------------------------------------------------------------------------------------------------ names of one form


def _find_span_of_same_form(ellipsis: EllipticalQuestion, before: str) -> _Span | None:
    """Return the place of the phrase after the same preposition, or else of the only name of the same form."""
    days = [found.span() for found in _DAY.finditer(before)] if _DAY.fullmatch(ellipsis.phrase) else []
    if numbered := days or _find_spans_of_other_number(ellipsis.phrase, before):
        return numbered[0] if len(numbered) == 1 else None
    form = _find_form(ellipsis.phrase)
    if ellipsis.preposition:
        after = _find_spans_after(ellipsis.preposition, before, len(ellipsis.phrase.split()))
        same = [span for span in after if _find_form(before[slice(*span)]) == form]
        if not same and form == "name":  # "bei der eigenen Hochzeit" for "beim Umzug"
            same = [whole for span in after if (whole := _add_noun(span, before)) != span]
        if same and (form or len(_list_tokens(ellipsis.phrase)) == 1):
            return same[0] if len(same) == 1 else None
    is_complete = detect_language(before) != "de" or any(map(str.isdigit, ellipsis.phrase))
    if not form or not is_complete:  # of a German question, not all names are found
        return None
    names = _find_same_names(ellipsis, before)
    return names[0] if len(names) == 1 else None


def _find_same_names(ellipsis: EllipticalQuestion, before: str) -> list[_Span]:
    """Return the places of names of the same form, without whoever acts if the ellipsis is of a place or time."""
    form, names = _find_form(ellipsis.phrase), _find_names(before)
    if ellipsis.preposition in _PLACES_AND_TIMES:
        names = [span for span in names if not _ACTS.search(before[: span[0]])]
    return [span for span in names if _find_form(before[slice(*span)]) == form]


def _find_spans_of_other_number(phrase: str, before: str) -> list[_Span]:
    """Return the places of a name with another number, in any case: "klasse 1" for "klasse 3"."""
    asked = _NUMBERED_NAME.fullmatch(phrase)
    if asked is None or is_stopword(asked["name"].lower()) or asked["name"].lower() in MONTHS:
        return []
    name = asked["name"].lower()
    return [found.span() for found in _NUMBERED_NAME.finditer(before) if found["name"].lower() == name]


def _find_form(text: str) -> str:
    """Return what the form of a text says it is: number, month, code (as "A0") or name; "" for ordinary words."""
    words = text.split()
    if _NUMBER.fullmatch(text):
        return re.sub(r"\d+", "0", text) if "." in text else f"number of {len(text)} digits"
    if words and words[0].lower() in MONTHS:
        return "month"
    if len(words) == 1 and any(map(str.isdigit, text)):
        return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d+", "0", text))
    return "name" if words and _is_name(text) else ""


def _find_unit(text: str) -> str:
    """Return "month" or "number", which no other phrase replaces; "" for all others."""
    form = _find_form(text)
    return "number" if form.startswith(("number", "0")) else form if form == "month" else ""


def _is_name(text: str) -> bool:
    return all(word[0].isupper() or word[0].isdigit() for word in _WORD.findall(text))


def _find_names(text: str) -> list[_Span]:
    """Return the places of capitalised words with the numbers that follow, and of words with digits.

    The first word of a text is no name; in German, only words before a number are, because all nouns are capitalised.
    """
    is_german = detect_language(text) == "de"
    tokens = list(_WORD.finditer(text))
    spans: list[_Span] = []
    for token, following in zip_longest(tokens, tokens[1:]):
        word, joint = token[0], text[spans[-1][1] : token.start()] if spans else ""
        has_number = bool(following) and following[0][0].isdigit() and text[token.end() : following.start()] in _JOINTS
        is_pronoun = word == "I"
        is_capital = word[0].isupper() and token is not tokens[0] and (has_number or not (is_german or is_pronoun))
        if not (is_capital or any(map(str.isdigit, word)) or Word(word, word).is_name):
            continue
        if joint in _JOINTS and not (word.lower() in MONTHS or _YEAR.fullmatch(word)):
            spans[-1] = (spans[-1][0], token.end())
        else:
            spans.append(token.span())
    return spans


def _list_names(text: str) -> list[str]:
    """Return the names at the places that :func:`_find_names` finds."""
    return [text[slice(*span)] for span in _find_names(text)]


def _find_spans_after(preposition: str, text: str, words: int) -> list[_Span]:
    """Return the places of the phrases after a preposition and an article: a whole name, else one word.

    In German, where all nouns are capitalised, at most as many capitalised ``words`` as the ellipsis has.
    """
    names = dict(_find_names(text))
    same = [each for each in PREPOSITIONS if _expand(each) == _expand(preposition)]
    found = re.finditer(rf"(?i)\b(?:{'|'.join(same)})\s+(?:(?:{_ARTICLES})\s+)?(?P<first>[^\W_]+)", text)
    spans: list[_Span] = []
    for match in found:
        start, end = match.span("first")
        capitals = _CAPITALS.match(text, start)
        if capitals and len(capitals[0].split()) <= words:
            end = capitals.end()
        spans.append((start, names.get(start, end)))
    return spans


def _add_noun(span: _Span, text: str) -> _Span:
    """Return the span, with the noun after it if it is the first of its German adjectives: "eigenen Hochzeit"."""
    adjectives = _ADJECTIVES.match(text, span[0]) if detect_language(text) == "de" else None
    noun = _WORD.match(text, adjectives.end()) if adjectives else None
    return (span[0], noun.end()) if noun else span


def _expand(preposition: str) -> str:
    return _CONTRACTED.get(preposition, preposition)


def _list_words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in re.findall(r"[^\W_]+", text))
