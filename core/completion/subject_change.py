"""Whether a question changes the subject of the conversation: a logistic model, and rules beside it.

docs/completion.md has the conversations to which the weights were fitted, the command and the results.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from core.completion.back_references import refers_back
from core.completion.ellipsis import strip_continuation
from core.languages import detect_language, find_stopwords, is_clearly_not_in
from core.reading.relations.relation import Relation
from core.retrieval.retriever import RankedPage
from core.text import has_digit, is_stopword, list_words
from core.wording.content_words import select_content_words

ELLIPSIS_WORDS = 3
"""Content words at most of an ellipsis."""

_NEW_SUBJECT = re.compile(
    r"(?i)\b((different|another|new|other) (topic|subject|question)|something else|chang\w+ (the )?(topic|subject)"
    r"|(coming |going |getting |now )?back to|return(ing)? to|(anderes|neues) thema|andere frage|themenwechsel"
    r"|(et)?was anderes|zurück (zu|zum|zur)|nochmal zu[mr]?)\b"
)

FEATURES = ("lead", "refers_back", "announces", "words")
"""The values of :func:`compute_subject_features`, in their order."""

_WEIGHTS, _BIAS = (3.83, -1.46, 1.77, 0.41), -5.37
_THRESHOLD = 0.55
_CLEAR_LEAD = 0.5  # of the score of the page that has the other code of an ellipsis
_CLEAR_SIGNALS = 2  # words of a language that show that a question is in it
_NOT_FOUND, _FOUND = 0.05, 0.8
_HARDLY_FOUND = 0.2
"""Scores of a page that has nothing of a question, and of one that the question finds without help of its title."""


def changes_subject(question: str, subject: str, pages: Sequence[RankedPage]) -> bool:
    """Whether a question is about another subject than the page ``subject`` of the conversation.

    ``pages``: those that the question alone finds. The weights of the logistic model were fitted to conversations with
    and without changes, see docs/completion.md. It counts words, so it takes each short question for a follow-up; the
    first rule finds short questions that another page answers and this page does not mention.
    """
    if not select_content_words(question):
        return False  # "since when?" names nothing
    on_subject, elsewhere = split_scores(subject, pages)
    if on_subject < _NOT_FOUND and elsewhere > _FOUND and not refers_back(question):
        return True
    if on_subject < _HARDLY_FOUND and elsewhere > _FOUND and _names_subject_of_its_own(question):
        return True
    features = compute_subject_features(question, subject, pages)
    log_odds = sum(weight * value for weight, value in zip(_WEIGHTS, features, strict=True)) + _BIAS
    return 1 / (1 + math.exp(-log_odds)) > _THRESHOLD


def _names_subject_of_its_own(question: str) -> bool:
    """Whether a question that continues the conversation names a thing: "What about the hotel limit in Denmark?"."""
    own = strip_continuation(question)
    return own != question and not refers_back(own) and len(find_content_words(own)) >= ELLIPSIS_WORDS


def compute_subject_features(question: str, subject: str, pages: Sequence[RankedPage]) -> tuple[float, ...]:
    """Return the lead of another page's score, whether the question refers back, announces a change, and its length."""
    on_subject, elsewhere = split_scores(subject, pages)
    said = min(len(find_content_words(question)), 10)
    announces = bool(_NEW_SUBJECT.search(question))
    # "Back to Leeds: what does it cost there?" refers to the subject that it names.
    return elsewhere - on_subject, float(refers_back(question) and not announces), float(announces), float(said)


def changes_language(question: str, before: str, subject: str, pages: Sequence[RankedPage]) -> bool:
    """Whether a complete question changes the language, and finds another page in that language.

    Adding a title in the other language would mislead retrieval: "Wie viele Urlaubstage habe ich? (Vacation policy)".
    """
    on_subject, elsewhere = split_scores(subject, pages)
    is_other = is_clearly_not_in(question, detect_language(before), _CLEAR_SIGNALS)
    return is_other and elsewhere > on_subject and not refers_back(question)


def names_other_page(question: str, subject: str, pages: Sequence[RankedPage], relations: Sequence[Relation]) -> bool:
    """Whether an ellipsis has a code or version of another page: "And of INC-12?" after a question about INC-7.

    ``relations``: of the page that the conversation is on.
    """
    on_subject, elsewhere = split_scores(subject, pages)
    codes = {word for word in list_words(question) if has_digit(word)}
    if not codes or elsewhere - on_subject <= _CLEAR_LEAD:
        return False
    cells = (cell for relation in relations for row in relation.rows for cell in row.cells.values())
    return not any(codes <= {*list_words(cell)} for cell in cells)


def split_scores(subject: str, pages: Sequence[RankedPage]) -> tuple[float, float]:
    """Return the best score of the page with this title, and of any other page."""
    on_subject = max((page.score for page in pages if page.title == subject), default=0.0)
    return on_subject, max((page.score for page in pages if page.title != subject), default=0.0)


def find_content_words(text: str) -> set[str]:
    """Return the words that are not stop words."""
    stopwords = find_stopwords(text)
    return {word for word in list_words(text) if not is_stopword(word, stopwords)}
