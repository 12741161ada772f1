"""Adds to quoted text what it lacks: the day of a blog post, the number of items left out, where issues are listed.

These words are in the question's language, unlike the quoted ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.dates import find_date
from core.evidence.comments import read_post_day
from core.evidence.tree import ISSUE_QUERY
from core.i18n import Message, message
from core.languages import choose_catalogue
from core.model import Evidence, RankedEvidence
from core.wording.content_words import select_content_words
from core.wording.focus import Focus
from core.wording.quotations import Quotation
from core.wording.word_matches import match_text, split_terms

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ISSUES = frozenset("jira issue issues ticket tickets vorgang vorgänge".split())
_OTHER_WORDS = 2  # of a question, of which the page of the issues has one
_SAME_WORD = 0.5  # share of its 4-grams that a form of a word has
_NEAR = 3  # ranks of evidences, besides all of the first page, that may list the issues of a question


def add_remarks(focus: Focus, quotations: Sequence[Quotation]) -> list[Quotation]:
    """Return the quotations with their remarks."""
    counted = [_count_items(focus, _describe_queries(focus, quotation)) for quotation in quotations]
    return _date_posts(focus, counted) if focus.answer_type == "time" else counted


def _add_line(focus: Focus, text: str, remark: Message) -> str:
    line = remark.render(choose_catalogue(focus.language))
    return f"{text}\n{line}" if text else line


def _count_items(focus: Focus, quotation: Quotation) -> Quotation:
    """Say of a list that was cut how many of its items are shown."""
    if quotation.shown == quotation.total:
        return quotation
    remark = message("Showing {shown} of {total}.", shown=quotation.shown, total=quotation.total)
    return replace(quotation, text=_add_line(focus, quotation.text, remark))


# ------------------------------------------------------------------------------------ issues of a query


def find_issue_list(focus: Focus, evidences: Sequence[RankedEvidence]) -> list[Quotation]:
    """Return the query by which the first page lists issues, for a question about issues; else [].

    Nothing in the text of a page answers such a question, since the issues are in the tracker.
    """
    if not evidences or _ISSUES.isdisjoint(split_terms(focus.question)):
        return []
    first = evidences[0].evidence.page_id
    near = [each.evidence for each in evidences if each.rank <= _NEAR or each.evidence.page_id == first]
    listing = ((each, query[0]) for each in near for part in each.parts if (query := ISSUE_QUERY.search(part)))
    return [Quotation(query, evidence, query) for evidence, query in listing if _may_be_meant(focus, evidence)][:1]


def _may_be_meant(focus: Focus, evidence: Evidence) -> bool:
    """Whether a question about issues may be about those of an evidence, and not about plane tickets.

    A single other word may say the state of the issues, which only the tracker knows.
    """
    others = set(select_content_words(focus.question)) - _ISSUES
    context = evidence.context
    said = " ".join((context.title, *context.heading_path, context.before, evidence.text, context.after))
    return len(others) < _OTHER_WORDS or max(match_text(tuple(sorted(others)), said)) >= _SAME_WORD


def _describe_queries(focus: Focus, quotation: Quotation) -> Quotation:
    """Replace the queries of issues in a quotation by the sentence that the page lists these issues."""
    queries = list(dict.fromkeys(ISSUE_QUERY.findall(quotation.text))) if "```" not in quotation.text else []
    if not queries:
        return quotation
    text = "\n".join(" ".join(line.split()) for line in ISSUE_QUERY.sub(" ", quotation.text).split("\n"))
    title = quotation.evidence.context.title
    for query in queries:
        remark = message(
            "“{title}” lists issues from Jira ({query}). They are shown on the page only.",
            title=title,
            query=query,
        )
        text = _add_line(focus, text.strip(), remark)
    return replace(quotation, text=text)


# ------------------------------------------------------------------------------------------ blog posts


def _date_posts(focus: Focus, quotations: Sequence[Quotation]) -> list[Quotation]:
    """Return the quotations, each with the day of the blog post that it is from.

    A quotation needs none if it has a date of its own, or if the one before is from the same post.
    """
    dated: list[Quotation] = []
    for quotation in quotations:
        is_next = bool(dated) and dated[-1].evidence.page_id == quotation.evidence.page_id
        dated.append(quotation if is_next else _date_post(focus, quotation))
    return dated


def _date_post(focus: Focus, quotation: Quotation) -> Quotation:
    evidence, text = quotation.evidence, quotation.text
    day = None if evidence.thread or evidence.origin else read_post_day(evidence.context)
    if day is None or find_date(text) or _YEAR.search(text):
        return quotation
    said = message("Blog post of {date}:", date=day).render(choose_catalogue(focus.language))
    return replace(quotation, text=f"{said}\n{text}" if "\n" in text else f"{said} {text}")
