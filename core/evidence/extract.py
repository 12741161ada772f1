"""Extracts the evidences of a page. This is the entry point of the package."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.anchors import HeadingAnchors
from core.evidence.blocks import ListItem
from core.evidence.budget import Budget
from core.evidence.comments import Thread, describe_post, find_threads
from core.evidence.facts import describe_space, read_facts
from core.evidence.groups import (
    BlockCounts,
    ExtractionSettings,
    Group,
    make_groups,
    make_list_group,
)
from core.evidence.headings import Section
from core.evidence.inclusions import Inclusion, find_inclusions, may_include
from core.evidence.make_evidences import (
    PartReader,
    add_heading_texts,
    count_characters,
    drop_byline,
    make_evidences,
    tidy_title,
)
from core.evidence.other_pages import InclusionReader, OtherPages, ReportedPages, ReportReader
from core.evidence.people import Names, PeopleOnPage, find_accounts
from core.evidence.reader import read_blocks
from core.evidence.reports import find_reports
from core.evidence.split import shorten
from core.evidence.storage_format import clean, parse
from core.evidence.tasks import complete_tasks
from core.evidence.tree import find_unknown_macros
from core.model import AttachedFile, Comment, Evidence, Page, PageFacts
from core.text import unescape_html

_FILE_NAME = re.compile(r'ri:filename="([^"]*)"')
_SEARCHED_NAMES = 200

_FILE_NAME_CHARACTERS = 200
_MOST_OF_FILES = 20_000  # evidences of all attached files of one page

EXTRACTION_VERSION = 16
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
    settings = settings or ExtractionSettings()
    budget = budget or Budget.for_page(page)
    page = replace(page, title=tidy_title(page.title))
    parsed = parse(page.content, budget)
    names = names or {}
    people = PeopleOnPage(names, page.title, parsed.root, page.url)
    people.mark_mentions(parsed.root)
    complete_tasks(parsed.root, lambda: people.language)
    read = read_blocks(parsed.root, budget)
    blocks = list(add_heading_texts(drop_byline(read)))
    top = Section(describe_post(page))
    groups = list(make_groups(blocks, _make_anchors(page, people), settings, budget, top))
    made = list(make_evidences(groups, page, settings, budget))
    of_space = list(make_groups(list(describe_space(page, people)), lambda _: "", settings, budget, Section()))
    made += make_evidences(of_space, page, settings, budget, len(made))
    # Attached files have no position on the page, so they are no context of anything.
    made += make_evidences(_list_attached_files(page, settings, budget), page, settings, budget, len(made))
    comments = tuple(people.mark_author(comment) for comment in page.comments)
    reader = _CommentReader(page, people, settings, budget, BlockCounts.from_blocks(blocks), len(made))
    made += (evidence for thread in find_threads(comments) for evidence in reader.read(thread))
    others, own_accounts = others or OtherPages(), frozenset(people.marked)
    inclusions = InclusionReader(page, people, settings, budget, reader.numbers, len(made))
    if others.included:
        found = find_inclusions(parsed.root, page, _make_anchors(page, people), budget)
        for inclusion in (*found, *reader.inclusions):
            made += inclusions.read(inclusion, others.included)
    reports = ReportReader(page, people, settings, budget, inclusions.numbers, len(made))
    if others.reported:
        for report in find_reports(parsed.root, page, _make_anchors(page, people), budget):
            made += reports.read(report, others.reported.get(report.query, ReportedPages()))
    file_reader = _FileReader(page, people, settings, budget, reports.numbers, len(made))
    made += (evidence for file in page.files for evidence in file_reader.read(file))
    evidences = tuple(_insert_names(_add_ids(made, people), people, budget))
    others_accounts = {account for account in people.marked if account} - own_accounts
    named = {account: names.get(account) for account in (*find_accounts(page), *others_accounts)}
    page = replace(page, facts=people.name_facts(page.facts, comments))
    facts = read_facts(page, people.show_in_texts(read))
    left_out = (reader.over_budget, inclusions.over_budget + reports.left_out, tuple(file_reader.over_budget))
    return Extraction(evidences, facts, parsed.defect, named, *left_out, find_unknown_macros(parsed.root))


def _make_anchors(page: Page, people: PeopleOnPage) -> Callable[[str], str]:
    """Return a function that returns the anchor of a heading with marks, and is called in document order."""
    anchors = HeadingAnchors(page.title, page.url)
    return lambda heading: anchors.make_anchor(people.show(heading))


def _list_attached_files(page: Page, settings: ExtractionSettings, budget: Budget) -> list[Group]:
    """Return a list of the attached files that the page's text does not name."""
    if not page.attachments:
        return []
    content = unescape_html(page.content)
    named = set(_FILE_NAME.findall(content))
    unnamed = [name for name in page.attachments if name not in named]
    # Limited, because each name is searched for in the whole text.
    searched = unnamed[:_SEARCHED_NAMES]
    budget.add_steps(len(page.attachments))
    names = [name for name in searched if name not in content] + unnamed[_SEARCHED_NAMES:]
    names = [" ".join(clean(name).split()) for name in names]
    items = tuple(ListItem("-", f"[file: {name}]") for name in names if name)
    return [make_list_group(Section(), items, 0, settings, budget)] if items else []


# --------------------------------------------------------------------------- identity and names


def _add_ids(evidences: Iterable[Evidence], people: PeopleOnPage) -> Iterator[Evidence]:
    """Add ids that depend only on text and position. Equal texts under one heading are numbered in order.

    Names of people do not change the ids.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for evidence in evidences:
        words = (*evidence.context.heading_path, evidence.text)
        key = (evidence.page_id, evidence.kind, *map(people.identify, words))
        digest = hashlib.sha256("\x1f".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass")).hexdigest()
        seen[key] += 1
        yield replace(evidence, evidence_id=digest[:20])


def _insert_names(evidences: Iterable[Evidence], people: PeopleOnPage, budget: Budget) -> Iterator[Evidence]:
    """Replace the marks in evidences by names."""
    for evidence in evidences:
        shown = people.show_in(evidence)
        if not shown.thread and not shown.origin:  # comments, files and inclusions have their own budgets
            budget.add_text(count_characters(shown))
        yield shown


# --------------------------------------------------------------------------------------- comments


@dataclass(slots=True)
class _CommentReader(PartReader):
    """Makes the evidences of a page's comments, each within its own budget."""

    over_budget: int = 0
    inclusions: list[Inclusion] = field(default_factory=list)  # found in the comments

    def read(self, thread: Thread) -> list[Evidence]:
        """Return the evidences of a thread. The context of a comment is the text before and after it in the thread."""
        read = [(comment, self._read_groups(thread, comment)) for comment in thread.comments]
        texts = ["", *("\n".join(group.text for group in groups) for _, groups in read), ""]
        found: list[Evidence] = []
        for at, (comment, groups) in enumerate(read):
            budget, edges = self.budget.make_comment_budget(comment), (texts[at], texts[at + 2])
            try:
                found += self._make_evidences(groups, budget, edges)
            except PageOverBudget:
                self.over_budget += 1
        return found

    def _read_groups(self, thread: Thread, comment: Comment) -> list[Group]:
        section = Section(thread.make_heading_path(comment), thread=thread.thread_id, url=comment.url or self.page.url)
        budget = self.budget.make_comment_budget(comment)
        try:
            root = parse(comment.content, budget).root
            self.people.mark_mentions(root)
            complete_tasks(root, lambda: self.people.language)
            blocks = list(add_heading_texts(read_blocks(root, budget)))
            groups = list(make_groups(blocks, lambda _: "", self.settings, budget, section, self.numbers))
            included = find_inclusions(root, self.page, lambda _: "", budget) if may_include(comment.content) else []
        except PageOverBudget:
            self.over_budget += 1
            return []
        self.inclusions += (replace(inclusion, section=section) for inclusion in included)
        self.numbers += BlockCounts.from_blocks(blocks)
        return groups


# ---------------------------------------------------------------------------------- attached files


@dataclass(slots=True)
class _FileReader(PartReader):
    """Makes the evidences of a page's attached files, each within its own budget."""

    left: int = _MOST_OF_FILES
    over_budget: list[str] = field(default_factory=list)  # names

    def read(self, file: AttachedFile) -> list[Evidence]:
        """Return the evidences of a file, whose context is this file only."""
        if not file.content:
            return []
        name = shorten(" ".join(clean(file.name).split()), _FILE_NAME_CHARACTERS)
        top = Section((f"Attached file {name}",), thread=file.file_id, url=file.url or self.page.url)
        budget = self.budget.make_file_budget(file)
        try:
            blocks = list(add_heading_texts(read_blocks(parse(file.content, budget).root, budget)))
            groups = list(make_groups(blocks, lambda _: "", self.settings, budget, top, self.numbers))
            if sum(len(group.pieces) for group in groups) > self.left:
                raise PageOverBudget("Its attached files have too many evidences")
            made = self._make_evidences(groups, budget)
        except PageOverBudget:
            self.over_budget.append(name)
            return []
        self.numbers += BlockCounts.from_blocks(blocks)
        self.left -= len(made)
        return made
