"""Adds to quoted text what it lacks: the day of a blog post, the number of items left out, where issues are listed.

These words are in the question's language, unlike the quoted ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.extractive.compose import Statement
from core.answering.focus import Focus, split_terms
from core.evidence.comments import read_post_day
from core.evidence.dates import find_date
from core.evidence.tree import ISSUE_QUERY
from core.i18n import Message, message
from core.languages import choose_catalogue
from core.model import RankedEvidence

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ISSUES = frozenset("jira issue issues ticket tickets vorgang vorgänge".split())  # noqa: SIM905
_NEAR = 3  # ranks of evidences, besides all of the first page, that may list the issues of a question


def add_remarks(focus: Focus, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements with their remarks."""
    counted = [_count_items(focus, _describe_queries(focus, statement)) for statement in statements]
    return _date_posts(focus, counted) if focus.answer_type == "time" else counted


def _add_line(focus: Focus, text: str, remark: Message) -> str:
    line = remark.render(choose_catalogue(focus.language))
    return f"{text}\n{line}" if text else line


def _count_items(focus: Focus, statement: Statement) -> Statement:
    """Say of a list that was cut how many of its items are shown."""
    if statement.shown == statement.total:
        return statement
    remark = message("Showing {shown} of {total}.", shown=statement.shown, total=statement.total)
    return replace(statement, text=_add_line(focus, statement.text, remark))


# ------------------------------------------------------------------------------------ issues of a query


def find_issue_list(focus: Focus, evidences: Sequence[RankedEvidence]) -> list[Statement]:
    """Return the query by which the first page lists issues, for a question about issues; else [].

    Nothing in the text of a page answers such a question, since the issues are in the tracker.
    """
    if not evidences or _ISSUES.isdisjoint(split_terms(focus.question)):
        return []
    first = evidences[0].evidence.page_id
    near = [each.evidence for each in evidences if each.rank <= _NEAR or each.evidence.page_id == first]
    listing = ((each, query[0]) for each in near for part in each.parts if (query := ISSUE_QUERY.search(part)))
    return [Statement(query, evidence, query) for evidence, query in listing][:1]


def _describe_queries(focus: Focus, statement: Statement) -> Statement:
    """Replace the queries of issues in a statement by the sentence that the page lists these issues."""
    queries = list(dict.fromkeys(ISSUE_QUERY.findall(statement.text))) if "```" not in statement.text else []
    if not queries:
        return statement
    text = "\n".join(" ".join(line.split()) for line in ISSUE_QUERY.sub(" ", statement.text).split("\n"))
    title = statement.evidence.context.title
    for query in queries:
        remark = message(
            "“{title}” lists issues from Jira ({query}). They are shown on the page only.",
            title=title,
            query=query,
        )
        text = _add_line(focus, text.strip(), remark)
    return replace(statement, text=text)


# ------------------------------------------------------------------------------------------ blog posts


def _date_posts(focus: Focus, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements, each with the day of the blog post that it is from.

    Not if the statement has a date of its own, or if the one before is from the same post.
    """
    dated: list[Statement] = []
    for statement in statements:
        is_next = bool(dated) and dated[-1].evidence.page_id == statement.evidence.page_id
        dated.append(statement if is_next else _date_post(focus, statement))
    return dated


def _date_post(focus: Focus, statement: Statement) -> Statement:
    evidence, text = statement.evidence, statement.text
    day = None if evidence.thread or evidence.origin else read_post_day(evidence.context)
    if day is None or find_date(text) or _YEAR.search(text):
        return statement
    said = message("Blog post of {date}:", date=day).render(choose_catalogue(focus.language))
    return replace(statement, text=f"{said}\n{text}" if "\n" in text else f"{said} {text}")
