"""Adds the evidences of a page's comments and of its attached files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from core.errors import PageOverBudget
from core.evidence.blocks import ListItem
from core.evidence.budget import Budget
from core.evidence.comments import Thread
from core.evidence.groups import BlockCounts, ExtractionSettings, Group, make_list_group
from core.evidence.headings import Section
from core.evidence.inclusions import Inclusion, find_inclusions, may_include
from core.evidence.make_evidences import PageEvidences, add_heading_texts
from core.evidence.reader import read_blocks
from core.evidence.split import shorten
from core.evidence.storage_format import parse, tidy_line
from core.model import AttachedFile, Comment, Page
from core.text import unescape_html

_FILE_NAME = re.compile(r'ri:filename="([^"]*)"')
_SEARCHED_NAMES = 200
_FILE_NAME_CHARACTERS = 200
_MOST_OF_FILES = 20_000  # evidences of all attached files of one page


@dataclass(slots=True)
class CommentReader:
    """Adds the evidences of a page's comments, each within its own budget."""

    evidences: PageEvidences
    over_budget: int = 0
    inclusions: list[Inclusion] = field(default_factory=list)  # found in the comments

    def read(self, thread: Thread) -> None:
        """Add the evidences of a thread. The context of a comment is the text before and after it in the thread."""
        read = [(comment, self._read_groups(thread, comment)) for comment in thread.comments]
        texts = ["", *("\n".join(group.text for group in groups) for _, groups in read), ""]
        for at, (comment, groups) in enumerate(read):
            budget, edges = self.evidences.budget.make_comment_budget(comment), (texts[at], texts[at + 2])
            try:
                self.evidences.add(groups, budget, edges)
            except PageOverBudget:
                self.over_budget += 1

    def _read_groups(self, thread: Thread, comment: Comment) -> list[Group]:
        page = self.evidences.page
        section = Section(thread.make_heading_path(comment), thread=thread.thread_id, url=comment.url or page.url)
        budget = self.evidences.budget.make_comment_budget(comment)
        try:
            root = parse(comment.content, budget).root
            blocks = list(add_heading_texts(self.evidences.read_blocks(root, budget)))
            groups = self.evidences.make_groups(blocks, budget, section)
            included = find_inclusions(root, page, lambda _: "", budget) if may_include(comment.content) else []
        except PageOverBudget:
            self.over_budget += 1
            return []
        self.inclusions += (replace(inclusion, section=section) for inclusion in included)
        self.evidences.numbers += BlockCounts.from_blocks(blocks)
        return groups


def group_attached_files(page: Page, settings: ExtractionSettings, budget: Budget) -> list[Group]:
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
    names = [tidy_line(name) for name in names]
    items = tuple(ListItem("-", f"[file: {name}]") for name in names if name)
    return [make_list_group(Section(), items, 0, settings, budget)] if items else []


@dataclass(slots=True)
class FileReader:
    """Adds the evidences of a page's attached files, each within its own budget."""

    evidences: PageEvidences
    left: int = _MOST_OF_FILES
    over_budget: list[str] = field(default_factory=list)  # names

    def read(self, file: AttachedFile) -> None:
        """Add the evidences of a file, whose context is this file only."""
        if not file.content:
            return
        name = shorten(tidy_line(file.name), _FILE_NAME_CHARACTERS)
        top = Section((f"Attached file {name}",), thread=file.file_id, url=file.url or self.evidences.page.url)
        budget = self.evidences.budget.make_file_budget(file)
        try:
            blocks = list(add_heading_texts(read_blocks(parse(file.content, budget).root, budget)))
            groups = self.evidences.make_groups(blocks, budget, top)
            if sum(len(group.pieces) for group in groups) > self.left:
                raise PageOverBudget("Its attached files have too many evidences")
            before = len(self.evidences.made)
            self.evidences.add(groups, budget)
        except PageOverBudget:
            self.over_budget.append(name)
            return
        self.evidences.numbers += BlockCounts.from_blocks(blocks)
        self.left -= len(self.evidences.made) - before
