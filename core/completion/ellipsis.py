"""Puts the name that an ellipsis gives in the place of the one before it.

"And the Heron?" after "What does the Rook 4 cost?" asks "What does the Heron cost?". Structure tells which words of the
earlier question are replaced: the ellipsis and that question name two labels of one table or list (cells of a column,
headers, items), or two phrases after the same preposition, or two names of the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.completion.labels import find_labels_of_one_kind, list_tokens
from core.completion.names import (
    ARTICLES,
    PREPOSITIONS,
    WORD,
    YEAR,
    Span,
    add_noun,
    find_form,
    find_names,
    find_spans_after,
    find_spans_of_other_day,
    find_spans_of_other_number,
    find_unit,
    is_branch,
    is_version,
    list_name_words,
)
from core.dates import MONTHS
from core.languages import detect_language
from core.reading.relations.relation import Relation
from core.text import QUESTION_WORDS, has_digit, list_words

CONTINUATIONS = r"and|und|or|oder|also|then|dann|what about|how about|was ist mit|wie (?:steht|sieht) es"
_OF_OTHER_LANGUAGES = "et|ou|alors|puis|y|entonces|qué tal|e|ed|o|allora|então|en|of|dan"
_POSSESSIVES = frozenset(
    """my your our their his her its mein meine meinen meiner dein deine ihr ihre unser unsere""".split()
)
_MOST_CHARS = 400  # of an earlier question whose words are replaced
_MOST_WORDS = 6  # of a phrase that replaces another

_ELLIPSIS = re.compile(
    rf"(?i)^[\s,;:…¿¡(]*(?P<lead>(?:(?:{CONTINUATIONS}|{_OF_OTHER_LANGUAGES})\b[\s,:]+)*)"
    rf"(?:(?:aus )?(?P<preposition>{'|'.join(sorted(PREPOSITIONS))})\s+)?"
    rf"(?:(?P<article>{ARTICLES})\s+)?(?P<phrase>\S.*)$"
)
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
_ARTICLE_BEFORE = re.compile(rf"(?i)\b(?:{ARTICLES})\s+$")
_PREPOSITION_BEFORE = re.compile(rf"(?i)\b(?:{'|'.join(sorted(PREPOSITIONS))})\s+$")


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
    tokens = list_tokens(phrase)
    first = WORD.search(phrase)
    return bool(tokens and first and (first.start() == tokens[0].start or first[0].lower() in _POSSESSIVES))


def replace_phrase(ellipsis: EllipticalQuestion, before: str, relations: Iterable[Relation]) -> Replacement | None:
    """Return the earlier question about what the ellipsis names; None if it is not clear what that replaces.

    ``relations``: the tables and lists of the page that the conversation is on.
    """
    if len(before) > _MOST_CHARS:
        return None
    if labels := find_labels_of_one_kind(ellipsis.phrase, before, relations):
        in_phrase, in_before = labels
        return _replace(ellipsis, before, in_before, ellipsis.phrase[slice(*in_phrase)], by_label=True)
    if not (ellipsis.continues or ellipsis.preposition):
        return None
    span = _find_span_of_same_form(ellipsis, before)
    if span is None or list_name_words(before[slice(*span)]) == list_name_words(ellipsis.phrase):
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
    form, is_time = find_form(ellipsis.phrase), _is_time(ellipsis.phrase)
    is_wish = ellipsis.phrase.lower() in _LANGUAGES_AND_EXAMPLES
    after = find_spans_after(ellipsis.preposition, before, len(ellipsis.phrase.split()))
    is_replacing = any(find_form(before[slice(*span)]) in {form, ""} for span in after)
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
    return any(word in MONTHS or YEAR.fullmatch(word) or _WEEKDAY.fullmatch(word) for word in phrase.lower().split())


def _find_nouns_after(preposition: str, text: str) -> list[str]:
    found = (text[slice(*span)] for span in find_spans_after(preposition, text, 1))
    return [noun for noun in found if noun[0].isupper()]


def find_replaced_words(question: str, before: str) -> frozenset[str]:
    """Return the words that follow the same preposition, of a whole name: "rook" and "4" of "for the Rook 4"."""
    found: frozenset[str] = frozenset()
    for preposition in PREPOSITIONS.intersection(word.lower() for word in question.split()):
        for new in find_spans_after(preposition, question, _MOST_WORDS)[:1]:
            phrase = question[slice(*new)]
            if not _begins_with_name(phrase):  # "for which models"
                continue
            spans = find_spans_after(preposition, before, len(phrase.split()))
            alike = [span for span in spans if find_unit(before[slice(*span)]) == find_unit(phrase)]
            found |= list_name_words(before[slice(*add_noun(alike[0], before))]) if alike else frozenset()
    return found


def _replace(ellipsis: EllipticalQuestion, before: str, span: Span, phrase: str, by_label: bool = False) -> Replacement:
    start, end = span
    head, article = before[:start], _ARTICLE_BEFORE.search(before[:start])
    if article and (ellipsis.article or ellipsis.preposition):
        head = head[: article.start()]
    if ellipsis.preposition and (preposition := _PREPOSITION_BEFORE.search(head)):  # "für die", "beim"
        head = f"{head[: preposition.start()]}{ellipsis.preposition} "
    if ellipsis.article and (article or ellipsis.preposition):
        phrase = f"{ellipsis.article.lower()} {phrase}"
    replaced = list_name_words(before[start:end]) - list_name_words(phrase)
    return Replacement(f"{head}{phrase}{before[end:]}", replaced, by_label)


def _find_span_of_same_form(ellipsis: EllipticalQuestion, before: str) -> Span | None:
    """Return the place of the phrase after the same preposition, or else of the only name of the same form."""
    days = find_spans_of_other_day(ellipsis.phrase, before)
    if numbered := days or find_spans_of_other_number(ellipsis.phrase, before):
        return numbered[0] if len(numbered) == 1 else None
    form = find_form(ellipsis.phrase)
    if ellipsis.preposition:
        after = find_spans_after(ellipsis.preposition, before, len(ellipsis.phrase.split()))
        same = [span for span in after if find_form(before[slice(*span)]) == form]
        if not same and is_branch(form) and not _find_same_names(ellipsis, before):  # "for stable-7" for "for 8.0.0"
            same = [span for span in after if is_version(find_form(before[slice(*span)]))]
        if not same and is_version(form):  # and the other way round
            same = [span for span in after if is_branch(find_form(before[slice(*span)]))]
        if not same and form == "name":  # "bei der eigenen Hochzeit" for "beim Umzug"
            same = [whole for span in after if (whole := add_noun(span, before)) != span]
        if same and (form or len(list_tokens(ellipsis.phrase)) == 1):
            return same[0] if len(same) == 1 else None
    if is_version(form):  # "4.0.0" for "OpenXT 5.0.0"
        versions = [found.span() for found in WORD.finditer(before) if find_form(found[0]) == form]
        return versions[0] if len(versions) == 1 else None
    is_complete = detect_language(before) != "de" or has_digit(ellipsis.phrase)
    if not form or not is_complete:  # of a German question, not all names are found
        return None
    names = _find_same_names(ellipsis, before)
    return names[0] if len(names) == 1 else None


def _find_same_names(ellipsis: EllipticalQuestion, before: str) -> list[Span]:
    """Return the places of names of the same form, without whoever acts if the ellipsis is of a place or time."""
    form, names = find_form(ellipsis.phrase), find_names(before)
    if ellipsis.preposition in _PLACES_AND_TIMES:
        names = [span for span in names if not _ACTS.search(before[: span[0]])]
    return [span for span in names if find_form(before[slice(*span)]) == form]
