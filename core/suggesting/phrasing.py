"""Questions from headings and table rows, put as a person would put them; where that fails, none.

English and German templates. What a question is about stands in it as on the page, with the page's title: that is
what retrieval finds best, and what tells pages with the same headings apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.model import Evidence
from core.suggesting.vocabulary import ARTICLES, DANGLING, EMPTY_HEADINGS, FINITE, HEADERS, QUESTION_WORDS, HeaderKind
from core.text import Language, content_words, language, words

_MAX_TITLE, _MAX_HEADING, _MAX_CELL = 70, 60, 40  # characters; longer ones make no question that is read
_MAX_QUESTION = 120  # of a heading that is one already
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
_GERMAN_ARTICLES = {"der": "den", "die": "die", "das": "das", "ein": "einen", "eine": "eine"}
_INFINITIVE = re.compile(r"\s[a-zäöü]+e?[lr]?n$")


def questions_for(evidence: Evidence, wanted: Language, near: str) -> Iterator[str]:
    """Questions that the evidence should answer, the best first. ``near``: text that shows how words are written."""
    title = evidence.context.title.strip()
    if not 0 < len(title) <= _MAX_TITLE or set(title) & set('"“”„<>[]*'):
        return
    if evidence.kind == "table_row" and evidence.rows:
        yield from _of_row(evidence.rows[0], title, wanted)
    elif evidence.context.heading_path:
        question = _of_heading(evidence.context.heading_path[-1], title, wanted, f"{near} {evidence.text}")
        if question:
            yield question


# -------------------------------------------------------------------------------------------- headings


def _of_heading(heading: str, title: str, wanted: Language, near: str) -> str:
    heading = " ".join(heading.split())
    if heading.endswith("?"):
        return heading if _is_question(heading, wanted) else ""
    bare = _NUMBERED.sub("", heading)
    is_step, heading = bare != heading, _BRACKETS.sub("", bare).rstrip(_ENDING)
    if not _says_something(heading, title) or (is_step and ("," in heading or len(heading.split()) < 2)):
        return ""
    written = language(f"{heading} {title} {near}")
    if written != wanted:
        return _about(f"“{heading}”" if wanted == "en" else f"„{heading}“", title, wanted)
    return _english(heading, title, near) if wanted == "en" else _german(heading, title)


def _is_question(heading: str, wanted: Language) -> bool:
    """Whether a heading is a question of its own. Of several sentences the last asks about the first ones."""
    return len(heading) <= _MAX_QUESTION and len(heading.split()) > 2 and language(heading) == wanted


def _says_something(heading: str, title: str) -> bool:
    first = heading.split()[0].lower() if heading.split() else ""
    return (
        2 < len(heading) <= _MAX_HEADING
        and heading.lower() not in EMPTY_HEADINGS
        and (first not in DANGLING or bool(_BEFORE_AFTER.match(heading)))
        and len(heading.split()) <= 7
        and ": " not in heading
        and (bool(QUESTION_WORDS.match(heading)) or not FINITE.search(heading))
        and not _CODE.search(heading)
        and not _DATE.search(_without(heading, title))
        and not set(content_words(heading)) <= set(words(title))
        and sum(character.isalpha() for character in heading) > len(heading) * 0.6
    )


def _without(heading: str, title: str) -> str:
    """The heading without the title's years: "Limits in 2026" of a policy for 2026 is no date."""
    return " ".join(word for word in heading.split() if word not in title.split())


def _english(heading: str, title: str, near: str) -> str:
    if _HOW_TO.match(heading):
        return f"{_mine('How do I ' + heading[7:])}?"
    if moment := _BEFORE_AFTER.match(heading):
        return f"What has to be done {_mine(moment[1].lower() + heading[len(moment[1]) :])} (“{title}”)?"
    if imperative := _IMPERATIVE.match(heading):
        verb = imperative[1].lower()
        if verb not in DANGLING and not verb.endswith(("ing", "s", "ed")) and not QUESTION_WORDS.match(verb):
            return f"{_mine('How do I ' + heading[0].lower() + heading[1:])} (“{title}”)?"
    return _about(_mine(_lowered(heading, near)), title, "en")


def _german(heading: str, title: str) -> str:
    first, _, rest = heading.partition(" ")
    if QUESTION_WORDS.match(heading):
        return f"Was steht in „{title}“ dazu, {first.lower()} {rest}?" if rest else ""
    if moment := _BEFORE_AFTER.match(heading):
        return f"Was ist {moment[1].lower()}{heading[len(moment[1]) :]} zu tun („{title}“)?"
    if first.lower() in _GERMAN_ARTICLES and rest:
        return _about(f"{_GERMAN_ARTICLES[first.lower()]} {rest}", title, "de")
    inflected = bool(rest) and first.endswith(("e", "es", "en", "er", "em")) and rest[0].isupper()
    verbal = bool(_INFINITIVE.search(heading))
    return _about(f"„{heading}“" if inflected or verbal else heading, title, "de")


def _about(subject: str, title: str, wanted: Language) -> str:
    if wanted == "de":
        return f"Was steht in „{title}“ über {subject}?"
    return f"What does “{title}” say about {subject}?"


def _mine(text: str) -> str:
    """What a page says to its reader, as the reader says it."""
    return _YOUR.sub(lambda found: _MINE[found[1].lower()], text)


def _lowered(heading: str, near: str) -> str:
    """The heading as it stands within a sentence: lower-cased at its start unless that is a name."""
    first, _, rest = heading.partition(" ")
    if (
        not first[1:].islower()
        or re.search(r"\b[A-Z][a-z]{3}", rest)
        or re.search(rf"[a-z,] {re.escape(first)}\b", near)
    ):
        return heading
    stem = first.lower()[: max(4, len(first) - 3)]
    if QUESTION_WORDS.match(first) or _COMMON.search(first.lower()) or re.search(rf"\b{re.escape(stem)}[a-z]*\b", near):
        return f"{first.lower()} {rest}".strip()
    return heading


_COMMON = re.compile(
    r"^(?:a|an|the|your|our|my|its|their|this|that|these|those|new|all|other|some|any)$|"
    r"(?:[^s]s|ing|al|ment|tion|sion|ity|age|ance|ence|ure|ness|ship)$"
)

# ------------------------------------------------------------------------------------------------ rows


def _of_row(row: Sequence[tuple[str, str]], title: str, wanted: Language) -> Iterator[str]:
    subject = " ".join(row[0][1].split())
    if len(row) < 2 or not _names_something(subject) or language(f"{title} {_text(row)}") != wanted:
        return
    for header, value in row[1:]:
        kind = next((kind for kind, pattern in HEADERS if pattern.match(header.strip())), None)
        if kind and value.strip():
            yield _of_header(kind, header.strip(), subject, title, wanted)
            return
    if wanted == "en":
        yield _about(_mine(_lowered(subject, _text(row))), title, wanted)
    else:
        yield _about(f"„{subject}“" if subject.isupper() else subject, title, wanted)


def _names_something(subject: str) -> bool:
    return (
        2 < len(subject) <= _MAX_CELL
        and len(subject.split()) <= 5
        and subject[0].isupper()
        and not _CODE.search(subject)
        and not _DATE.search(subject)
        and sum(character.isalpha() for character in subject) > len(subject) * 0.6
        and subject.lower() not in EMPTY_HEADINGS
        and subject.split()[0].lower() not in DANGLING
        and not subject.endswith((".", "!", "?", ":"))
    )


def _text(row: Sequence[tuple[str, str]]) -> str:
    return " ".join(f"{header} {value}" for header, value in row)


def _of_header(kind: HeaderKind, header: str, subject: str, title: str, wanted: Language) -> str:
    lowered = header if header.isupper() else header.lower()
    if wanted == "en":
        return {
            "person": f"Who is responsible for “{subject}” ({title})?",
            "due": f"By when is “{subject}” due ({title})?",
            "meaning": f"What does “{subject}” mean ({title})?",
            "noun": f"What is the {lowered} for {subject} ({title})?",
        }[kind]
    article = ARTICLES.get(header.lower(), "die")
    verb = "sind" if header.lower() == "kosten" else "ist"
    return {
        "person": f"Wer ist für „{subject}“ zuständig ({title})?",
        "due": f"Bis wann ist „{subject}“ zu erledigen ({title})?",
        "meaning": f"Was bedeutet „{subject}“ ({title})?",
        "noun": f"Was {verb} {article} {header} von „{subject}“ ({title})?",
    }[kind]
