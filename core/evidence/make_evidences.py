"""Turns pieces into evidences with context and URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from core.evidence.anchors import add_anchor
from core.evidence.blocks import BOLD_LINE, Edge, Heading, PageBlock, Text
from core.evidence.budget import Budget
from core.evidence.contextualise import add_after, add_before
from core.evidence.groups import BlockCounts, ExtractionSettings, Group, Piece, make_groups
from core.evidence.headings import Section, is_long
from core.evidence.mentions import PageMentions
from core.evidence.reader import read_blocks
from core.evidence.split import shorten
from core.evidence.storage_format import tidy_line
from core.evidence.tasks import complete_tasks
from core.evidence.tree import Node
from core.model import Context, Evidence, Page

# The first line of an exported page, whose content becomes facts of the page.
_BYLINE = re.compile(r"^Owned by .{1,100}?\s*Last updated:?.{0,100}$", re.DOTALL)
# Texts that every evidence repeats are limited, because the output would grow with the square of the page.
_TITLE_CHARACTERS = 500
_NEXT_SECTION = Heading(1, "")
_HEADING_WORDS = 4  # the fewest words of a heading without content for it to become a text


def tidy_title(title: str) -> str:
    """Return a page's title for its evidences: in one line, of limited length."""
    return shorten(tidy_line(title), _TITLE_CHARACTERS)


def drop_byline(blocks: list[PageBlock]) -> list[PageBlock]:
    """Return the blocks without the byline, if they begin with one."""
    at = next((index for index, block in enumerate(blocks) if not isinstance(block, Edge)), 0)
    first = blocks[at] if blocks else None
    return [*blocks[:at], *blocks[at + 1 :]] if isinstance(first, Text) and _BYLINE.match(first.text) else blocks


def add_heading_texts(blocks: list[PageBlock]) -> Iterator[PageBlock]:
    """Repeat a heading without content as a text if it is more than a label, as in agendas made of headings."""
    for block, following in zip(blocks, _list_following(blocks), strict=True):
        if isinstance(block, Heading) and block.level == BOLD_LINE and isinstance(following, Heading):
            yield Text(block.text)  # it names nothing
            continue
        yield block
        if isinstance(block, Heading) and isinstance(following, Heading):
            over_nothing = following.level <= block.level
            if over_nothing and len(block.text.split()) >= _HEADING_WORDS and not is_long(block):
                yield Text(block.text)


def _list_following(blocks: list[PageBlock]) -> list[PageBlock]:
    """Return what follows each block in its container: the next block, or a heading at the end."""
    found: list[PageBlock] = []
    following: PageBlock = _NEXT_SECTION
    for block in reversed(blocks):
        found.append(following)
        if block is Edge.END:
            following = _NEXT_SECTION
        elif block is not Edge.START:
            following = block
    return found[::-1]


def make_evidences(
    groups: list[Group],
    page: Page,
    settings: ExtractionSettings,
    budget: Budget,
    ordinal: int = 0,
    edges: tuple[str, str] = ("", ""),
) -> Iterator[Evidence]:
    """Make the evidences of groups. ``edges``: the texts before the first group and after the last one."""
    words = settings.context_words
    texts = [edges[0], *(group.text for group in groups), edges[1]]
    for index, group in enumerate(groups):
        context = Context(page.title, group.section.heading_path)
        context = add_after(add_before(context, texts[index], words), texts[index + 2], words)
        url = group.section.url or add_anchor(page.url, group.section.anchor)
        for at, piece in enumerate(group.pieces):
            around = _make_piece_context(group.pieces, at, context, words) if piece.kind == "passage" else context
            evidence = Evidence(
                *("", page.page_id, page.space, piece.kind, ordinal, piece.text, around, url, piece.parts, piece.rows),
                structure=piece.structure,
                thread=group.section.thread,
                origin=group.section.origin,
                via=group.section.via,
            )
            budget.add_evidence(count_characters(evidence))
            yield evidence
            ordinal += 1


@dataclass(slots=True)
class PageEvidences:
    """The evidences of a page so far. Its parts (text, comments, files …) add theirs one after another."""

    page: Page
    mentions: PageMentions
    settings: ExtractionSettings
    budget: Budget
    numbers: BlockCounts = field(default_factory=BlockCounts)  # of tables and lists so far
    made: list[Evidence] = field(default_factory=list)

    def read_blocks(self, root: Node, budget: Budget) -> list[PageBlock]:
        """Read content of this or another page, after people, issues and tasks in it got their marks."""
        self.mentions.mark_mentions(root)
        complete_tasks(root, lambda: self.mentions.language)
        return read_blocks(root, budget)

    def make_groups(
        self, blocks: list[PageBlock], budget: Budget, top: Section, anchor: Callable[[str], str] = lambda _: ""
    ) -> list[Group]:
        """Return the groups of blocks, whose tables and lists are numbered after those so far."""
        return list(make_groups(blocks, anchor, self.settings, budget, top, self.numbers))

    def add(self, groups: list[Group], budget: Budget | None = None, edges: tuple[str, str] = ("", "")) -> None:
        """Add the evidences of groups; none if they exceed the budget, by default the page's.

        ``edges``: the texts before the first group and after the last one.
        """
        self.made += list(
            make_evidences(groups, self.page, self.settings, budget or self.budget, len(self.made), edges)
        )


def count_characters(evidence: Evidence) -> int:
    """Count the characters of an evidence in all fields."""
    context = evidence.context
    cells = sum(len(header) + len(value) for row in evidence.rows for header, value in row)
    path = sum(map(len, context.heading_path))
    around = len(context.title) + path + len(context.before) + len(context.after)
    return len(evidence.text) + sum(map(len, evidence.parts)) + cells + around + len(evidence.url)


def _make_piece_context(pieces: tuple[Piece, ...], at: int, context: Context, words: int) -> Context:
    """Return the context of a piece of a split passage, whose neighbours are the other pieces."""
    context = add_before(context, pieces[at - 1].text, words) if at else context
    return add_after(context, pieces[at + 1].text, words) if at + 1 < len(pieces) else context
