"""Extracts the evidences of a page: the first half of the method (RAGonite, section 3)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.anchors import HeadingAnchors, with_anchor
from core.evidence.blocks import Block, Heading, ListItem, Text
from core.evidence.budget import Budget
from core.evidence.comments import Thread, describe_post, find_threads
from core.evidence.contextualise import first_words, last_words
from core.evidence.facts import read_facts
from core.evidence.groups import (
    ExtractionSettings,
    Group,
    Numbers,
    Piece,
    Section,
    is_long,
    make_groups,
    make_list_group,
    shorten,
)
from core.evidence.inclusions import Inclusion, find_inclusions
from core.evidence.people import Names, PeopleOnPage, accounts_of
from core.evidence.reader import read_blocks
from core.evidence.storage_format import clean, parse
from core.evidence.tasks import complete_tasks
from core.evidence.tree import find_unknown_macros
from core.model import AttachedFile, Comment, Context, Evidence, Page, PageFacts, PageReference
from core.text import unescape_html

# The first line of an exported page is metadata: it says facts of the page.
_BYLINE = re.compile(r"^Owned by .{1,100}?\s*Last updated:?.{0,100}$", re.DOTALL)
_FILE_NAME = re.compile(r'ri:filename="([^"]*)"')
_SEARCHED_NAMES = 200
# Texts that are repeated in every evidence are limited: the output would grow with the square of the page.
_TITLE_CHARACTERS = 500
_HEADING_WORDS = 4  # a heading without content that has at least so many words is a text

_FILE_NAME_CHARACTERS = 200
_MOST_OF_FILES = 20_000  # evidences of one page's attached files

EXTRACTION_VERSION = 6
"""Increases when the same page gives other evidences or facts: every page is then extracted again at its next sync."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """A page's evidences in document order, its facts, and the defect of its markup, "" if it has none.

    ``names``: of every account that the page names, the name that was given; None if it was not.
    ``comments_over_budget``, ``inclusions_over_budget``: how many of its comments, and of the pages that it includes,
    are left out, because they are too complex; ``files_over_budget``: the names of the attached files of which the same
    is true. ``unknown_macros``: names.
    """

    evidences: tuple[Evidence, ...]
    facts: PageFacts
    defect: str = ""
    names: Mapping[str, str | None] = field(default_factory=dict)
    comments_over_budget: int = 0
    inclusions_over_budget: int = 0
    files_over_budget: tuple[str, ...] = ()
    unknown_macros: frozenset[str] = frozenset()


def extract(
    page: Page,
    settings: ExtractionSettings | None = None,
    budget: Budget | None = None,
    names: Names | None = None,
    included: Mapping[PageReference, Page] | None = None,
) -> Extraction:
    """All evidences of a page: passages, lists, tables and table rows, with their context.

    ``budget``: by default that of a page of this size. ``names``: of the people that the page mentions, and those that
    it includes. ``included``: other pages by how this one names them; what it shows of them are evidences with their
    ids as ``origin``, after its own and its comments'. Raises :class:`core.errors.PageOverBudget` and nothing else.
    """
    settings = settings or ExtractionSettings()
    budget = budget or Budget.for_page(page)
    page = replace(page, title=tidy_title(page.title))
    parsed = parse(page.content, budget)
    names = names or {}
    people = PeopleOnPage(names, page.title, parsed.root)
    people.mark_mentions(parsed.root)
    complete_tasks(parsed.root, lambda: people.language)
    read = read_blocks(parsed.root, budget)
    blocks = list(_add_heading_texts(_without_byline(read)))
    anchors = HeadingAnchors(page.title, page.url)
    top = Section(describe_post(page))
    groups = list(make_groups(blocks, lambda heading: anchors.anchor(people.show(heading)), settings, budget, top))
    placed = list(_make_evidences(groups, page, settings, budget))
    # Attached files have no place on the page, so they are not neighbours of anything.
    placed += _make_evidences(_attached_files(page, settings, budget), page, settings, budget, len(placed))
    comments = tuple(people.mark_author(comment) for comment in page.comments)
    reader = _CommentReader(page, people, settings, budget, Numbers.after(blocks), len(placed))
    placed += (evidence for thread in find_threads(comments) for evidence in reader.read(thread))
    included = included or {}
    inclusions = _InclusionReader(page, people, settings, budget, reader.numbers, len(placed))
    if included:
        own = HeadingAnchors(page.title, page.url)
        for inclusion in find_inclusions(parsed.root, page, lambda heading: own.anchor(people.show(heading)), budget):
            if origin := included.get(inclusion.reference):
                placed += inclusions.read(inclusion, origin)
    file_reader = _FileReader(page, settings, budget, inclusions.numbers, len(placed))
    placed += (evidence for file in page.files for evidence in file_reader.read(file))
    evidences = tuple(_with_names(_add_ids(placed, people), people, budget))
    accounts = dict.fromkeys(account for each in (page, *included.values()) for account in accounts_of(each))
    named = {account: names.get(account) for account in accounts}
    page = replace(page, facts=people.name_facts(page.facts, comments))
    facts = read_facts(page, people.show_in_texts(read))
    left_out = (reader.over_budget, inclusions.over_budget, tuple(file_reader.over_budget))
    return Extraction(evidences, facts, parsed.defect, named, *left_out, find_unknown_macros(parsed.root))


def tidy_title(title: str) -> str:
    """A page's title as its evidences have it: on one line, of limited length."""
    return shorten(" ".join(clean(title).split()), _TITLE_CHARACTERS)


def _attached_files(page: Page, settings: ExtractionSettings, budget: Budget) -> list[Group]:
    """The attached files that the page's text does not name, as a list."""
    if not page.attachments:
        return []
    content = unescape_html(page.content)
    named = set(_FILE_NAME.findall(content))
    unnamed = [name for name in page.attachments if name not in named]
    # Each name is searched for in the whole text, so only the first ones are.
    searched = unnamed[:_SEARCHED_NAMES]
    budget.operate(len(page.attachments))
    names = [name for name in searched if name not in content] + unnamed[_SEARCHED_NAMES:]
    names = [" ".join(clean(name).split()) for name in names]
    items = tuple(ListItem("-", f"[file: {name}]") for name in names if name)
    return [make_list_group(Section(), items, 0, settings, budget)] if items else []


def _without_byline(blocks: list[Block]) -> list[Block]:
    first = blocks[0] if blocks else None
    return blocks[1:] if isinstance(first, Text) and _BYLINE.match(first.text) else blocks


def _add_heading_texts(blocks: list[Block]) -> Iterator[Block]:
    """Adds the words of a heading without content as a text, if it is more than a label: an agenda made of headings."""
    for block, following in zip(blocks, [*blocks[1:], Heading(1, "")], strict=False):
        yield block
        if isinstance(block, Heading) and isinstance(following, Heading):
            over_nothing = following.level <= block.level
            if over_nothing and len(block.text.split()) >= _HEADING_WORDS and not is_long(block):
                yield Text(block.text)


# --------------------------------------------------------------------------- context and identity


def _make_evidences(
    groups: list[Group],
    page: Page,
    settings: ExtractionSettings,
    budget: Budget,
    ordinal: int = 0,
    edges: tuple[str, str] = ("", ""),
) -> Iterator[Evidence]:
    """``edges``: the texts before the first group and after the last."""
    words = settings.context_words
    wholes = [edges[0], *(group.whole for group in groups), edges[1]]
    for index, group in enumerate(groups):
        before, after = last_words(wholes[index], words), first_words(wholes[index + 2], words)
        context = Context(page.title, group.section.heading_path, before, after)
        url = group.section.url or with_anchor(page.url, group.section.anchor)
        for at, piece in enumerate(group.pieces):
            around = _piece_context(group.pieces, at, context, words) if piece.kind == "passage" else context
            evidence = Evidence(
                *("", page.page_id, page.space, piece.kind, ordinal, piece.text, around, url, piece.parts, piece.rows),
                structure=piece.structure,
                thread=group.section.thread,
                origin=group.section.origin,
            )
            budget.emit(_characters(evidence))
            yield evidence
            ordinal += 1


def _characters(evidence: Evidence) -> int:
    """The characters of an evidence."""
    context = evidence.context
    cells = sum(len(header) + len(value) for row in evidence.rows for header, value in row)
    path = sum(map(len, context.heading_path))
    around = len(context.title) + path + len(context.before) + len(context.after)
    return len(evidence.text) + sum(map(len, evidence.parts)) + cells + around + len(evidence.url)


def _piece_context(pieces: tuple[Piece, ...], at: int, context: Context, words: int) -> Context:
    """The context of a piece of a split passage: its neighbours are the other pieces."""
    before = last_words(pieces[at - 1].text, words) if at else context.before
    after = first_words(pieces[at + 1].text, words) if at + 1 < len(pieces) else context.after
    return replace(context, before=before, after=after)


def _add_ids(evidences: Iterable[Evidence], people: PeopleOnPage) -> Iterator[Evidence]:
    """Adds ids that depend on text and place only; equal texts under one heading are numbered in order.

    They are the same whatever the people in the text are called.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for evidence in evidences:
        words = (*evidence.context.heading_path, evidence.text)
        place = (evidence.page_id, evidence.kind, *map(people.identify, words))
        digest = hashlib.sha256("\x1f".join((*place, str(seen[place]))).encode("utf-8", "surrogatepass")).hexdigest()
        seen[place] += 1
        yield replace(evidence, evidence_id=digest[:20])


def _with_names(evidences: Iterable[Evidence], people: PeopleOnPage, budget: Budget) -> Iterator[Evidence]:
    """The evidences with names in place of marks."""
    for evidence in evidences:
        shown = people.show_in(evidence)
        if not shown.thread and not shown.origin:  # comments, files and inclusions have budgets of their own
            budget.handle(_characters(shown))
        yield shown


# --------------------------------------------------------------------------------------- comments


@dataclass(slots=True)
class _CommentReader:
    """Makes the evidences of a page's comments, each within its own budget.

    ``numbers``, ``ordinal``: of tables, lists and evidences before the next comment.
    """

    page: Page
    people: PeopleOnPage
    settings: ExtractionSettings
    budget: Budget
    numbers: Numbers
    ordinal: int
    over_budget: int = 0

    def read(self, thread: Thread) -> list[Evidence]:
        """The evidences of a thread. A comment has those before and after it in the thread as its context."""
        read = [(comment, self._read_groups(thread, comment)) for comment in thread.comments]
        wholes = ["", *("\n".join(group.whole for group in groups) for _, groups in read), ""]
        found: list[Evidence] = []
        for at, (comment, groups) in enumerate(read):
            budget, edges = self.budget.for_comment(comment), (wholes[at], wholes[at + 2])
            try:
                placed = list(_make_evidences(groups, self.page, self.settings, budget, self.ordinal, edges))
            except PageOverBudget:
                self.over_budget += 1
                continue
            self.ordinal += len(placed)
            found += placed
        return found

    def _read_groups(self, thread: Thread, comment: Comment) -> list[Group]:
        section = Section(thread.heading_path(comment), thread=thread.thread_id, url=comment.url or self.page.url)
        budget = self.budget.for_comment(comment)
        try:
            root = parse(comment.content, budget).root
            self.people.mark_mentions(root)
            complete_tasks(root, lambda: self.people.language)
            blocks = list(_add_heading_texts(read_blocks(root, budget)))
            groups = list(make_groups(blocks, lambda _: "", self.settings, budget, section, self.numbers))
        except PageOverBudget:
            self.over_budget += 1
            return []
        self.numbers += Numbers.after(blocks)
        return groups


# ------------------------------------------------------------------------------------- inclusions

_MOST_INCLUDED = 2_000_000  # characters of storage format that one page shows of others


@dataclass(slots=True)
class _InclusionReader:
    """Makes evidences of what a page shows of others, each within its own budget.

    Their context has nothing of the page but its title and headings, and no text of the page has them as its context.
    ``numbers``, ``ordinal``: of tables, lists and evidences before the next inclusion.
    """

    page: Page
    people: PeopleOnPage
    settings: ExtractionSettings
    budget: Budget
    numbers: Numbers
    ordinal: int
    over_budget: int = 0
    _characters: int = 0

    def read(self, inclusion: Inclusion, origin: Page) -> list[Evidence]:
        """The evidences of an inclusion; none where the other page does not have what it should show."""
        budget = self.budget.for_included(origin)
        self._characters += len(origin.content)
        try:
            if self._characters > _MOST_INCLUDED:
                raise PageOverBudget("It includes too much of other pages")
            return self._read(inclusion, origin, budget)
        except PageOverBudget:
            self.over_budget += 1
            return []

    def _read(self, inclusion: Inclusion, origin: Page, budget: Budget) -> list[Evidence]:
        root = parse(origin.content, budget).root
        content = inclusion.find_content(root)
        if content is None:
            return []
        self.people.mark_mentions(content)
        complete_tasks(content, lambda: self.people.language)
        blocks = list(_add_heading_texts(_without_byline(read_blocks(content, budget))))
        above, anchor = inclusion.section, inclusion.section.anchor
        path = (*above.heading_path, tidy_title(origin.title))
        section = Section(path, anchor, origin=origin.page_id)
        groups = list(make_groups(blocks, lambda _: anchor, self.settings, budget, section, self.numbers))
        placed = list(_make_evidences(groups, self.page, self.settings, budget, self.ordinal))
        self.numbers += Numbers.after(blocks)
        self.ordinal += len(placed)
        return placed


# ---------------------------------------------------------------------------------- attached files


@dataclass(slots=True)
class _FileReader:
    """Makes the evidences of a page's attached files, each within its own budget.

    ``numbers``, ``ordinal``: of tables, lists and evidences before the next file. ``over_budget``: names.
    """

    page: Page
    settings: ExtractionSettings
    budget: Budget
    numbers: Numbers
    ordinal: int
    left: int = _MOST_OF_FILES
    over_budget: list[str] = field(default_factory=list)

    def read(self, file: AttachedFile) -> list[Evidence]:
        """The evidences of a file. No other file is around it."""
        if not file.content:
            return []
        name = shorten(" ".join(clean(file.name).split()), _FILE_NAME_CHARACTERS)
        top = Section((f"Attached file {name}",), thread=file.file_id, url=file.url or self.page.url)
        budget = self.budget.for_file(file)
        try:
            blocks = list(_add_heading_texts(read_blocks(parse(file.content, budget).root, budget)))
            groups = list(make_groups(blocks, lambda _: "", self.settings, budget, top, self.numbers))
            placed = list(_make_evidences(groups, self.page, self.settings, budget, self.ordinal))
        except PageOverBudget:
            self.over_budget.append(name)
            return []
        if len(placed) > self.left:
            self.over_budget.append(name)
            return []
        self.numbers += Numbers.after(blocks)
        self.ordinal += len(placed)
        self.left -= len(placed)
        return placed
