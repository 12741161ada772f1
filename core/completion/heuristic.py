"""Completes questions without a language model, by distinguishing follow-ups from changes of the subject.

A follow-up does not name its subject; a question that changes the subject names the new one. The words alone do not
tell which it is ("Who maintains it?", "Who maintains the installer?"), so the wiki is searched as well: if the question
alone finds another page with a much better score than the page of the conversation, the subject has changed. A
follow-up is completed with words of the conversation only: the title of that page and, for an ellipsis, words of the
question before (cf. EXPLAIGNN, SIGIR 2023, section 3.1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from core.answering.question_parts import split_questions
from core.chat.listening import is_question
from core.completion.back_references import (
    continues,
    has_only_pronoun,
    has_pronoun,
    refers_back,
    resolve_former_or_latter,
    resolve_week,
)
from core.completion.ellipsis import (
    EllipticalQuestion,
    add_phrase,
    find_replaced_words,
    parse_ellipsis,
    replace_phrase,
)
from core.completion.names import complete_names, find_other_numbers, has_other_name
from core.completion.subject_change import (
    ELLIPSIS_WORDS,
    changes_language,
    changes_subject,
    find_content_words,
    names_other_page,
    split_scores,
)
from core.languages import detect_language, find_stopwords, is_clearly_not_in
from core.model import HistoryMessage, Question, RankedEvidence, Scope
from core.reading.relations.relation import Relation, make_relations
from core.reading.words import has_outdated_word, is_marked_outdated
from core.retrieval.retriever import RankedPage, Retriever
from core.text import is_stopword, list_words
from core.trace import Stopwatch, Tracer
from core.wording.content_words import LIGHT_WORDS
from core.wording.courtesy import strip_courtesy
from core.wording.instructions import strip_name

_RECENT = 6  # earlier questions that are considered
_CARRYING_WORDS = 4  # content words at most of a question that also gets words of the question before
_CARRIED_WORDS = 8
_REPLACING_WORDS = 2  # content words at most of an ellipsis that replaces a word
_LEAD_OF_CITED = 0.1  # of the score of the cited page over that of the first one, if the conversation is on the cited
_ALIKE = 0.5  # similarity from which two words are of one kind, such as two countries; others have .2 to .46

_WRITTEN_WORD = re.compile(r"[^\W_]+(?:[.:'’/-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class _EarlierQuestion:
    """An earlier question and the title of the page that was found first for it, "" if none was.

    ``cited``: the title of the other page that was found or cited first, "" if there is none. ``found_page``: the id of
    the first page if it was retrieved now, "" if the history names it. ``answered``: False if no page had the answer.
    """

    text: str
    subject: str
    cited: str = ""
    found_page: str = ""
    answered: bool = True


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A completed question, and the title of the page that it is about ("" if it changes the subject).

    ``found_page``: see :class:`core.model.Question`.
    """

    completed: str
    subject: str = ""
    found_page: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class HeuristicCompleter:
    """Completes a question with the title of the page that the conversation is about."""

    name = "heuristic"

    retriever: Retriever

    async def complete(
        self, question: str, history: Sequence[HistoryMessage], scope: Scope, tracer: Tracer
    ) -> Question:
        """Return the question, with the conversation's subject in brackets unless it changes the subject."""
        found = await self.complete_follow_up(question, history, scope)
        return Question(question, found.completed, found_page=found.found_page)

    async def complete_follow_up(self, question: str, history: Sequence[HistoryMessage], scope: Scope) -> FollowUp:
        """Return the question completed from the conversation."""
        asked: list[_EarlierQuestion] = []
        for each in await self._keep_titles_in_scope(_list_questions(history)[-_RECENT:], scope):
            asked.append(each if each.subject else await self._look_up(each.text, asked, scope))
        if not asked:
            return FollowUp(question)
        pages = await self._rank_pages(question, scope)
        asked[-1] = last = _choose_page(asked[-1], pages)
        completed = await self._complete(question, asked, pages, scope)
        return FollowUp(question) if completed == question else FollowUp(completed, last.subject, last.found_page)

    async def _keep_titles_in_scope(
        self, asked: Sequence[_EarlierQuestion], scope: Scope
    ) -> Sequence[_EarlierQuestion]:
        """Return the questions without titles outside the scope: others in the conversation may be allowed to see more.

        Only titles of the last one are named.
        """
        if not asked:
            return asked
        last = asked[-1]
        if last.subject and not await self.retriever.has_page(last.subject, scope):
            return [_EarlierQuestion(each.text, "") for each in asked]
        if last.cited and not await self.retriever.has_page(last.cited, scope):
            last = replace(last, cited="")
        return [*asked[:-1], last]

    async def _look_up(self, text: str, asked: Sequence[_EarlierQuestion], scope: Scope) -> _EarlierQuestion:
        pages = await self._rank_pages(text, scope)
        completed = await self._complete(text, asked, pages, scope)
        if completed != text:
            pages = await self._rank_pages(completed, scope)
        found = pages[0] if pages else None
        return _EarlierQuestion(text, found.title, found_page=found.page_id) if found else _EarlierQuestion(text, "")

    async def _complete(
        self, question: str, asked: Sequence[_EarlierQuestion], pages: Sequence[RankedPage], scope: Scope
    ) -> str:
        """Return the completed question. ``pages``: those that the question alone finds."""
        if not asked or not asked[-1].subject:
            return question
        before = asked[-1]
        resolved = resolve_former_or_latter(resolve_week(question, before.text), before.text)
        question, ellipsis = resolved.question, parse_ellipsis(resolved.question)
        if changes_subject(question, before.subject, pages):
            return question
        if changes_language(question, before.text, before.subject, pages):
            return question
        if ellipsis is None:
            return await self._add_subject(question, before.text, asked, resolved.left_out)
        return await self._complete_ellipsis(question, ellipsis, asked, pages, scope)

    async def _complete_ellipsis(
        self,
        question: str,
        ellipsis: EllipticalQuestion,
        asked: Sequence[_EarlierQuestion],
        pages: Sequence[RankedPage],
        scope: Scope,
    ) -> str:
        """Return the question before, about what the ellipsis names, or with what it names as a further condition.

        The ellipsis itself with its subject, if it is not clear what it replaces or if it is in another language.
        """
        subject = asked[-1].subject
        # After "not found", the title would only lead to the same page again, unless "it" means that page.
        title = subject if asked[-1].answered or has_pronoun(asked[-1].text) else ""
        relations = await self._load_relations(asked[-1], pages, scope)
        before = _resolve(asked, relations)
        replacement = replace_phrase(ellipsis, before, relations)
        if replacement is None:
            added = add_phrase(ellipsis, before)
            may_add = bool(added) and not is_clearly_not_in(question, detect_language(before), 1)
            if may_add and not await self._find_words_of_same_kind(question, before, subject):
                return _append_in_brackets(added, _strip_title(title, find_other_numbers(question, title)))
            return await self._add_subject(question, before, asked)
        replaced = frozenset[str]() if replacement.by_label else replacement.replaced
        if is_clearly_not_in(question, detect_language(before), 1):
            return await self._add_subject(question, replacement.question, asked, replaced)
        is_elsewhere = names_other_page(question, subject, pages, relations)
        title = subject if replacement.by_label else title  # the page has both
        return _append_in_brackets(replacement.question, "" if is_elsewhere else _strip_title(title, replaced))

    async def _add_subject(
        self, question: str, before: str, asked: Sequence[_EarlierQuestion], replaced: frozenset[str] = frozenset()
    ) -> str:
        """Return the question with its subject, without words that it replaces by meaning."""
        subject = asked[-1].subject
        alike = await self._find_words_of_same_kind(question, before, subject)
        referred = _find_referred(asked) if has_only_pronoun(question) else ""
        return add_subject(question, before, subject, alike | replaced, referred)

    async def _load_relations(
        self, before: _EarlierQuestion, pages: Sequence[RankedPage], scope: Scope
    ) -> Sequence[Relation]:
        """Return the tables and lists of the page that the conversation is on."""
        ids = {page.page_id for page in pages if page.title == before.subject} | {before.found_page} - {""}
        blocks = await self.retriever.evidences.load_tables_and_lists(ids, scope) if ids else []
        return make_relations(RankedEvidence.of(each) for each in blocks)

    async def _find_words_of_same_kind(self, question: str, before: str, subject: str) -> frozenset[str]:
        """Return words of the earlier question, and numbers of its page's title, that an ellipsis replaces by meaning.

        "And Germany?" replaces "Belgium" in "hotel limit Belgium". Other words of the title are not replaced. Empty
        without a word matcher.
        """
        own = find_content_words(question)
        numbers = {word for word in list_words(subject) if word.isdecimal()}
        others = sorted((find_content_words(before) | numbers) - own)
        if not continues(question) or not 0 < len(own) <= _REPLACING_WORDS or not others or not self.retriever.matcher:
            return frozenset()
        matches = await self.retriever.matcher.match_words(question, others)
        columns = [index for index, word in enumerate(matches.words) if own & set(list_words(word))]
        best = matches.scores[:, columns].max(axis=1)
        return frozenset(word for word, score in zip(others, best, strict=True) if score >= _ALIKE)

    async def _rank_pages(self, question: str, scope: Scope) -> list[RankedPage]:
        return await self.retriever.rank_pages(question, scope, Stopwatch(lambda: 0.0))


def _list_questions(history: Sequence[HistoryMessage]) -> list[_EarlierQuestion]:
    """Return the earlier questions, each with the pages of its answer if these are known.

    Of a message with several questions the last one counts. Of messages between people in a thread only complete
    questions count, unless there are no others: "Thanks!" does not change the subject.
    """
    asked: list[_EarlierQuestion] = []
    remarks: list[_EarlierQuestion] = []
    for message, following in zip_longest(history, history[1:]):
        if message.role == "assistant":
            continue
        answer = following if following and following.role == "assistant" else None
        earlier = _EarlierQuestion(split_questions(strip_courtesy(message.text))[-1], "")
        if answer:
            earlier = replace(earlier, subject=answer.subject, cited=answer.cited, answered=answer.answered)
        (remarks if answer is None and message.name and not _names_subject(message.text) else asked).append(earlier)
    return asked or remarks


def _choose_page(asked: _EarlierQuestion, pages: Sequence[RankedPage]) -> _EarlierQuestion:
    """Return the earlier question with the cited page as its subject if a new question clearly fits that page better.

    ``pages``: those that the new question alone finds. An answer may cite another page than the first one, either
    because that has the fact or because it only has some of the words. The first one is right more often. A cited page
    that no longer holds is not chosen.
    """
    if not asked.cited or (is_marked_outdated(asked.cited) and not has_outdated_word(asked.subject)):
        return asked
    of_first, of_cited = (split_scores(title, pages)[0] for title in (asked.subject, asked.cited))
    return replace(asked, subject=asked.cited) if of_cited > of_first + _LEAD_OF_CITED else asked


def _names_subject(text: str) -> bool:
    """Whether this is a question that names its subject."""
    said = find_content_words(text)
    return is_question(text) and len(said) > ELLIPSIS_WORDS


def _find_referred(asked: Sequence[_EarlierQuestion]) -> str:
    """Return the question to which the last one refers, and the one to which that refers; "" if it refers to none.

    After "who keeps the winch?" and "since when does she?", "and where is it?" is about the winch.
    """
    referred: list[str] = []
    for earlier, last in zip(asked[-2::-1], asked[:0:-1], strict=True):
        if not has_pronoun(last.text):
            break
        referred.append(earlier.text)
    return " ".join(referred)


def _resolve(asked: Sequence[_EarlierQuestion], relations: Sequence[Relation]) -> str:
    """Return the last question, with what it left out if it is an ellipsis too: "And the Heron?", "And the Wren?"."""
    text = ""
    for each in asked:
        ellipsis = parse_ellipsis(each.text) if text and each.subject == asked[-1].subject else None
        replacement = replace_phrase(ellipsis, text, relations) if ellipsis else None
        added = add_phrase(ellipsis, text) if ellipsis and not replacement else ""
        text = replacement.question if replacement else added or each.text
    return text


def add_subject(
    question: str, before: str, subject: str, alike: frozenset[str] = frozenset(), referred: str = ""
) -> str:
    """Return the question with its subject in brackets; an ellipsis also gets words of the question before.

    Words that the question replaces are left out of both: "And in Germany?" is not about a "Vacation policy
    Netherlands", "What did the rc1 tests find?" not about the "rc2 tests". ``alike``: further words that it replaces.
    ``referred``: questions to which the one before refers, see :func:`_find_referred`. What the question before asks is
    not carried over: "and at night?" after "Which machines failed?" gets the word "machines", but asks for no list.
    """
    replaced = find_replaced_words(question, before) | complete_names(alike, before)
    replaced |= find_other_numbers(question, subject)
    title = _strip_title(subject, replaced)
    own = find_content_words(question)
    known = own | set(list_words(title)) | replaced | LIGHT_WORDS
    # "What warranty does the Heron have?" needs nothing of a question about the Rook 4.
    is_complete = len(own) > _CARRYING_WORDS or (has_other_name(question, before) and not refers_back(question))
    carried = [] if is_complete else _find_new_words(f"{before} {referred}", known)
    return _append_in_brackets(question, title, carried)


def _append_in_brackets(question: str, title: str, carried: Sequence[str] = ()) -> str:
    """Return the question with a title and words of the question before in brackets; unchanged without a title."""
    inside = f"{title}: {' '.join(carried)}" if carried else title
    return f"{question} ({inside})" if title else question


def _strip_title(subject: str, left_out: frozenset[str]) -> str:
    """Return a page's title without these words."""
    return " ".join(word for word in strip_name(subject).split() if not left_out & set(list_words(word)))


def _find_new_words(text: str, known: set[str]) -> list[str]:
    """Return the first content words of a text that are not known, as written."""
    stopwords = find_stopwords(text)
    content = (
        word
        for word in _WRITTEN_WORD.findall(text)
        if any(part not in known and not is_stopword(part, stopwords) for part in list_words(word))
    )
    return list(dict.fromkeys(content))[:_CARRIED_WORDS]
