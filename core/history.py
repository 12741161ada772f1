"""The history of a question, from stored turns or from a chat thread; and what of it may be shown."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from core.errors import ChatRefused, WikiWhyError
from core.model import Author, HistoryMessage, PagePart, Provenance, Scope, Turn
from core.ports.chat import ChatPlatform, Place, Platform, ThreadMessage
from core.ports.chat_stores import Post, PostStore, ThreadStore
from core.ports.store import EvidenceStore, TurnStore

logger = logging.getLogger(__name__)


def list_messages(turns: Iterable[Turn]) -> list[HistoryMessage]:
    """Return the messages of these turns, oldest first."""
    return [message for turn in turns for message in _convert_turn(turn)]


def _convert_turn(turn: Turn) -> tuple[HistoryMessage, HistoryMessage]:
    subject = turn.evidences[0].evidence.context.title if turn.evidences else ""
    cited = turn.answer.citations[0].title if turn.answer.citations else ""
    if not turn.answer.answered and (closest := _find_closest_title(turn)):
        subject, cited = closest, subject  # the message shows this page first
    if cited and {citation.title for citation in turn.answer.citations} == {cited}:
        subject, cited = cited, subject  # all that was shown is of this page
    return HistoryMessage("user", turn.question.as_asked), HistoryMessage(
        "assistant",
        turn.answer.text,
        subject=subject or cited,
        cited=cited if cited != subject else "",
        answered=turn.answer.answered,
    )


def _find_closest_title(turn: Turn) -> str:
    """Return the title of the page with the text that fits an unanswered question best; "" if there is none."""
    titles = {ranked.evidence.evidence_id: ranked.evidence.context.title for ranked in turn.evidences}
    return next((titles[unit.evidence_id] for unit in turn.trace.closest if unit.evidence_id in titles), "")


# --------------------------------------------------------------------------------------------------------- of a thread

BUDGET_TOKENS = 1_500
LATEST = "inf"
"""Message id that sorts after all others."""

MOST_TURNS = 100
"""Newest turns of a thread that a prompt may have words from: more than fit into :data:`BUDGET_TOKENS`."""

_MOST_MESSAGES = 500  # newest messages of people that a prompt may have words from, for the same reason
_FIRST = 10  # turns and messages that are also loaded: the first exchange is kept, and the first turn may be hidden
_MOST_POSTS = 100  # newest posts of a thread, among which is its last message
_MOST_SINCE = 100  # newest messages of people after that
_MOST_CHARS = 2_000  # of one message: enough to show what it is about
_MOST_NAMED = 30  # latest messages whose mentions are replaced by names
_MOST_NAMES = 20  # people looked up for one question

TokenCounter = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class History:
    """The messages before a question. ``page_parts``: what they may have words from.

    ``unread``: there are none, because the platform did not show those from before the bot was called.
    """

    messages: tuple[HistoryMessage, ...] = ()
    page_parts: frozenset[PagePart] = frozenset()
    unread: bool = False


@dataclass(frozen=True, slots=True)
class ThreadHistory:
    """Loads and stores the messages of threads."""

    turns: TurnStore
    evidences: EvidenceStore
    posts: PostStore
    threads: ThreadStore
    platforms: Mapping[Platform, ChatPlatform]
    count: TokenCounter

    async def load(self, place: Place, message_id: str, scope: Scope) -> History:
        """Load the part of the history of a question that may be shown in this scope now.

        ``message_id``: of the question; :data:`LATEST` if a button asked it.
        """
        if message_id == place.thread:
            return History()
        conversation = place.conversation_id
        platform = self.platforms[place.platform]
        was_read = await self._read_once(place, message_id)
        earlier = await self.threads.load_some(conversation, "", message_id, _FIRST, _MOST_MESSAGES)
        posts = await self.posts.find_questions(conversation, message_id, _FIRST, MOST_TURNS)
        positions = _find_positions(posts, {each.message_id for each in earlier}, message_id)
        stored = await self.turns.load_some(conversation, {turn_id for _, turn_id in positions})
        visible = await self.evidences.filter_visible(find_pages(stored), scope)
        turns = {turn.turn_id: turn for turn in select_visible(stored, scope, visible)}
        answered = {position: turns[turn_id] for position, turn_id in positions if turn_id in turns}
        recent = [
            replace(each, text=await platform.resolve_mentions(place, each.text)) for each in earlier[-_MOST_NAMED:]
        ]
        written = [*earlier[:-_MOST_NAMED], *recent]
        history = build_thread_history(written, answered, await self._load_names(place, written), self.count)
        return replace(history, unread=not (was_read or history.messages))

    async def add(self, place: Place, message: ThreadMessage) -> None:
        """Add a message, or replace its text after an edit."""
        await self.threads.add(place.conversation_id, [message])

    async def edit(self, place: Place, message: ThreadMessage) -> None:
        """Replace the text of a stored message; an unknown message was not for the bot and is ignored."""
        if await self.threads.has_message(place.conversation_id, message.message_id):
            await self.add(place, message)

    async def remove(self, place: Place, message_id: str) -> None:
        """Remove a message that was deleted, or a question that was stopped."""
        await self.threads.remove(place.conversation_id, message_id)

    async def load_since_our_last(self, place: Place, message_id: str) -> list[ThreadMessage]:
        """Return the newest messages that people wrote after our last message in the thread and before this one."""
        posts = await self.posts.find_newest(place.conversation_id, _MOST_POSTS)
        ours = max(map(_find_position, posts), key=make_sort_key, default="0")
        return await self.threads.load_some(place.conversation_id, ours, message_id, 0, _MOST_SINCE)

    async def _read_once(self, place: Place, message_id: str) -> bool:
        """Read the thread's messages from before the bot was called; return False if the platform does not show them.

        Done once per thread, because platforms limit these requests.
        """
        if await self.threads.was_read(place.conversation_id):
            return True
        try:
            messages = await self.platforms[place.platform].load_messages(place, message_id)
        except WikiWhyError as error:
            logger.warning("A thread could not be read; its question is answered without history: %s", error)
            return False
        posts = await self.posts.find_in_conversation(place.conversation_id)
        stopped = {post.key.rpartition(":")[2] for post in posts if _is_stopped(post)}
        kept = [message for message in messages if message.message_id not in stopped]
        await self.threads.add(place.conversation_id, kept)
        await self.threads.mark_read(place.conversation_id)
        return True

    async def _load_names(self, place: Place, messages: Sequence[ThreadMessage]) -> dict[str, str]:
        unnamed = list(dict.fromkeys(message.user for message in reversed(messages) if not message.name))[:_MOST_NAMES]
        platform = self.platforms[place.platform]
        names: dict[str, str] = {}
        try:
            for user in unnamed:
                with suppress(ChatRefused):  # of one person; the platform logs it
                    names[user] = (await platform.find_member(place, user)).name
        except WikiWhyError as error:  # a history without names is better than none
            logger.warning("The names of people in a thread could not be looked up: %s", error)
        return names


def _find_position(post: Post) -> str:
    """Return the position of a post in its thread: its message id, or the question's id if it is not posted yet."""
    return post.message_id or max(post.key.rpartition(":")[2], post.place.thread, key=make_sort_key)


def _is_stopped(post: Post) -> bool:
    """Whether the answer to a question was stopped while the question stays in the thread."""
    return post.key.startswith("ask:") and post.finished and not post.message_id


def _find_positions(posts: Sequence[Post], written: set[str], before: str) -> list[tuple[str, str]]:
    """Return the message id and the turn id of the questions before a message.

    The message id is that of the message that asked, or of our answer if a button asked.
    """
    found: list[tuple[str, str]] = []
    for post in posts:
        asked_by = post.key.rpartition(":")[2]
        found.append((asked_by if asked_by in written else post.message_id, post.turn_id))
    return [each for each in found if make_sort_key(each[0]) < make_sort_key(before)]


def build_thread_history(
    messages: Sequence[ThreadMessage],
    turns: Mapping[str, Turn],
    names: Mapping[str, str],
    count: TokenCounter,
    budget: int = BUDGET_TOKENS,
) -> History:
    """Build the history of a question, oldest message first.

    ``messages``: what people wrote before it, by rising id. ``turns``: by the id of the message that each answers, or
    of our own message if a button asked (ids rise with time). ``names``: by user. The first exchange is always kept,
    and the newest ones as far as they fit into ``budget`` tokens.
    """
    written = {message.message_id: message for message in messages}
    exchanges: list[History] = []
    for message_id in sorted(written.keys() | turns.keys(), key=make_sort_key):
        exchanges.append(_build_exchange(written.get(message_id), turns.get(message_id), names))
    kept = _fit_budget(exchanges, count, budget)
    return History(
        tuple(message for exchange in kept for message in exchange.messages),
        frozenset(part for exchange in kept for part in exchange.page_parts),
    )


def _build_exchange(written: ThreadMessage | None, turn: Turn | None, names: Mapping[str, str]) -> History:
    if turn is None:
        return History((_convert_message(written, names),) if written else ())
    asked, answered = list_messages([turn])
    asked = _convert_message(written, names) if written else asked
    return History((asked, replace(answered, text=answered.text[:_MOST_CHARS])), find_page_parts_of_messages([turn]))


def _convert_message(written: ThreadMessage, names: Mapping[str, str]) -> HistoryMessage:
    return HistoryMessage("user", written.text[:_MOST_CHARS], names.get(written.user, written.name))


def _fit_budget(exchanges: Sequence[History], count: TokenCounter, budget: int) -> list[History]:
    if not exchanges:
        return []
    first, *others = exchanges
    left = budget - _count_tokens(first, count)
    kept: list[History] = []
    for exchange in reversed(others):
        left -= _count_tokens(exchange, count)
        if left < 0:
            break
        kept.append(exchange)
    return [first, *reversed(kept)]


def _count_tokens(exchange: History, count: TokenCounter) -> int:
    return sum(count(message.text) + count(message.name) for message in exchange.messages)


# --------------------------------------------------------------------------------------------- what may be shown of it


def select_visible(turns: Iterable[Turn], scope: Scope, visible: Collection[str]) -> list[Turn]:
    """Return the turns that may be shown in this scope now, each as :func:`hide_words` returns it.

    A turn that was asked with more rights may not be shown, nor be part of a prompt: it may reveal more than its pages.
    ``visible``: ids of the turns' pages that may be shown now.
    """
    return [
        hide_words(turn, visible)
        for turn in turns
        if has_rights_of(scope, turn.scope) and find_pages_with_text(turn) <= frozenset(visible)
    ]


def hide_words(turn: Turn, visible: Collection[str]) -> Turn:
    """Return the turn without the words that its question may have from pages that may not be shown now.

    It loses the same parts as when these pages are erased (:mod:`adapters.store.chats.turn_erasure`), except its trace,
    which is not shown. ``visible``: ids of the pages of ``question.provenance`` that may be shown now.
    """
    question = turn.question
    is_asked_hidden, is_history_hidden = (
        any(part.page_id not in visible for part in parts)
        for parts in (question.provenance.suggestion, question.provenance.history)
    )
    if not (is_asked_hidden or is_history_hidden):
        return turn
    answer = turn.answer
    if answer.author is Author.MODEL and (is_asked_hidden or question.completed):
        answer = replace(answer, text="", erased=True)
    if is_asked_hidden:
        question = replace(question, as_asked="", erased=True, kept_language=question.language)
    kept = Provenance(frozenset() if is_asked_hidden else question.provenance.suggestion)
    question = replace(question, intent_explicit=question.as_asked, provenance=kept)
    return replace(turn, question=question, answer=answer, suggestions=())


def find_pages(turns: Iterable[Turn]) -> frozenset[str]:
    """Return the ids of the pages that any text of the turns may have words from."""
    return frozenset(part.page_id for turn in turns for part in find_page_parts(turn))


def find_pages_with_text(turn: Turn) -> frozenset[str]:
    """Return the ids of the pages whose text the evidences contain. Of an erased page they contain none."""
    return frozenset(part.page_id for part in _find_page_parts_of_evidences(turn))


def find_page_parts(turn: Turn) -> frozenset[PagePart]:
    """Return what any text of the turn may have words from, including its suggestions."""
    return _find_page_parts_of_evidences(turn) | turn.question.provenance.suggestion | turn.question.provenance.history


def find_page_parts_of_completed(turn: Turn) -> frozenset[PagePart]:
    """Return what the completed question of the turn may have words from, besides those of the person who asked."""
    return find_page_parts(turn) if turn.question.completed else turn.question.provenance.suggestion


def find_page_parts_of_messages(turns: Iterable[Turn]) -> frozenset[PagePart]:
    """Return what :func:`list_messages` of these turns may have words from."""
    return frozenset(part for turn in turns for part in _find_page_parts_of_exchange(turn))


def _find_page_parts_of_exchange(turn: Turn) -> frozenset[PagePart]:
    parts = _find_page_parts_of_evidences(turn) | turn.question.provenance.suggestion
    is_from_history = turn.question.completed and turn.answer.author is Author.MODEL
    return parts | turn.question.provenance.history if is_from_history else parts


def _find_page_parts_of_evidences(turn: Turn) -> frozenset[PagePart]:
    evidences = (ranked.evidence for ranked in turn.evidences)
    return frozenset(part for evidence in evidences if evidence.text for part in evidence.page_parts)


def has_rights_of(scope: Scope, asked: Scope) -> bool:
    """Whether a scope has all the rights that a question was asked with."""
    if not asked.principals <= scope.principals:
        return False
    return scope.spaces is None or (asked.spaces is not None and asked.spaces <= scope.spaces)


def make_sort_key(message_id: str) -> tuple[float, str]:
    """Sort key that orders messages of one platform by time.

    Ids are decimal numbers: seconds in Slack, milliseconds in Teams.
    """
    try:
        return float(message_id), message_id
    except ValueError:
        return 0.0, message_id
