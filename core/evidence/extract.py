"""Extracts the evidences of a page. This is the entry point of the package."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.evidence.anchors import HeadingAnchors
from core.evidence.blocks import PageBlock
from core.evidence.budget import Budget
from core.evidence.comments import describe_post, find_threads
from core.evidence.comments_and_files import CommentReader, FileReader, group_attached_files
from core.evidence.facts import describe_space, read_facts
from core.evidence.groups import BlockCounts, ExtractionSettings
from core.evidence.headings import Section
from core.evidence.inclusions import Inclusion, find_inclusions
from core.evidence.make_evidences import (
    PageEvidences,
    add_heading_texts,
    count_characters,
    drop_byline,
    tidy_title,
)
from core.evidence.mentions import Names, PageMentions, find_accounts
from core.evidence.other_pages import InclusionReader, OtherPages, ReportedPages, ReportReader
from core.evidence.reports import find_reports
from core.evidence.storage_format import parse
from core.evidence.tree import Node, find_unknown_macros
from core.model import Comment, Evidence, Page, PageFacts

EXTRACTION_VERSION = 17
"""Increase this when the same page gives other evidences or facts: the next sync then extracts every page again."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The evidences and facts of a page, and what had to be left out."""

    evidences: tuple[Evidence, ...]  # in document order
    facts: PageFacts
    defect: str = ""  # of the markup
    names: Mapping[str, str | None] = field(default_factory=dict)  # account to the name that was used; None if unknown
    comments_over_budget: int = 0  # comments left out as too complex
    inclusions_over_budget: int = 0  # included or reported pages left out as too complex or too many
    files_over_budget: tuple[str, ...] = ()  # names of attached files left out for the same reasons
    unknown_macros: frozenset[str] = frozenset()  # names


def extract(
    page: Page,
    settings: ExtractionSettings | None = None,
    budget: Budget | None = None,
    names: Names | None = None,
    others: OtherPages | None = None,
) -> Extraction:
    """Extract all evidences of a page (passages, lists, tables and table rows) with their context.

    ``budget`` defaults to that of a page of this size. ``names`` are the names of people whom the page and the
    ``others`` mention. ``others`` are the pages that it includes or reports on: their evidences come after those of the
    page's text and comments, with the other page's id as ``origin``. Raises :class:`core.errors.PageOverBudget` and
    nothing else.
    """
    budget = budget or Budget.for_page(page)
    page = replace(page, title=tidy_title(page.title))
    parsed = parse(page.content, budget)
    names = names or {}
    mentions = PageMentions(names, page.title, parsed.root, page.url)
    evidences = PageEvidences(page, mentions, settings or ExtractionSettings(), budget)
    blocks = _add_text(evidences, parsed.root)
    authored = tuple(mentions.mark_author(comment) for comment in page.comments)
    comments = _add_comments(evidences, authored)
    own_accounts = frozenset(mentions.marked)
    inclusions, reports = _add_other_pages(evidences, parsed.root, others or OtherPages(), comments.inclusions)
    files = _add_files(evidences)
    others_accounts = {account for account in mentions.marked if account} - own_accounts
    facts = mentions.name_facts(page.facts, authored)
    return Extraction(
        tuple(_insert_names(_add_ids(evidences.made, mentions), mentions, budget)),
        read_facts(replace(page, facts=facts), mentions.show_in_texts(blocks)),
        defect=parsed.defect,
        names={account: names.get(account) for account in (*find_accounts(page), *others_accounts)},
        comments_over_budget=comments.over_budget,
        inclusions_over_budget=inclusions.over_budget + reports.left_out,
        files_over_budget=tuple(files.over_budget),
        unknown_macros=find_unknown_macros(parsed.root),
    )


# --------------------------------------------------------------------------- the parts of a page


def _add_text(evidences: PageEvidences, root: Node) -> list[PageBlock]:
    """Add the evidences of a page's own text, of its space and of its list of attached files; return its blocks."""
    page, mentions, budget = evidences.page, evidences.mentions, evidences.budget
    read = evidences.read_blocks(root, budget)
    blocks = list(add_heading_texts(drop_byline(read)))
    top = Section(describe_post(page))
    evidences.add(evidences.make_groups(blocks, budget, top, _make_anchors(page, mentions)))
    evidences.add(evidences.make_groups(list(describe_space(page, mentions)), budget, Section()))
    # Attached files have no position on the page, so they are no context of anything.
    evidences.add(group_attached_files(page, evidences.settings, budget))
    evidences.numbers += BlockCounts.from_blocks(blocks)
    return read


def _add_comments(evidences: PageEvidences, comments: tuple[Comment, ...]) -> CommentReader:
    reader = CommentReader(evidences)
    for thread in find_threads(comments):
        reader.read(thread)
    return reader


def _add_other_pages(
    evidences: PageEvidences, root: Node, others: OtherPages, in_comments: list[Inclusion]
) -> tuple[InclusionReader, ReportReader]:
    """Add the evidences of what the page shows of others. ``in_comments``: the inclusions in its comments."""
    page, mentions, budget = evidences.page, evidences.mentions, evidences.budget
    inclusions, reports = InclusionReader(evidences), ReportReader(evidences)
    if others.included:
        for inclusion in (*find_inclusions(root, page, _make_anchors(page, mentions), budget), *in_comments):
            inclusions.read(inclusion, others.included)
    if others.reported:
        for report in find_reports(root, page, _make_anchors(page, mentions), budget):
            reports.read(report, others.reported.get(report.query, ReportedPages()))
    return inclusions, reports


def _add_files(evidences: PageEvidences) -> FileReader:
    reader = FileReader(evidences)
    for file in evidences.page.files:
        reader.read(file)
    return reader


def _make_anchors(page: Page, mentions: PageMentions) -> Callable[[str], str]:
    """Return a function that returns the anchor of a heading with marks, and is called in document order."""
    anchors = HeadingAnchors(page.title, page.url)
    return lambda heading: anchors.make_anchor(mentions.show(heading))


# --------------------------------------------------------------------------- identity and names


def _add_ids(evidences: Iterable[Evidence], mentions: PageMentions) -> Iterator[Evidence]:
    """Add ids that depend only on text and position. Equal texts under one heading are numbered in order.

    Names of people do not change the ids.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for evidence in evidences:
        words = (*evidence.context.heading_path, evidence.text)
        key = (evidence.page_id, evidence.kind, *map(mentions.identify, words))
        digest = hashlib.sha256("\x1f".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass")).hexdigest()
        seen[key] += 1
        yield replace(evidence, evidence_id=digest[:20])


def _insert_names(evidences: Iterable[Evidence], mentions: PageMentions, budget: Budget) -> Iterator[Evidence]:
    """Replace the marks in evidences by names."""
    for evidence in evidences:
        shown = mentions.show_in(evidence)
        if not shown.thread and not shown.origin:  # comments, files and inclusions have their own budgets
            budget.add_text(count_characters(shown))
        yield shown
