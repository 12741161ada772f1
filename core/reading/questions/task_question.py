"""Recognises questions for the tasks of a person: "what does Mara have to do"."""

from __future__ import annotations

import re

from core.languages import LanguageCode, choose_catalogue
from core.reading.questions.row_question import Operation, RowQuestion
from core.reading.words import DENIALS, fold_words, split_words
from core.text_caches import cache_texts

_NAME = r"(?P<name>[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*){0,3}?)"
_BEGIN = r"(?i)^\W*(?:(?:so|and|und|hey|hi) )?"
_TASK = r"(?:action items?|actions?|tasks?|to-?dos?|aufgaben?|ma(?:ß|ss)nahmen?|action points?)(?: (?:list|liste))?"
_WHAT = r"(?:what(?:['’]s| is| are| was| were) )?"
_ENGLISH = (
    rf"what(?: else| all)? (?:do|does|did) {_NAME} (?:still |now )?(?:have|need|get) to (?:do|finish|take care of)",
    rf"what (?:must|should|shall|has|will) {_NAME} (?:still |now )?(?:to )?(?:do|finish|take care of)",
    rf"what (?:is|was) {_NAME} (?:still |now )?(?:supposed|meant|asked|expected) to (?:do|finish)",
    rf"what(?:['’]s| is| was) (?:still )?on {_NAME}['’]s? (?:plate|list)",
    rf"{_WHAT}{_NAME}['’]s? {_TASK}",
    rf"{_WHAT}(?:the |all )?{_TASK} (?:of|for|assigned to) {_NAME}",
    rf"(?:which|what) {_TASK} (?:does|do|did|has|have) {_NAME} (?:still )?(?:have|get|got)",
    rf"(?:which|what) {_TASK} (?:is|are|was|were) (?:still )?(?:assigned to|for|on) {_NAME}",
    rf"what(?:['’]s| is| was) assigned to {_NAME}",
)
_GERMAN = (
    rf"was (?:alles )?(?:muss|musste|soll|sollte|hat|hatte) {_NAME} (?:noch |alles |jetzt ){{0,2}}"
    r"(?:zu )?(?:machen|tun|erledigen)",
    rf"(?:was sind )?(?:die )?(?P<owner>[^\W\d_]{{2,30}}?)s {_TASK}",
    rf"(?:was sind )?(?:die |alle )?{_TASK} (?:von|für) {_NAME}",
    rf"welche {_TASK} (?:hat|hatte) {_NAME}(?: noch)?",
)
_QUESTIONS = tuple(
    (language, re.compile(rf"{_BEGIN}{pattern}(?P<rest>\W.*)?$"))
    for language, patterns in (("en", _ENGLISH), ("de", _GERMAN))
    for pattern in patterns
)
_DENIAL = re.compile(rf"(?i)\b(?:{DENIALS}|never)\b")


@cache_texts(64)
def read_assigned_tasks(question: str) -> RowQuestion | None:
    """Return a question for what a person has to do, with the words after the name; None for any other."""
    found = _match(question)
    if found is None or _DENIAL.search(question):
        return None
    language, match = found
    words = split_words(match["rest"] or "")
    return RowQuestion(Operation.LIST, choose_catalogue(language), words, (), text=question)


def find_assignee(question: str) -> frozenset[str]:
    """Return the words of the name in a question for the tasks of a person, folded; none if it is another question."""
    if (found := _match(question)) is None:
        return frozenset()
    groups = found[1].groupdict()
    return frozenset(fold_words(groups.get("name") or groups.get("owner") or ""))


def _match(question: str) -> tuple[LanguageCode, re.Match[str]] | None:
    found = ((language, pattern.match(question)) for language, pattern in _QUESTIONS)
    return next(((language, match) for language, match in found if match), None)
