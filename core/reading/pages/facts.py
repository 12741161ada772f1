"""Answers questions about a page itself from its facts, such as that Ann Lee owns the page "Glossary".

The question has to name the page, by its title, or by its content if it says "page"; it may name nothing else. If a
fact is not known, the question is answered from the text of the pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.i18n import Message, message, plural
from core.languages import detect_catalogue
from core.model import Answer, PageFacts, RankedEvidence
from core.reading.pages.page_question import (
    Fact,
    PageQuestion,
    ask_about,
    has_change_word,
    is_document,
    is_subject_word,
    is_written_as_name,
    read_page_question,
)
from core.reading.words import Word, split_words
from core.wording.quotations import make_citation, replace_brackets
from core.wording.word_matches import match_text

_MATCH = 0.6  # share of a word's 4-grams in another form of it
_MOST_PAGES = 3  # that fit a question equally well
_NEARLY = 0.7
_TITLE_SHARE = 0.5  # of a title's words, that a question without the word "page" has to have


def answer_from_facts(question: str, evidences: Sequence[RankedEvidence]) -> Answer | None:
    """Return the answer from the facts of the page that the question names; None if they do not have it."""
    page_question = read_page_question(question)
    if page_question is None:
        return None
    spoken = detect_catalogue(question)
    lines: list[str] = []
    found = find_facts(page_question, evidences)
    titles = Counter(ranked.evidence.context.title for ranked in found)
    for number, ranked in enumerate(found, start=1):
        title, facts = ranked.evidence.context.title, _select_facts(page_question, ranked)
        about = ask_about(page_question, title)
        title = title if titles[title] == 1 else f"{title} ({ranked.evidence.space})"
        said = " ".join(sentence.render(spoken) for sentence in _write_sentences(about, title, facts))
        lines.append(f"{replace_brackets(said)} [{number}]")
    if not lines:
        return None
    citations = tuple(make_citation(number, ranked.evidence) for number, ranked in enumerate(found, start=1))
    return Answer("\n".join(lines), answered=True, citations=citations)


def find_facts(page_question: PageQuestion, evidences: Sequence[RankedEvidence]) -> list[RankedEvidence]:
    """Return the facts of the pages that a question names, if they have what is asked."""
    pages = _group_pages(evidences)
    first = min((page.rank for page in pages), default=0)
    fits = [(_score_page(page_question, page, page.rank == first), page) for page in pages]
    best = max((fit for fit, _ in fits), default=0.0)
    named = [page for fit, page in fits if fit == best > 0]
    if len(named) > _MOST_PAGES:
        return []
    found = [(page.facts, ask_about(page_question, page.title).asked) for page in named if page.facts]
    return [ranked for ranked, facts in found if facts and _has_facts(_select_facts(page_question, ranked), facts)]


def _select_facts(page_question: PageQuestion, ranked: RankedEvidence) -> PageFacts:
    """Return the facts, with only those files that are asked for."""
    facts = ranked.evidence.facts or PageFacts()
    if not page_question.file_types:
        return facts
    return replace(facts, files=tuple(name for name in facts.files if name.lower().endswith(page_question.file_types)))


# ------------------------------------------------------------------------------------- the page that is named


@dataclass(slots=True)
class _Page:
    """A page. ``texts``: those of its evidences, with their headings."""

    title: str
    rank: int
    facts: RankedEvidence | None = None
    texts: list[str] = field(default_factory=list)


def _group_pages(evidences: Sequence[RankedEvidence]) -> list[_Page]:
    pages: dict[str, _Page] = {}
    for ranked in evidences:
        evidence = ranked.evidence
        page = pages.setdefault(evidence.page_id, _Page(evidence.context.title, ranked.rank))
        page.rank = min(page.rank, ranked.rank)
        if evidence.facts:
            page.facts = ranked
        else:
            page.texts.append(" ".join((*evidence.context.heading_path, evidence.text)))
    return list(pages.values())


def _score_page(page_question: PageQuestion, page: _Page, is_first: bool) -> float:
    """Return how well the question names the page: 0 not at all, .5 by its content, more by its title."""
    title = page.title.lower()
    if any(quoted.strip().lower() == title for quoted in page_question.quoted):
        return 3.0
    if not page_question.words:
        if page_question.is_of_later_change and any(map(has_change_word, page.texts)):
            return 0.0  # "Who revised it after that?": the text says so
        return 3.0 + len(title) if title and page_question.subject.lower().startswith(title) else 0.0
    unmatched = [word for word in page_question.words if not _has_word(word, page.title)]
    share = _share_of_title(page_question, page.title)
    if not unmatched and share and (page_question.calls_it_page or _is_title_named(page_question, page.title, share)):
        return 1.0 + share
    if page_question.calls_it_page and _is_nearly_named(page_question, unmatched, share):
        return share
    is_on_it = page_question.calls_it_page and is_first and set(page_question.phrase) >= set(page_question.words)
    text = " ".join((page.title, *page.texts))
    return 0.5 if is_on_it and all(_has_word(word, text) for word in page_question.words) else 0.0


def _has_word(word: Word, text: str) -> bool:
    return match_text((word.folded,), text)[0] >= _MATCH or word.folded in {each.folded for each in split_words(text)}


def _share_of_title(page_question: PageQuestion, title: str) -> float:
    """Return the share of the title's words that the question has."""
    words = _find_title_words(title)
    return sum(_has_word(word, page_question.text) for word in words) / len(words) if words else 0.0


def _find_title_words(title: str) -> list[Word]:
    return [word for word in split_words(title) if is_subject_word(word)] or list(split_words(title))


def _is_nearly_named(page_question: PageQuestion, unmatched: Sequence[Word], share: float) -> bool:
    """Whether the question has most of a title, few other words for the page, and no number that the title lacks."""
    if share < _NEARLY or len(unmatched) > (1 - _NEARLY) * len(page_question.words):
        return False
    return set(page_question.phrase) >= set(unmatched) and not any(word.is_name for word in unmatched)


def _is_title_named(page_question: PageQuestion, title: str, share: float) -> bool:
    """Whether a question without the word "page" names one: by a word for texts, or by its exact title.

    "the build server" is a server, "Build server" may be the page.
    """
    if page_question.calls_it_document and (
        share == 1 or (share >= _TITLE_SHARE and not all(map(is_document, page_question.words)))
    ):
        return True
    start = page_question.text.lower().find(title.lower())
    written = page_question.text[start : start + len(title)] if start >= 0 else ""
    return len(split_words(title)) > 1 and is_written_as_name(written)


# ------------------------------------------------------------------------------------------ the answer


def _has_facts(facts: PageFacts, asked: Sequence[Fact]) -> bool:
    """Whether all facts that are asked for are known, or their closest substitutes."""
    closest = {Fact.CREATOR: facts.owner, Fact.EDITOR: facts.updated}
    return all(getattr(facts, fact) or closest.get(fact) for fact in asked)


def _write_sentences(page_question: PageQuestion, title: str, facts: PageFacts) -> list[Message]:
    """Return a sentence for each fact, without repetitions: a time and its person are one sentence."""
    sentences = [_write_sentence(page_question, fact, title, facts) for fact in page_question.asked]
    return list({sentence.text: sentence for sentence in sentences}.values())


def _write_sentence(page_question: PageQuestion, fact: Fact, title: str, facts: PageFacts) -> Message:
    match fact:
        case Fact.OWNER:
            return message("“{title}” is owned by {name}.", title=title, name=facts.owner)
        case Fact.CREATOR | Fact.CREATED:
            return _say_created(fact, title, facts)
        case Fact.EDITOR | Fact.UPDATED:
            return _say_updated(page_question, title, facts)
        case Fact.VERSION:
            return message("“{title}” is at version {version}.", title=title, version=str(facts.version))
        case Fact.LABELS:
            return _say_labels(title, facts.labels)
        case Fact.FILES:
            return _say_files(page_question, title, facts.files)
        case Fact.COMMENTS:
            return _say_comments(title, facts)
        case Fact.COMMENTERS:
            return _say_commenters(title, facts.commenters)
        case Fact.LICENCE:
            return message("“{title}” says: {licence}", title=title, licence=facts.licence)


def _say_created(fact: Fact, title: str, facts: PageFacts) -> Message:
    if fact is Fact.CREATOR and not facts.creator:
        return message("Who wrote “{title}” is not stated; it is owned by {name}.", title=title, name=facts.owner)
    if facts.created and facts.creator:
        return message(
            "“{title}” was created on {date} by {name}.", title=title, date=facts.created, name=facts.creator
        )
    if facts.created:
        return message("“{title}” was created on {date}.", title=title, date=facts.created)
    return message("“{title}” was created by {name}.", title=title, name=facts.creator)


def _say_updated(page_question: PageQuestion, title: str, facts: PageFacts) -> Message:
    if facts.updated and facts.editor:
        return message(
            "“{title}” was last updated on {date} by {name}.", title=title, date=facts.updated, name=facts.editor
        )
    if facts.updated and Fact.EDITOR in page_question.asked:
        return message("“{title}” was last updated on {date}; by whom is not stated.", title=title, date=facts.updated)
    if facts.updated:
        return message("“{title}” was last updated on {date}.", title=title, date=facts.updated)
    return message("“{title}” was last updated by {name}.", title=title, name=facts.editor)


def _say_labels(title: str, names: Sequence[str]) -> Message:
    return plural(
        "“{title}” has {count} label: {names}.",
        "“{title}” has {count} labels: {names}.",
        len(names),
        title=title,
        names=names,
    )


def _say_files(page_question: PageQuestion, title: str, names: Sequence[str]) -> Message:
    if page_question.file_types:
        return message("Files on “{title}”: {names}.", title=title, names=names)
    return plural(
        "“{title}” has {count} file: {names}.",
        "“{title}” has {count} files: {names}.",
        len(names),
        title=title,
        names=names,
    )


def _say_commenters(title: str, names: Sequence[str]) -> Message:
    return plural(
        "{count} person commented on “{title}”: {names}.",
        "{count} people commented on “{title}”: {names}.",
        len(names),
        title=title,
        names=names,
    )


def _say_comments(title: str, facts: PageFacts) -> Message:
    count = facts.comments or 0
    if facts.commenters:
        return plural(
            "“{title}” has {count} comment, by {names}.",
            "“{title}” has {count} comments, by {names}.",
            count,
            title=title,
            names=facts.commenters,
        )
    return plural("“{title}” has {count} comment.", "“{title}” has {count} comments.", count, title=title)
