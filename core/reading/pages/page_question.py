"""Recognises questions about a page itself: who owns, wrote or changed it, when, and its labels, files and comments.

Such a question names nothing but a page. "Who changed the page Release notes?" is one; "Who changed the port?" and "Who
changed the port on the page Release notes?" name a thing, and are not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from core.reading.words import OWNERS, RESPONSIBLE, Word, split_words
from core.text import split_set, split_subject


class Fact(StrEnum):
    """What can be asked about a page, by the field of :class:`core.model.PageFacts`."""

    OWNER = "owner"
    CREATOR = "creator"
    CREATED = "created"
    EDITOR = "editor"
    UPDATED = "updated"
    VERSION = "version"
    LABELS = "labels"
    FILES = "files"
    COMMENTS = "comments"
    COMMENTERS = "commenters"
    LICENCE = "licence"


_MOST_WORDS = 60  # of a question; longer ones are not read
_QUOTED = re.compile(r"[“„\"«»]([^“”„\"«»]{2,300})[”“\"«»]")
_VERSION_OF_PAGE = re.compile(
    r"(?i)\b(?:version|revision)(?: number)? (?:of|is|has|der|von|hat|ist) (?:(?:the|this|die|diese[r]?) )?"
    r"(?:(?:wiki|confluence)[ -])?(?:page|seite)\b|\b(?:page|seiten)[ -]?(?:version|revision)"
)
_GERMAN_PAGE = re.compile(r"(?i)(?<=\w\w\w)seite\b")
_POST = re.compile(r"(?i)\bblog[ -]?(?:posts?|entry|beitrags?|eintrags?)\b")


_WHO = split_set("who whom whose wer wem wen wessen")
_WHEN = split_set("when date day wann datum tag")
_HOW_MANY = split_set("many viele wieviele")
_NOT_PAST = re.compile(
    r"(?i)\b(?:who|when|wer|wann|how (?:old|recent|current|fresh)|wie (?:alt|aktuell)) (?:may|might|must|should|shall"
    r"|can|could|will|would|darf|dürf(?:en|te)|muss|müssen|müsste|soll(?:en|te|ten)?|kann|können|könnte)\b"
    r"(?! (?:tell|say|mir|uns)\b)"
)
"""Asks what is allowed, needed or to come: "how old may it be", "who should update it". A page's facts say what was."""
_PRESENT = re.compile(
    r"(?i)\b(?:when|wann) (?:is|are|do|does|wird|werden)\b|\bwer (?:macht|erstellt|ändert|bearbeitet|aktualisiert)\b"
)
_WHO_OR_WHEN_WAS_THAT = re.compile(
    r"(?i)(?:(?:and|und|ok|so)[ ,]+)?(?P<asked>who|when|wer|wann)(?: (?:was|war) (?:it|that|this|das|es))?\W*"
)
_WITHIN = re.compile(r"(?i)\b(?:in|on|im|ins|auf|from|aus)\b(?!-)")
_AGE = (("how", "old"), ("how", "recent"), ("how", "current"), ("how", "fresh"), ("wie", "alt"), ("wie", "aktuell"))
_UPDATE = split_set(
    """updated changed edited modified revised touched touch update change edit modification aktualisiert geändert
    bearbeitet überarbeitet aktualisierung änderung bearbeitung"""
)
_CREATE = split_set(
    """created wrote written write authored published create creation erstellt geschrieben verfasst angelegt schrieb
    verfasste erstellte erstellung"""
)
_AUTHOR = split_set("author authors creator autor autorin verfasser verfasserin ersteller erstellerin")
_EDITOR = split_set("editor bearbeiter bearbeiterin")
_LABEL = split_set("label labels tag tags labelled labeled tagged schlagwort schlagwörter schlagworte stichwörter")
_FILE = split_set(
    """attachment attachments attached embedded file files anhang anhänge anhängen angehängt angehängte hängt hängen
    datei dateien eingebunden eingebettet"""
)
_IMAGES = ("png", "jpg", "jpeg", "gif", "svg")
_FILE_TYPES: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "csv", "txt", "zip", *_IMAGES)},
    **dict.fromkeys(("image", "images", "picture", "pictures", "bild", "bilder"), _IMAGES),
}
_COMMENT = split_set("comment comments kommentar kommentare")
_COMMENTED = split_set("commented commenter commenters kommentiert kommentierte kommentierten")

_LICENCE = split_set("copyright licence license licences licenses licensed lizenz lizenzen lizenziert urheberrecht")
_HOLDER = split_set(
    """organization organisation company firm holder holds hold held used applies apply firma unternehmen inhaber
    hält gilt verwendet genutzt"""
)
"""Words of questions about a licence; in other questions they may name the page."""

_PAGE = split_set("page pages seite unterseite wikiseite")
_COMPOUNDS = split_set(
    """dokument handbuch protokoll anleitung regelung richtlinie checkliste leitfaden liste übersicht verzeichnis
    notfallplan"""
)
_AFTER = split_set("after afterwards later since then danach seitdem später nachher")
_LAST = split_set("last latest recently zuletzt letzte letzten letzter letztes letztmals")
_DOCUMENT = (
    _PAGE
    | split_set(
        """document doc article artikel policy guide notes handbook runbook checklist glossary minutes agenda faq mortem
    manual tutorial howto procedures report list overview roadmap glossar bericht"""
    )
    | _COMPOUNDS
)
"""Words for kinds of texts: one may ask for the author of such a text without calling it a page."""
_TEXTS = split_set(
    """catalogue catalog rota roster specification spec guideline guidelines instructions matrix anweisung katalog
    spezifikation leitlinie dienstplan"""
)
"""The ends of words for texts that may also be things: only of the text one asks when it was changed last."""
_LIGHT = split_set(
    """confluence wiki last latest most recently recent time name person people zuletzt letzte letzten letzter letztes
    letztmals personen leute stammt genau exactly made added made hinzugefügt gemacht version
    revision old current fresh alt aktuell somebody someone anybody anyone jemand"""
)
_MADE = frozenset(["made", "gemacht"])


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A question about a page.

    ``words``: the content words that name the page or anything else; ``phrase``: those next to the word "page".
    ``calls_it_page``, ``calls_it_document``: whether the question has a word for a page, or for a text of any kind.
    ``quoted``: names in quotation marks. ``subject``: the title that completion added, "" if none. ``file_types``: the
    endings of the files that are asked for; () for any.
    """

    text: str
    asked: tuple[Fact, ...]
    words: tuple[Word, ...]
    phrase: tuple[Word, ...]
    calls_it_page: bool
    calls_it_document: bool
    quoted: tuple[str, ...]
    subject: str
    file_types: tuple[str, ...] = ()

    @property
    def is_of_later_change(self) -> bool:
        """Whether it asks for a change after the one that was spoken of: "Who revised it after that?"."""
        said = {word.folded for word in split_words(self.text)}
        return not self.calls_it_page and not said.isdisjoint(_AFTER) and has_change_word(self.text)


def has_change_word(text: str) -> bool:
    """Whether a text says that something was changed."""
    return not _UPDATE.isdisjoint(word.folded for word in split_words(text))


def read_page_question(question: str) -> PageQuestion | None:
    """Return what a question asks about a page; None for other questions."""
    text, subject = split_subject(question)
    words = _split_words(text)
    if not words or len(words) > _MOST_WORDS:
        return None
    folded = [word.folded for word in words]
    asked = tuple(_find_asked_facts(text, folded) or _find_facts_asked_before(text, subject))
    if not asked:
        return None
    if Fact.LICENCE in asked:
        words = tuple(word for word in words if word.folded not in _HOLDER)
    return PageQuestion(
        text,
        asked,
        tuple(word for word in words if is_subject_word(word)),
        _find_page_phrase(words),
        not _PAGE.isdisjoint(folded),
        any(map(is_document, words))
        or any(word.endswith(tuple(_COMPOUNDS)) for word in folded)
        or _names_text(text, folded),
        tuple(_QUOTED.findall(text)),
        subject,
        tuple(ending for word in folded for ending in _FILE_TYPES.get(word, ())),
    )


def _split_words(text: str) -> tuple[Word, ...]:
    """Return the words, with "page" for the last part of compounds and for a blog post."""
    return split_words(_GERMAN_PAGE.sub(" Seite", _POST.sub("page", text)))


def ask_about(page_question: PageQuestion, title: str) -> PageQuestion:
    """Return what a question asks about the page with this title. Words of the title ask nothing.

    "Who last updated Service owners?" asks for no owner. The question has to have the title as it is written.
    """
    titled = re.search(rf"(?i)(?<!\w){re.escape(title)}(?!\w)", page_question.text)
    if titled is None or len(split_words(title)) < 2 or not is_written_as_name(titled[0]):
        return page_question
    rest = f"{page_question.text[: titled.start()]} {page_question.text[titled.end() :]}"
    folded = [word.folded for word in _split_words(rest)]
    return replace(page_question, asked=tuple(_find_asked_facts(rest, folded)))


def is_written_as_name(span: str) -> bool:
    """Whether a span of a question has a capital or a digit, so that it may be a title."""
    return any(character.isupper() or character.isdigit() for character in span)


def _find_asked_facts(text: str, folded: list[str]) -> list[Fact]:
    words = set(folded)
    is_page = not _PAGE.isdisjoint(words)
    who, when = not _WHO.isdisjoint(words), not _WHEN.isdisjoint(words)
    is_owned = not OWNERS.isdisjoint(words) and _LICENCE.isdisjoint(words)
    is_licence = is_page and not _LICENCE.isdisjoint(words)
    has_age = any(pair in _AGE for pair in pairwise(folded))
    how_many = not _HOW_MANY.isdisjoint(words)
    is_past = not _NOT_PAST.search(text) and (is_page or not _PRESENT.search(text) or not _LAST.isdisjoint(words))
    is_update = is_past and not _UPDATE.isdisjoint(words)
    is_create = is_past and not _CREATE.isdisjoint(words)
    found = {
        Fact.OWNER: is_owned or (who and is_page and not RESPONSIBLE.isdisjoint(words)),
        Fact.CREATOR: (who and is_create) or not _AUTHOR.isdisjoint(words),
        Fact.CREATED: when and is_create,
        Fact.EDITOR: (who and is_update) or not _EDITOR.isdisjoint(words),
        Fact.UPDATED: (when and is_update) or (has_age and is_past),
        Fact.VERSION: bool(_VERSION_OF_PAGE.search(text)),
        Fact.LABELS: is_page and not _LABEL.isdisjoint(words),
        Fact.FILES: is_page and not _FILE.isdisjoint(words),
        Fact.COMMENTS: how_many and not _COMMENT.isdisjoint(words),
        Fact.LICENCE: is_licence,
        Fact.COMMENTERS: (who or how_many) and not _COMMENTED.isdisjoint(words),
    }
    return [fact for fact, is_asked in found.items() if is_asked]


def _find_facts_asked_before(text: str, subject: str) -> list[Fact]:
    """Return what a follow-up asks that only says who or when, of the change that the question before asked for.

    "And when was that? (Release notes: last changed)" asks for the time of the change, if that is all that was carried.
    """
    _, colon, carried = subject.rpartition(": ")
    words = _split_words(carried)
    found = _WHO_OR_WHEN_WAS_THAT.fullmatch(text.strip())
    if not colon or found is None or any(map(is_subject_word, words)) or not {w.folded for w in words} & _LAST:
        return []
    if any(word.is_content and word.folded not in _UPDATE | _CREATE | _LAST | _MADE for word in words):
        return []  # "last owner changed"
    changes = [word.folded for word in words if word.folded in _UPDATE | _CREATE]
    return _find_asked_facts(text, [found["asked"].lower(), *changes]) if changes else []


_TITLE_WORDS = 15
_PUNCTUATION = " \t\n?!.,:;()[]\"'“”„«»‘’"


def find_titles(page_question: PageQuestion) -> frozenset[str]:
    """Return the spans of a question that may be the title of a page, as written: those with a capital or a digit."""
    found = {*page_question.quoted, page_question.subject}
    found.update(page_question.subject[: match.start()] for match in re.finditer(": ", page_question.subject))
    tokens = list(re.finditer(r"\S+", page_question.text))
    for at, first in enumerate(tokens):
        for last in tokens[at : at + _TITLE_WORDS]:
            span = page_question.text[first.start() : last.end()].strip(_PUNCTUATION)
            if is_written_as_name(span):
                found.add(span)
    return frozenset(found - {""})


_ASKING = (
    _WHO | _WHEN | _HOW_MANY | _UPDATE | _CREATE | _AUTHOR | _EDITOR | OWNERS | RESPONSIBLE | _LABEL | _FILE | _COMMENT
    | _COMMENTED | _LICENCE | _PAGE | _LIGHT | frozenset(_FILE_TYPES)
)  # fmt: skip


def is_document(word: Word) -> bool:
    """Whether the word is one for a kind of text, by itself."""
    return word.folded in _DOCUMENT


def is_subject_word(word: Word) -> bool:
    """Whether a word says what the question is about, not what is asked about it."""
    return word.is_content and word.folded not in _ASKING


def _names_text(text: str, folded: list[str]) -> bool:
    """Whether a question for the last change is about a text, not about what is in it: "a price in the catalogue"."""
    is_last = not _LAST.isdisjoint(folded) and not _WITHIN.search(text)
    return is_last and any(word.endswith(tuple(_TEXTS)) for word in folded)


def _find_page_phrase(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return the words next to "page", before or after it: "the vacation page", "the page about vacation"."""
    at = next((at for at, word in enumerate(words) if word.folded in _PAGE), None)
    if at is None:
        return ()
    start = at
    while start and is_subject_word(words[start - 1]):
        start -= 1
    return tuple(word for word in (*words[start:at], *words[at + 1 :]) if is_subject_word(word))
