"""Threads of comments, and the heading paths of comments and blog posts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from core.dates import find_date, read_day
from core.evidence.split import shorten
from core.evidence.storage_format import tidy_line
from core.model import Comment, Context, Page

_POST = "Blog post of "
_MARKED_CHARACTERS = 120  # repeated in every evidence of the thread


@dataclass(frozen=True, slots=True)
class Thread:
    """A comment with all direct and indirect replies, in the order in which they were written."""

    comments: tuple[Comment, ...]

    @property
    def thread_id(self) -> str:
        """The id of its first comment."""
        return self.comments[0].comment_id

    def make_heading_path(self, comment: Comment) -> tuple[str, ...]:
        """Return the heading path of a comment: author, date, and the text that the thread is about."""
        first = self.comments[0]
        if comment is first:
            return (_describe_first(first),)
        return _describe_first(first), f"Reply{_describe_author(comment)}"


def find_threads(comments: Sequence[Comment]) -> Iterator[Thread]:
    """Yield the threads by first comment. A reply to a missing comment begins its own thread."""
    by_id = {comment.comment_id: comment for comment in comments}
    firsts: dict[str, str] = {}
    threads: dict[str, list[Comment]] = {}
    for comment in comments:
        threads.setdefault(_find_first(comment, by_id, firsts), []).append(comment)
    for first_id, replies in threads.items():
        first = by_id[first_id]
        yield Thread((first, *(comment for comment in replies if comment is not first)))


def find_thread_ids(parents: Mapping[str, str]) -> dict[str, str]:
    """Return comment id to the id of its thread's first comment. ``parents``: comment to parent id, "" for none."""
    comments = [Comment(comment_id, "", parent_id=parent) for comment_id, parent in parents.items()]
    return {comment.comment_id: thread.thread_id for thread in find_threads(comments) for comment in thread.comments}


def _find_first(comment: Comment, by_id: Mapping[str, Comment], firsts: dict[str, str]) -> str:
    """Return the id of the thread's first comment. ``firsts`` caches results, and is extended."""
    passed: set[str] = set()
    at, above = comment, by_id.get(comment.parent_id)
    while above is not None and at.comment_id not in firsts and at.comment_id not in passed:  # stop at circular replies
        passed.add(at.comment_id)
        at, above = above, by_id.get(above.parent_id)
    first = firsts.get(at.comment_id, at.comment_id)
    firsts.update(dict.fromkeys({*passed, at.comment_id}, first))
    return first


def _describe_first(comment: Comment) -> str:
    what = "a resolved comment" if comment.resolved else "a comment"
    marked = shorten(tidy_line(comment.marked[: 2 * _MARKED_CHARACTERS]), _MARKED_CHARACTERS)
    return f"In {what}{_describe_author(comment)}" + (f" on “{marked}”" if marked else "")


def describe_post(page: Page) -> tuple[str, ...]:
    """Return the heading path above the first heading of a blog post, () for other pages."""
    day = read_day(page.posted)
    return (f"{_POST}{day.day} {day:%B} {day.year}",) if day else ()


def read_post_day(context: Context) -> date | None:
    """Return the day of the blog post that a context belongs to; None for other pages."""
    first = context.heading_path[0] if context.heading_path else ""
    found = find_date(first.removeprefix(_POST)) if first.startswith(_POST) else None
    return found.day if found else None


def _describe_author(comment: Comment) -> str:
    day = read_day(comment.date)
    return (f" by {comment.author}" if comment.author else "") + (f", {day.day} {day:%B} {day.year}" if day else "")
