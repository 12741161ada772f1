"""Facts of a page and of its space: owner, creator, last change, labels, files and comments.

The wiki gives some of them with the page. Others are in its text: an export begins with a byline, authors write "Page
owner: …" at the top or bottom, and an export ends with the comments.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import takewhile
from typing import NamedTuple

from core.dates import find_date, read_day
from core.evidence.blocks import Block, Text
from core.evidence.mentions import PageMentions
from core.evidence.storage_format import tidy_line
from core.languages import Language
from core.model import Context, Evidence, Page, PageFacts

_FIRST_TEXTS = 3
_FIRST_LINES = 6
_LINE_CHARACTERS = 400
_NAME_CHARACTERS = 60
_NAME_WORDS = 5
_SMALL_NAME_WORDS = 2  # the most words of a name in lower case; more are a sentence
_MOST_FILES = 1_000
_MOST_COMMENTERS = 100
_SHOWN = 20  # names listed in the text of the evidence

_SPACE_NAME_CHARACTERS = 200
_OWNED: Mapping[Language, str] = {
    "en": "The space {space} is owned by {who}.",
    "de": "Eigentümer des Bereichs {space} ist {who}.",
}
_CREATED: Mapping[Language, str] = {
    "en": "The space {space} was created by {who}.",
    "de": "Der Bereich {space} wurde von {who} angelegt.",
}

_ENTRY_BEGIN = re.compile(
    r"(?i)\b(?:"
    r"(?P<owner>owned by\b|(?:page )?owner:|eigentum von\b|im besitz von\b|(?:seiten)?eigentümer(?:in)?:"
    r"|(?:seiten)?verantwortliche?[rn]?:)"
    r"|(?P<creator>(?:created|added|written) by\b|author:|(?:erstellt|angelegt|verfasst|hinzugefügt) von\b"
    r"|(?:autor|verfasser)(?:in)?:)"
    r"|(?P<created>created(?: on\b|:)|(?:erstellt|angelegt)(?: am\b|:))"
    r"|(?P<editor>last (?:updated|modified|edited|changed) by\b|zuletzt (?:aktualisiert|geändert|bearbeitet) von\b)"
    r"|(?P<updated>last (?:updated?|modified|edited|changed?)\b:?|zuletzt (?:aktualisiert|geändert|bearbeitet)\b:?"
    r"|letzte (?:aktualisierung|änderung|bearbeitung)\b:?)"
    r"|(?P<comments>\d{1,6} (?:comments?|kommentare?)\b)"
    r"|(?P<other>\d{1,4} ?min(?:uten?|utes)?\.? (?:read|lesezeit)\b|lesezeit:)"
    r")"
)
_LAST_LINE = re.compile(
    r"(?i)\s*(?:page |seiten)?(?:owner|eigentümer|verantwortlich|last updated|zuletzt|letzte)[^:\n]{0,20}:"
)
_BY = re.compile(r"(?i)\b(?:by|von)\s")
_NAME_END = re.compile(r"[,;•|·()<>\[\]]|(?<=[^\W\d_]{3})\.(?:\s|$)|\s[-–]\s")
_LAST_WORD = re.compile(r"(?i)\s(?:on|am|at)$")
_COMMENT = re.compile(r"Author: ([^\n]{1,80}?) Date: \d{4}-\d\d-\d\d\S{0,40} Comment:")
_ATTACHMENT = re.compile(
    r'<ri:attachment [^<>]{0,300}?ri:filename="([^"<>]{1,300})"[^<>]{0,100}(?:/>|></ri:attachment>)'
)


class _Entry(NamedTuple):
    """An entry of a byline: the name of a fact, the words that introduce it, and the text up to the next fact."""

    name: str
    words: str
    value: str


def read_facts(page: Page, blocks: Sequence[Block]) -> PageFacts:
    """Return all known facts. The wiki's take precedence over those in the text, and both over the page's date."""
    texts = [block.text for block in blocks if isinstance(block, Text) and not block.code and block.text]
    licence = next((block.licence for block in blocks if isinstance(block, Text) and block.licence), "")
    listed = replace(page.facts, labels=page.labels, files=_list_files(page), licence=licence)
    known = listed
    for other in (_read_texts(texts), PageFacts(updated=read_day(page.date))):
        known = _merge(known, other)
    return known


def _list_files(page: Page) -> tuple[str, ...]:
    """Return the names of the attached files; if the wiki lists none, those that the text refers to."""
    return (page.attachments or tuple(dict.fromkeys(_ATTACHMENT.findall(page.content))))[:_MOST_FILES]


def _merge(first: PageFacts, second: PageFacts) -> PageFacts:
    """Fill the gaps of the first facts from the second. Person and date of an event come from the same source."""
    is_updated, is_created = first.editor or first.updated, first.creator or first.created
    return PageFacts(
        owner=first.owner or second.owner,
        creator=first.creator if is_created else second.creator,
        created=first.created if is_created else second.created,
        editor=first.editor if is_updated else second.editor,
        updated=first.updated if is_updated else second.updated,
        version=first.version or second.version,
        labels=first.labels or second.labels,
        files=first.files or second.files,
        comments=second.comments if first.comments is None else first.comments,
        commenters=second.commenters if first.comments is None else first.commenters,
        licence=first.licence or second.licence,
        owner_account=first.owner_account or second.owner_account,
        creator_account=first.creator_account or second.creator_account,
        editor_account=first.editor_account or second.editor_account,
        space_name=first.space_name,
        space_owner_account=first.space_owner_account,
        space_creator=first.space_creator,
        space_creator_account=first.space_creator_account,
    )


def _read_texts(texts: Sequence[str]) -> PageFacts:
    """Return the facts in the first and last lines of a page, and in exported comments."""
    comments = [match[1] for text in texts if (match := _COMMENT.match(text))]
    others = [text for text in texts if not _COMMENT.match(text)]
    top = [line for text in others[:_FIRST_TEXTS] for line in text.split("\n")][:_FIRST_LINES]
    facts = PageFacts()
    for found in takewhile(PageFacts().__ne__, map(read_byline, top)):
        facts = _merge(facts, found)
    for line in others[-1].split("\n")[:_FIRST_LINES] if len(others) > 1 else []:
        if _LAST_LINE.match(line):
            facts = _merge(facts, read_byline(line))
    if not comments:
        return facts
    commenters = tuple(dict.fromkeys(_read_name(name, small=True) for name in comments))[:_MOST_COMMENTERS]
    return replace(facts, comments=len(comments), commenters=tuple(name for name in commenters if name))


def read_byline(line: str) -> PageFacts:
    """Return the facts in a line such as "Owned by Ann Lee Last updated: May 06, 2016 by Bo Hall 3 min read".

    Returns no facts if the line does not begin with one.
    """
    line = " ".join(line[:_LINE_CHARACTERS].split())
    entries = list(_find_entries(line))
    if not entries or not line.startswith(entries[0].words):
        return PageFacts()
    # "Owned by everybody" begins a sentence, "Owned by ann Last updated" does not.
    small = len(entries) > 1 or entries[0].words.endswith(":")
    facts = PageFacts()
    for entry in entries:
        facts = _merge(facts, _read_entry(entry, small))
    return facts


def _find_entries(line: str) -> Iterable[_Entry]:
    found = list(_ENTRY_BEGIN.finditer(line))
    for at, match in enumerate(found):
        end = found[at + 1].start() if at + 1 < len(found) else len(line)
        yield _Entry(match.lastgroup or "", match.group(), line[match.end() : end].strip())


def _read_entry(entry: _Entry, small: bool) -> PageFacts:
    if entry.name == "comments":
        return PageFacts(comments=int(entry.words.split()[0]))
    if entry.name == "other":
        return PageFacts()
    found = find_date(entry.value)
    day = found.day if found else None
    name = _read_name(entry.value[: found.start] if found else entry.value, small)
    if entry.name == "owner":
        return PageFacts(owner=name)
    if entry.name == "creator":
        return PageFacts(creator=name, created=day)
    if entry.name == "editor":
        return PageFacts(editor=name, updated=day)
    by = _BY.search(entry.value)
    person = _read_name(entry.value[by.end() :], small) if by else ""
    if entry.name == "created":
        return PageFacts(creator=person, created=day)
    return PageFacts(editor=person, updated=day)


def _read_name(text: str, small: bool) -> str:
    """Return the name at the start of a text, or "". ``small``: it may be in lower case."""
    text = _NAME_END.split(text.strip() + " ", maxsplit=1)[0].strip()
    found = find_date(text)
    name = _LAST_WORD.sub("", text[: found.start].strip() if found else text).rstrip()
    if not name[:1].isalnum() or len(name) > _NAME_CHARACTERS:
        return ""
    most = _NAME_WORDS if not name[0].islower() else _SMALL_NAME_WORDS if small else 0
    return name if len(name.split()) <= most else ""


# ------------------------------------------------------------------------------------ the evidence


def make_facts_evidence(page_id: str, space: str, title: str, url: str, facts: PageFacts) -> Evidence | None:
    """Return the evidence of a page's facts, or None if nothing is known."""
    parts = tuple(_describe(facts))
    if not parts:
        return None
    text = " ".join(parts)
    hashed = "\x1f".join((page_id, "facts", text))
    return Evidence(
        evidence_id=hashlib.sha256(hashed.encode("utf-8", "surrogatepass")).hexdigest()[:20],
        page_id=page_id,
        space=space,
        kind="facts",
        ordinal=0,
        text=text,
        context=Context(title),
        url=url,
        parts=parts,
        facts=facts,
    )


def _describe(facts: PageFacts) -> Iterable[str]:
    if facts.owner:
        yield f"Owned by {facts.owner}."
    if facts.created or facts.creator:
        yield f"Created{_join_day_and_name(facts.created, facts.creator)}."
    if facts.updated or facts.editor:
        yield f"Last updated{_join_day_and_name(facts.updated, facts.editor)}."
    if facts.version:
        yield f"Version {facts.version}."
    for name, values in (("Labels", facts.labels), ("Files", facts.files)):
        if values:
            yield f"{name}: {_list(values)}."
    if facts.comments is not None:
        people = f", by {_list(facts.commenters)}" if facts.commenters else ""
        yield f"{facts.comments} comment{'' if facts.comments == 1 else 's'}{people}."
    if facts.licence:
        yield facts.licence


def _join_day_and_name(day: date | None, name: str) -> str:
    when = f" on {day.day} {day:%B} {day.year}" if day else ""
    return f"{when} by {name}" if name else when


def _list(values: Sequence[str]) -> str:
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return ", ".join(values[:_SHOWN]) + more


def describe_space(page: Page, mentions: PageMentions) -> list[Text]:
    """Return the text about the space of a home page, in the page's language; none for other pages.

    People whom the wiki does not name are left out, because an owner may be a group.
    """
    facts = page.facts
    if not facts.space_name:
        return []
    space = f"{tidy_line(facts.space_name)[:_SPACE_NAME_CHARACTERS]} ({page.space})"
    told = ((_OWNED, facts.space_owner_account, ""), (_CREATED, facts.space_creator_account, facts.space_creator))
    sentences = [
        sentence[mentions.language].format(space=space, who=who)
        for sentence, account, name in told
        if (who := mentions.mark_person(account, name))
    ]
    return [Text(" ".join(sentences))] if sentences else []
