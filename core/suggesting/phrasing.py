"""Phrases questions from headings and table rows as a person would ask them; gives none where that fails.

The templates are English and German. A question names its subject as the page does, with the page's title: retrieval
finds that best, and it distinguishes pages with the same headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from core.i18n import Message, message, plural
from core.languages import Language, LanguageCode, choose_catalogue, detect_language
from core.model import Evidence
from core.text import QUESTION_WORDS, list_content_words, list_words

_EMPTY_HEADINGS = frozenset(
    """abstract|abroad|action items|actions|agenda|annex|appendix|attachments|attendees|background|basics|
    changelog|comments|content|contents|context|date|description|details|discussion|document history|draft|
    example|examples|faq|figures|further information|general|goal|goals|history|how it works|in short|info|
    information|intro|introduction|links|list|meeting minutes|build info|dial-in information|minutes|misc|
    miscellaneous|more|more information|new ideas|next steps|note|notes|open questions|options|other|others|
    overview|participants|preface|present|prerequisites|properties|purpose|quick links|reference|references|
    related|related pages|remarks|result|results|revision history|scope|see also|sources|status|summary|table|
    table of contents|tasks|test results|tl;dr|to do|todo|topics|versions|welcome|what is this|allgemein|
    allgemeines|anhang|anhänge|anlass|aufgaben|beispiel|beispiele|beschreibung|besprochen|datum|diverses|
    einführung|einleitung|ergebnis|ergebnisse|hinweis|hinweise|hintergrund|inhalt|inhaltsverzeichnis|kontext|
    kurz|kurz gesagt|kurzfassung|mehr|nächste schritte|notizen|offene fragen|sonstiges|stand|siehe auch|
    tagesordnung|teilnehmende|teilnehmer|überblick|übersicht|verschiedenes|verweise|weiteres|
    weitere informationen|ziel|ziele|zusammenfassung|zweck""".replace("\n    ", "").split("|")
)
"""Headings, lower-cased, that do not name the content below them."""

_QUESTION_WORD = re.compile(rf"(?i)^(?:{'|'.join(QUESTION_WORDS)}|ob|whether)\b")

_FINITE = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|does|do|did|must|can|cannot|should|will|may|not|ist|sind|war|hat|haben|muss|"
    r"müssen|kann|können|soll|sollen|wird|werden|darf|dürfen|nicht)\b"
)
"""Finite verbs, which make a heading a sentence."""

_DANGLING = frozenset(
    """about above across against along among around as at behind below beneath beside besides between beyond by despite
    down during for from if in inside into like near of off on onto out outside over per since than through
    throughout till to toward towards under until up upon via while with within without and or but not no yes let's
    so then also here there an im am bei für mit von aus nach zu zum zur auf in über unter vor hinter neben zwischen
    durch gegen ohne um bis seit wenn falls sobald und oder nicht kein keine""".split()
)
"""Words with which a heading begins that does not name a thing."""

_HeaderKind = Literal["person", "due", "meaning", "noun"]

_HEADERS: dict[_HeaderKind, str] = {
    "person": "owner|host|who|contact|contact person|responsible|responsible person|assignee|maintainer|lead|"
    "approver|wer|zuständig|verantwortlich|ansprechpartner(?:in)?|ansprechperson|kontakt",
    "due": "due|due date|deadline|until|bis wann|fällig|frist|termin",
    "meaning": "meaning|definition|explanation|what it means|what it is|bedeutung|erklärung",
    "noun": "price|cost|limit|version|address|size|warranty|temperature|weight|duration|power|memory|disk|location|"
    "capacity|phone|phone number|colour|color|language|purpose|severity|priority|default|default value|format|"
    "license|licence|port|password length|retention|effort|"
    "preis|kosten|grenze|version|adresse|größe|garantie|gewicht|dauer|leistung|speicher|ort|standort|lagerplatz|"
    "mindestbestand|telefonnummer|farbe|sprache|zweck|priorität|format|lizenz|aufwand",
}
"""The headers of columns that a question can ask for, by kind, as one pattern each."""

_ARTICLES = {
    **dict.fromkeys("preis ort standort lagerplatz mindestbestand zweck speicher aufwand port default".split(), "der"),
    **dict.fromkeys(["format", "gewicht", "limit"], "das"),
}
"""The articles of German headers; the others have "die"."""


_MAX_TITLE, _MAX_HEADING, _MAX_CELL = 70, 60, 40  # characters; with longer texts questions become too long
_MAX_QUESTION = 120  # characters of a heading that is a question
_NUMBERED = re.compile(
    r"^(?:(?:step|schritt|part|teil|phase)\s+)?(?:\d+(?:\.\d+)*|[A-Za-z]|[IVX]+)[.):]\s*", re.IGNORECASE
)
_ENDING = " :;.,!…–—-"
_BRACKETS = re.compile(r"(?<!\s)\s*+[\[(][^\[\]()]*+[\])]")
_CODE = re.compile(r"[_{}<>|\\=#*/()\[\]$%^~\"“”„]|\.\w|\w\.\w|::|\b0x|[a-z][A-Z]|^\W|^[a-z\d]+-[a-z\d-]+$")
_DATE = re.compile(r"\d{4}-\d\d|\d{1,2}[./]\d{1,2}[./]|\b(?:19|20)\d\d\b")
_IMPERATIVE = re.compile(r"^([A-Z][a-z]+(?: (?:up|out|off|back|in|on))?) (the|a|an|your|it)\b")
_HOW_TO = re.compile(r"^how to (?=\w)", re.IGNORECASE)
_BEFORE_AFTER = re.compile(r"^(before|after|vor|nach) (?=\w)", re.IGNORECASE)
_YOUR = re.compile(r"\b(you|your|yourself)\b", re.IGNORECASE)
_MINE = {"you": "I", "your": "my", "yourself": "myself"}
_VERB_SECOND = re.compile(
    rf"(?i)\S+ (?:{_FINITE.pattern.removeprefix('(?i)')}|\S+ (?:ich|wir|man|sie|du|ihr|es|er|der|die|das|ein|eine)\b)"
)
"""A German question ("Wie beantrage ich Urlaub"), not a subordinate clause ("Wie man Urlaub beantragt")."""
_SAME_IN_ACCUSATIVE = frozenset({"die", "das", "eine"})  # after "der" and "ein" adjectives and nouns can change too


def phrase_questions(evidence: Evidence, asked: LanguageCode, near: str) -> Iterator[str]:
    """Yield questions that the evidence should answer, the best first. ``near``: text that shows the spelling of words.

    In a language without a catalogue only headings that are questions themselves are used.
    """
    title = evidence.context.title.strip()
    if not 0 < len(title) <= _MAX_TITLE or set(title) & set('"“”„<>[]*'):
        return
    wanted = choose_catalogue(asked)
    if wanted != asked:
        heading = " ".join("".join(evidence.context.heading_path[-1:]).split())
        if heading.endswith(("?", "？")) and _is_question(heading, asked):
            yield heading
    elif evidence.kind == "table_row" and evidence.rows:
        yield from _phrase_row_questions(evidence.rows[0], title, wanted)
    elif evidence.context.heading_path:
        question = _phrase_heading_question(evidence.context.heading_path[-1], title, wanted, f"{near} {evidence.text}")
        if question:
            yield question


# -------------------------------------------------------------------------------------------- headings


def _phrase_heading_question(heading: str, title: str, wanted: Language, near: str) -> str:
    heading = " ".join(heading.split())
    if heading.endswith("?"):
        return heading if _is_question(heading, wanted) else ""
    bare = _NUMBERED.sub("", heading)
    is_step, heading = bare != heading, _BRACKETS.sub("", bare).rstrip(_ENDING)
    if not _is_informative(heading, title) or (is_step and ("," in heading or len(heading.split()) < 2)):
        return ""
    written = detect_language(f"{heading} {title} {near}")
    if written != wanted:
        return _ask_about(f"“{heading}”" if wanted == "en" else f"„{heading}“", title, wanted)
    return _phrase_english(heading, title, near) if wanted == "en" else _phrase_german(heading, title)


def _is_question(heading: str, wanted: LanguageCode) -> bool:
    """Whether a heading that ends with "?" can be asked unchanged."""
    return len(heading) <= _MAX_QUESTION and len(list_words(heading)) > 2 and detect_language(heading) == wanted


def _is_informative(heading: str, title: str) -> bool:
    first = heading.split()[0].lower() if heading.split() else ""
    return (
        2 < len(heading) <= _MAX_HEADING
        and heading.lower() not in _EMPTY_HEADINGS
        and (first not in _DANGLING or bool(_BEFORE_AFTER.match(heading)))
        and len(heading.split()) <= 7
        and ": " not in heading
        and (bool(_QUESTION_WORD.match(heading)) or not _FINITE.search(heading))
        and not _CODE.search(heading)
        and not _DATE.search(_remove_title_words(heading, title))
        and not set(list_content_words(heading)) <= set(list_words(title))
        and sum(character.isalpha() for character in heading) > len(heading) * 0.6
    )


def _remove_title_words(heading: str, title: str) -> str:
    """Return the heading without the title's words: "Limits in 2026" of a policy for 2026 is not a date."""
    return " ".join(word for word in heading.split() if word not in title.split())


def _phrase_english(heading: str, title: str, near: str) -> str:
    if _HOW_TO.match(heading):
        return f"{_to_first_person('How do I ' + heading[7:])}?"
    if moment := _BEFORE_AFTER.match(heading):
        return _ask_what_to_do(_to_first_person(moment[1].lower() + heading[len(moment[1]) :]), title, "en")
    if imperative := _IMPERATIVE.match(heading):
        verb = imperative[1].lower()
        if verb not in _DANGLING and not verb.endswith(("ing", "s", "ed")) and not _QUESTION_WORD.match(verb):
            return f"{_to_first_person('How do I ' + heading[0].lower() + heading[1:])} (“{title}”)?"
    return _ask_about(_to_first_person(_lower_first_word(heading, near)), title, "en")


def _phrase_german(heading: str, title: str) -> str:
    first, _, rest = heading.partition(" ")
    if _QUESTION_WORD.match(heading) and (not rest or not _VERB_SECOND.match(heading)):
        return f"Was steht in „{title}“ dazu, {first.lower()} {rest}?" if rest else ""
    if moment := _BEFORE_AFTER.match(heading):
        return _ask_what_to_do(moment[1].lower() + heading[len(moment[1]) :], title, "de")
    if first.lower() in _SAME_IN_ACCUSATIVE and rest:
        return _ask_about(f"{first.lower()} {rest}", title, "de")
    return _ask_about(f"„{heading}“", title, "de")  # quoted, since its article and case are unknown


def _ask_about(subject: str, title: str, wanted: Language) -> str:
    return message("What does “{title}” say about {subject}?", title=title, subject=subject).render(wanted)


def _ask_what_to_do(moment: str, title: str, wanted: Language) -> str:
    return message("What has to be done {moment} (“{title}”)?", moment=moment, title=title).render(wanted)


def _to_first_person(text: str) -> str:
    """Return the text in the first person: "your laptop" becomes "my laptop"."""
    return _YOUR.sub(lambda found: _MINE[found[1].lower()], text)


def _lower_first_word(heading: str, near: str) -> str:
    """Return the heading for the middle of a sentence: its first word in lower case unless that is a name."""
    first, _, rest = heading.partition(" ")
    if (
        not first[1:].islower()
        or re.search(r"\b[A-Z][a-z]{3}", rest)
        or re.search(rf"[a-z,] {re.escape(first)}\b", near)
    ):
        return heading
    stem = first.lower()[: max(4, len(first) - 3)]
    if _QUESTION_WORD.match(first) or _COMMON.search(first.lower()) or re.search(rf"\b{re.escape(stem)}[a-z]*\b", near):
        return f"{first.lower()} {rest}".strip()
    return heading


_COMMON = re.compile(
    r"^(?:a|an|the|your|our|my|its|their|this|that|these|those|new|all|other|some|any)$|"
    r"(?:[^s]s|ing|al|ment|tion|sion|ity|age|ance|ence|ure|ness|ship)$"
)

# ------------------------------------------------------------------------------------------------ rows


def _phrase_row_questions(row: Sequence[tuple[str, str]], title: str, wanted: Language) -> Iterator[str]:
    subject = " ".join(row[0][1].split())
    if len(row) < 2 or not _is_name(subject) or detect_language(f"{title} {_join_row(row)}") != wanted:
        return
    for header, value in row[1:]:
        kind = next((kind for kind, named in _HEADERS.items() if re.fullmatch(f"(?i:{named})", header.strip())), None)
        if kind and value.strip():
            yield _phrase_header_question(kind, header.strip(), subject, title, wanted).render(wanted)
            return
    if wanted == "en":
        yield _ask_about(_to_first_person(_lower_first_word(subject, _join_row(row))), title, wanted)
    else:
        yield _ask_about(f"„{subject}“", title, wanted)


def _is_name(subject: str) -> bool:
    return (
        2 < len(subject) <= _MAX_CELL
        and len(subject.split()) <= 5
        and subject[0].isupper()
        and not _CODE.search(subject)
        and not _DATE.search(subject)
        and sum(character.isalpha() for character in subject) > len(subject) * 0.6
        and subject.lower() not in _EMPTY_HEADINGS
        and subject.split()[0].lower() not in _DANGLING
        and not subject.endswith((".", "!", "?", ":"))
    )


def _join_row(row: Sequence[tuple[str, str]]) -> str:
    return " ".join(f"{header} {value}" for header, value in row)


def _phrase_header_question(kind: _HeaderKind, header: str, subject: str, title: str, wanted: Language) -> Message:
    match kind:
        case "person":
            return message("Who is responsible for “{subject}” ({title})?", subject=subject, title=title)
        case "due":
            return message("By when is “{subject}” due ({title})?", subject=subject, title=title)
        case "meaning":
            return message("What does “{subject}” mean ({title})?", subject=subject, title=title)
    number = 2 if header.lower() == "kosten" else 1
    value = f"{_ARTICLES.get(header.lower(), 'die')} {header}"
    if wanted == "en":
        value = f"the {header if header.isupper() else header.lower()}"
    return plural(
        "What is {value} for {subject} ({title})?",
        "What are {value} for {subject} ({title})?",
        number,
        value=value,
        subject=subject,
        title=title,
    )
