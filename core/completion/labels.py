"""Labels of a table or list that two questions name: cells of a column, headers, items.

"And the Heron?" after "What does the Rook 4 cost?": both are cells of one column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from core.completion.names import JOINTS, NUMBER, WORD, Span
from core.reading.relations.relation import Relation
from core.reading.relations.rows import ITEM, OWN_COLUMNS
from core.reading.words import Word, is_same_noun
from core.text import is_stopword
from core.text_caches import cache_texts

_FIRST_LETTERS = 3
_MOST_ITEM_WORDS = 4  # of the beginning of an item that is its label
_BETWEEN_LABELS = re.compile(r"[,;/|=()<>:]|\s[–—-]\s")  # what stands between the labels of one cell: "-q, --quiet"
_SIGNS = "-.#@$"  # that begin a name: "--abort", ".gitmodules"


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text with its place. Stop words are left out, but for names such as "IT"."""

    word: Word
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Mention:
    """The words of a text that name a label: all of its words if ``is_whole``, else the first ones."""

    span: Span
    count: int
    is_whole: bool
    words: tuple[str, ...]

    def has_overlap(self, other: _Mention) -> bool:
        return self.span[0] < other.span[1] and other.span[0] < self.span[1]


def find_labels_of_one_kind(phrase: str, before: str, relations: Iterable[Relation]) -> tuple[Span, Span] | None:
    """Return the places of two labels of one kind in a phrase and in an earlier question; None if it is not clear.

    ``relations``: the tables and lists of the page that the conversation is on.
    """
    asked, earlier = list_tokens(phrase), list_tokens(before)
    found: dict[tuple[bool, bool, bool, int], set[tuple[Span, Span]]] = {}
    for is_main, texts in _list_label_groups(relations):
        if not _may_mention(asked, texts) or not _may_mention(earlier, texts):
            continue
        labels = [label for text in texts if (label := tuple(token.word for token in list_tokens(text)))]
        new = _find_mention(asked, labels, phrase)
        old = _find_mention(earlier, labels, before)
        if new is None or old is None or new.words == old.words or not (is_main or (new.is_whole and old.is_whole)):
            continue
        known = {token.word.folded for token in earlier}
        others = [each for each in asked if not new.span[0] <= each.start < new.span[1]]
        if all(each.word.folded in known for each in others):
            rank = (new.is_whole, old.is_whole, is_main, old.count)
            found.setdefault(rank, set()).add((new.span, old.span))
    best = found[max(found)] if found else set()
    return next(iter(best)) if len(best) == 1 else None


def _list_label_groups(relations: Iterable[Relation]) -> Iterator[tuple[bool, Sequence[str]]]:
    """Yield labels that may replace each other, and whether they name the rows: a column's cells, headers, items."""
    for relation in relations:
        if relation.kind == "list":
            beginnings = (_BETWEEN_LABELS.split(row.cells.get(ITEM, ""), maxsplit=1)[0] for row in relation.rows)
            yield True, [each for each in beginnings if len(each.split()) <= _MOST_ITEM_WORDS]
            continue
        yield False, [column.rpartition(" > ")[2] for column in relation.columns if column not in OWN_COLUMNS]
        for column in relation.columns:
            cells = dict.fromkeys(filter(None, relation.get_cells(column)))
            labels = dict.fromkeys(each for cell in cells for each in (cell, *_BETWEEN_LABELS.split(cell)))
            yield column == relation.columns[0], list(labels)


def _may_mention(tokens: Sequence[Token], labels: Sequence[str]) -> bool:
    """Whether a label has the first letters of a word; most columns have not, and need not be read."""
    together = "\n".join(labels).lower()
    return any(token.word.folded[:_FIRST_LETTERS] in together for token in tokens)


def _find_mention(tokens: Sequence[Token], labels: Sequence[tuple[Word, ...]], text: str) -> _Mention | None:
    """Return the longest mention of a label in a text; None if there is none, or if the text names two labels."""
    mentions: dict[Span, _Mention] = {}
    for label in labels:
        for at in range(len(tokens)):
            pairs = zip(tokens[at:], label, strict=False)
            count = len(list(takewhile(lambda pair: _is_same(pair[0].word, pair[1]), pairs)))
            if count:
                mention = _make_mention(tokens, at, count, count == len(label), text)
                known = mentions.get(mention.span)
                mentions[mention.span] = mention if known is None or mention.is_whole else known
    longest = max(((each.is_whole, each.count) for each in mentions.values()), default=None)
    best = [each for each in mentions.values() if (each.is_whole, each.count) == longest]
    if len(best) != 1 or any(each.is_whole and not best[0].has_overlap(each) for each in mentions.values()):
        return None
    return best[0]


def _make_mention(tokens: Sequence[Token], at: int, count: int, is_whole: bool, text: str) -> _Mention:
    end = at + count
    while not is_whole and end < len(tokens) and _is_number_after(tokens[end - 1], tokens[end], text):
        end += 1  # "Rook 5" is one name, also if the label is "Rook 4"; and "R-5" if it is "R-4"
    start = tokens[at].start
    while start and text[start - 1] in _SIGNS:
        start -= 1
    span = (start, tokens[end - 1].end)
    return _Mention(span, count, is_whole, tuple(token.word.folded for token in tokens[at:end]))


def _is_number_after(name: Token, number: Token, text: str) -> bool:
    return text[name.end : number.start] in JOINTS and bool(NUMBER.fullmatch(number.word.text))


def _is_same(word: Word, other: Word) -> bool:
    if word.is_name or other.is_name:
        return word.folded == other.folded
    return is_same_noun(word.folded, other.folded)


def list_tokens(text: str) -> list[Token]:
    """Return the words of a text, without stop words."""
    found = (Token(_make_word(match[0]), match.start(), match.end()) for match in WORD.finditer(text))
    return [token for token in found if token.word.text.isupper() or not is_stopword(token.word.text.lower())]


@cache_texts(5_000)
def _make_word(text: str) -> Word:
    return Word(text, text.lower())
