"""Blocks of postings: for each term of a block's entries, the entries that have it, with their BM25 weights.

An inverted index of one file would have to change thousands of its lists for each added page. A block has the lists of
some entries only, is written once, in the order of its terms, and is merged with others later, as the segments of other
full-text engines are. Entries are numbered within their block (slots). Weights are those of :mod:`adapters.index.bm25`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from adapters.index.bm25 import Weights

WORDS, GRAMS = 0, 1
"""The two rankings."""

MOST_ENTRIES = 1024
"""Entries of a block. More make a merge slow, fewer make a search read more lists."""

Postings = Iterator[tuple[int, bytes]]
"""Codes in ascending order with their lists, see :data:`_POSTING`."""

Slots = NDArray[np.int64]

_POSTING = np.dtype([("slot", "<u2"), ("weight", "<f2")])
_TERM_BITS = 31


def make_code(term: int, ranking: int) -> int:
    """Return the code of a term (from :func:`adapters.index.bm25.hash_term`) in a ranking."""
    return term << 1 | ranking


def make_id(block: int, code: int) -> int:
    """Return the id of the list of a term in a block. Ids of a block are consecutive, in the order of codes."""
    return block << _TERM_BITS | code


def split_id(list_id: int) -> tuple[int, int]:
    """Return the block and the code of a list's id."""
    return list_id >> _TERM_BITS, list_id & (1 << _TERM_BITS) - 1


def count_postings(size: int) -> int:
    """Return the number of entries in a list of this size in bytes."""
    return size // _POSTING.itemsize


def make_postings(words: Sequence[Weights], grams: Sequence[Weights]) -> Postings:
    """Yield the lists of a new block. ``words`` and ``grams`` have the weights of each entry, by slot."""
    codes: list[int] = []
    slots: list[int] = []
    weights: list[float] = []
    for ranking, entries in ((WORDS, words), (GRAMS, grams)):
        for slot, weighed in enumerate(entries):
            codes += [make_code(term, ranking) for term in weighed]
            slots += [slot] * len(weighed)
            weights += weighed.values()
    return _group(np.array(codes, np.int64), np.array(slots, np.int64), np.array(weights, np.float16))


def merge_postings(lists: Sequence[tuple[int, bytes]], slots: Mapping[int, Slots]) -> Postings:
    """Yield the lists of a block that replaces others.

    ``lists``: id and list. ``slots``: for each block, the new slot of each old one, -1 for an entry that is left out.
    """
    blocks, codes = np.array([split_id(list_id) for list_id, _ in lists], np.int64).reshape(-1, 2).T
    postings = np.frombuffer(b"".join(found for _, found in lists), _POSTING)
    lengths = np.array([count_postings(len(found)) for _, found in lists], np.int64)
    numbers = {block: number for number, block in enumerate(slots)}
    starts = np.cumsum([0, *(len(of_block) for of_block in slots.values())])
    offsets = np.array([starts[numbers[block]] for block in blocks.tolist()], np.int64)
    moved = np.concatenate(list(slots.values()))[np.repeat(offsets, lengths) + postings["slot"]]
    kept = moved >= 0
    return _group(np.repeat(codes, lengths)[kept], moved[kept], postings["weight"][kept])


def score_entries(lists: Sequence[tuple[int, bytes, float]], entries: int) -> NDArray[np.float64]:
    """Return the BM25 score of each entry, 0 for entries that are in no list.

    ``lists``: number of the block's first entry, list, rarity of the term. ``entries``: of all blocks.
    """
    postings = np.frombuffer(b"".join(found for _, found, _ in lists), _POSTING)
    lengths = [count_postings(len(found)) for _, found, _ in lists]
    places = np.repeat([first for first, *_ in lists], lengths) + postings["slot"]
    weighed = np.repeat([rarity for *_, rarity in lists], lengths) * postings["weight"]
    return np.bincount(places.astype(np.int64), weighed, minlength=entries).astype(np.float64)


def _group(codes: NDArray[np.int64], slots: NDArray[np.int64], weights: NDArray[np.float16]) -> Postings:
    """Yield each code with its list."""
    order = np.argsort(codes, kind="stable")
    postings = np.empty(len(codes), _POSTING)
    postings["slot"], postings["weight"] = slots[order], weights[order]
    found, starts = np.unique(codes[order], return_index=True)
    content, size = postings.tobytes(), _POSTING.itemsize
    ends = np.append(starts, len(codes))[1:].tolist()
    for code, start, end in zip(found.tolist(), starts.tolist(), ends, strict=True):
        yield code, content[start * size : end * size]
