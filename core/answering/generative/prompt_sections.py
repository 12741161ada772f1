"""The sections that a language model reads: those that the ranked evidences are of, with their tables and lists.

As many as fit into the prompt are arranged in the order of their pages. Each section has a number; a statement that
cites it is supported by one of its evidences (:mod:`core.answering.generative.support`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from core.answering.generative.extractive_answer import ExtractiveAnswer
from core.answering.generative.writing import write_pieces
from core.errors import ContextTooLong
from core.model import Evidence, Prompt, RankedEvidence, SectionKey
from core.ports.models import LanguageModel
from core.prompts import count_prompt_tokens
from core.text import list_content_words
from core.wording.word_matches import match_texts

PROMPT_TOKENS = 2_900
"""Upper limit of a prompt's estimated tokens, without a quoted answer.

Small models find less in long prompts, and take longer to read them.
"""

_TAG_TOKENS = 25  # of the tags around a page, and around a section
_FEW_ROWS_TOKENS = 60  # with less room a table or list is left out


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page as a model reads it. ``number`` counts from 1; ``path``: its headings.

    ``is_quoted``: see :class:`core.answering.generative.extractive_answer.ExtractiveAnswer`.
    """

    number: int
    path: str
    text: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class PageToRead:
    """The sections of a page that a model reads, in the page's order."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class EvidenceToRead:
    """An evidence that a model reads. ``number``: that of its section."""

    number: int
    ranked: RankedEvidence

    @property
    def evidence(self) -> Evidence:
        return self.ranked.evidence

    @property
    def text_with_headings(self) -> str:
        """Return its text below the title and the headings."""
        context = self.evidence.context
        return "\n".join((context.title, " › ".join(context.heading_path), self.evidence.text))


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model reads.

    ``evidences``: the most important first. ``extractive_answer``: comes after them.
    """

    pages: tuple[PageToRead, ...]
    evidences: tuple[EvidenceToRead, ...]
    extractive_answer: ExtractiveAnswer | None = None

    @property
    def extractive_answer_section(self) -> Section | None:
        """Return the extractive answer as a section, numbered after those of the pages."""
        if self.extractive_answer is None:
            return None
        number = 1 + sum(len(page.sections) for page in self.pages)
        own = self.extractive_answer
        return Section(number, own.name, own.text, own.is_quoted)


def compute_room(model: LanguageModel, answer_tokens: int, extractive_answer: ExtractiveAnswer | None = None) -> int:
    """Return the upper limit of a prompt's tokens, where the model may write ``answer_tokens``.

    A quoted answer takes no room from the sections, which contain it anyway.
    """
    quoted = extractive_answer.text_with_name if extractive_answer and extractive_answer.is_quoted else ""
    return min(PROMPT_TOKENS + model.count_tokens(quoted), model.context_tokens - answer_tokens)


ReadingRenderer = Callable[[Reading], Prompt]


def fit_reading(
    question: str,
    evidences: Sequence[RankedEvidence],
    extractive_answer: ExtractiveAnswer | None,
    render_prompt: ReadingRenderer,
    model: LanguageModel,
    room: int,
) -> tuple[Prompt, Reading]:
    """Return the prompt with as many of the evidences as fit into ``room`` tokens, the most important first.

    Passages are left out whole; of a table or list that does not fit, the rows and items that fit the question best are
    included. Raises ContextTooLong if not even one evidence fits.
    """
    blocks = _find_blocks(evidences)
    empty = count_prompt_tokens(render_prompt(Reading((), (), extractive_answer)), model)
    chosen = _choose_parts(question, blocks, model, room - empty)
    while chosen:
        reading = _add_quoted(_arrange(blocks, chosen, extractive_answer))
        prompt = render_prompt(reading)
        if count_prompt_tokens(prompt, model) <= room:
            return prompt, reading
        chosen.popitem()  # the least important one: the costs are estimates
    raise ContextTooLong(
        f"Not even one source fits into the {model.context_tokens} tokens of the language model's window. "
        "Give WIKIWHY_LLM_CONTEXT_TOKENS the window that your server has, or use a model with a larger one."
    )


# ------------------------------------------------------------------------------------------ blocks


@dataclass(frozen=True, slots=True)
class _Block:
    """An evidence that is read by itself, with the evidences of single rows that it has (of a table)."""

    ranked: RankedEvidence
    rows: tuple[RankedEvidence, ...] = ()

    @property
    def evidence(self) -> Evidence:
        return self.ranked.evidence

    @property
    def is_divisible(self) -> bool:
        return self.evidence.kind in {"table", "list"} and self.evidence.structure is not None

    def find_rows(self) -> set[int]:
        """Return the indexes of its parts that are also evidences by themselves."""
        structure = self.evidence.structure
        if structure is None:
            return set()
        found = {number for row in self.rows if row.evidence.structure for number in row.evidence.structure.numbers}
        return {at for at, number in enumerate(structure.numbers) if number in found}


def _find_blocks(evidences: Sequence[RankedEvidence]) -> list[_Block]:
    """Return the evidences by importance.

    A row whose table is among them is read in the table, with the row's importance.
    """
    ordered = sorted(
        evidences,
        key=lambda ranked: (ranked.for_reading.rank if ranked.for_reading else len(evidences), ranked.rank),
    )
    tables = [ranked for ranked in ordered if ranked.evidence.kind == "table"]
    blocks: dict[str, _Block] = {}
    for ranked in ordered:
        home = next((table for table in tables if _has_row(table.evidence, ranked.evidence)), ranked)
        block = blocks.setdefault(home.evidence.evidence_id, _Block(home))
        if home is not ranked:
            blocks[home.evidence.evidence_id] = replace(block, rows=(*block.rows, ranked))
    return list(blocks.values())


def _has_row(table: Evidence, row: Evidence) -> bool:
    if row.kind != "table_row" or table.page_id != row.page_id or not (table.structure and row.structure):
        return False
    return table.structure.block == row.structure.block and set(row.structure.numbers) <= set(table.structure.numbers)


# ------------------------------------------------------------------------------------------ choice

_Chosen = dict[str, tuple[int, ...]]
"""The parts to show, by the id of each block's evidence, in the order of the choice."""


def _choose_parts(question: str, blocks: Iterable[_Block], model: LanguageModel, room: int) -> _Chosen:
    known = set[object]()
    chosen: _Chosen = {}
    for block in blocks:
        around = [block.evidence.page_id, block.evidence.section_key]
        tagged = (block.evidence.context.title, " ".join(block.evidence.context.heading_path))
        tags = sum(
            _TAG_TOKENS + model.count_tokens(text) for key, text in zip(around, tagged, strict=True) if key not in known
        )
        parts, tokens = _fit_block(question, block, model, room - tags)
        if parts:
            room -= tokens + tags
            known.update(around)
            chosen[block.evidence.evidence_id] = parts
    return chosen


def _fit_block(question: str, block: _Block, model: LanguageModel, room: int) -> tuple[tuple[int, ...], int]:
    """Return the parts of a block that fit into ``room`` tokens, and their tokens; none if it has to be left out."""
    every = tuple(range(len(block.evidence.parts)))
    tokens = model.count_tokens("\n".join(_write_block(block, every)))
    if tokens <= room:
        return every, tokens
    if not block.is_divisible or room < _FEW_ROWS_TOKENS:
        return (), 0
    left = room - model.count_tokens("\n".join(_write_block(block, ()))) - _TAG_TOKENS
    chosen: list[int] = []
    for at in _rank_parts(question, block):
        needed = model.count_tokens(_write_block(block, (at,))[-1]) + 1
        if needed <= left:
            chosen.append(at)
            left -= needed
    return tuple(sorted(chosen)), room - left


def _rank_parts(question: str, block: _Block) -> list[int]:
    """Return the indexes of its parts.

    First those that retrieval found, then by the words they share with the question.
    """
    parts = block.evidence.parts
    matches = np.array(match_texts(tuple(list_content_words(question)), parts)).reshape(len(parts), -1)
    rarity = np.log(1 + len(parts) / (1 + (matches > 0).sum(axis=0)))
    scores = matches @ rarity
    scores[list(block.find_rows())] += rarity.sum() + 1
    return [int(at) for at in np.argsort(-scores, kind="stable")]


# ------------------------------------------------------------------------------------- arrangement


def _write_block(block: _Block, parts: Sequence[int]) -> list[str]:
    """Return the lines of a block with these of its parts."""
    return write_pieces([block.ranked], {(block.evidence.evidence_id, at) for at in parts})


def _arrange(blocks: Sequence[_Block], chosen: _Chosen, extractive_answer: ExtractiveAnswer | None) -> Reading:
    """Arrange the chosen blocks as sections, by page and in the order of each page."""
    read = [block for block in blocks if block.evidence.evidence_id in chosen]
    by_page: dict[str, dict[SectionKey, list[_Block]]] = {}
    for block in read:
        by_page.setdefault(block.evidence.page_id, {}).setdefault(block.evidence.section_key, []).append(block)
    pages: list[PageToRead] = []
    numbers: dict[SectionKey, int] = {}
    for of_page in by_page.values():
        sections: list[Section] = []
        for key, group in sorted(of_page.items(), key=lambda item: min(map(_make_sort_key, item[1]))):
            numbers[key] = len(numbers) + 1
            sections.append(Section(numbers[key], " › ".join(key[1]), _write_section(group, chosen)))
        title = next(iter(of_page.values()))[0].evidence.context.title
        pages.append(PageToRead(title, tuple(sections)))
    return Reading(tuple(pages), tuple(_list_evidences_to_read(read, chosen, numbers)), extractive_answer)


def _add_quoted(reading: Reading) -> Reading:
    """Return the reading, with the evidences of a quoted answer that did not fit as evidences of its section."""
    own, section = reading.extractive_answer, reading.extractive_answer_section
    if own is None or section is None or not own.is_quoted:
        return reading
    read = {each.evidence.evidence_id for each in reading.evidences}
    rank = len(reading.evidences)
    unread = dict.fromkeys(evidence for evidence, _ in own.rows if evidence.evidence_id not in read)
    more = (
        EvidenceToRead(section.number, RankedEvidence(each, rank + at, 0.0)) for at, each in enumerate(unread, start=1)
    )
    return replace(reading, evidences=(*reading.evidences, *more))


def _make_sort_key(block: _Block) -> tuple[bool, int]:
    """Return the sort key of a page's blocks; its facts come first."""
    return block.evidence.kind != "facts", block.evidence.ordinal


def _write_section(blocks: Sequence[_Block], chosen: _Chosen) -> str:
    lines: list[str] = []
    for _, group in groupby(sorted(blocks, key=_make_sort_key), _identify_block):
        pieces = [block.ranked for block in group]
        ids = [piece.evidence.evidence_id for piece in pieces]
        lines += write_pieces(pieces, {(key, at) for key in ids for at in chosen[key]})
    return "\n".join(lines)


def _identify_block(block: _Block) -> tuple[str, object]:
    """Return a key that the pieces of one table or list share."""
    structure = block.evidence.structure
    if structure is None:
        return "", block.evidence.evidence_id
    return ("list" if block.evidence.kind == "list" else "table"), structure.block


def _list_evidences_to_read(
    blocks: Iterable[_Block], chosen: _Chosen, numbers: Mapping[SectionKey, int]
) -> Iterable[EvidenceToRead]:
    """Yield the evidences of the blocks; single rows before their table, so that they are cited as themselves."""
    for block in blocks:
        structure, number = block.evidence.structure, numbers[block.evidence.section_key]
        if structure:
            shown = {structure.numbers[at] for at in chosen[block.evidence.evidence_id] if at < len(structure.numbers)}
            for row in block.rows:
                if row.evidence.structure and shown.issuperset(row.evidence.structure.numbers):
                    yield EvidenceToRead(number, row)
        yield EvidenceToRead(number, block.ranked)
