"""A look at the files of chromadb's HNSW segments before it loads them.

Its loader (hnswlib) trusts data_level0.bin: links that point anywhere end the process with a segmentation fault, which
nothing in Python can turn into a message. Layout: hnswlib's ``saveIndex``, as persisted by chroma-core/hnswlib 1.x.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

HEADER = struct.Struct("<i6QiI3QdQ")
"""version; offset of level 0, capacity, count, bytes an element, label and data offsets; top level, entry point;
links above level 0, at level 0, M; mult; ef_construction."""

DELETED_MARK_BITS = 16  # the count of links shares its four bytes with the mark of deletion


def broken_segment(folder: Path) -> str | None:
    """What is wrong with the first segment that must not be loaded, None if all can be."""
    for header_file in sorted(folder.glob("*/header.bin")):
        problem = _problem(header_file)
        if problem:
            return f"{header_file.parent.name}: {problem}"
    return None


def _problem(header_file: Path) -> str | None:
    header = header_file.read_bytes()
    if len(header) != HEADER.size:
        return "header.bin has another length"
    _, level0, capacity, count, size, _, _, _, entry, above, links, *_ = HEADER.unpack(header)
    data_file = header_file.with_name("data_level0.bin")
    if count > capacity or not 0 < (links + 1) * 4 + level0 <= size < 2**20:
        return "header.bin is not a header"
    if not data_file.exists() or data_file.stat().st_size < count * size:
        return "data_level0.bin is missing or too short"
    if count == 0:
        return None
    elements = np.memmap(data_file, dtype=np.uint8, mode="r", shape=(count, size))
    words = np.ascontiguousarray(elements[:, level0 : level0 + 4 * (links + 1)]).view("<u4")
    linked = words[:, 0] & ((1 << DELETED_MARK_BITS) - 1)
    used = np.arange(links) < linked[:, None]
    if entry >= count or (linked > links).any() or (words[:, 1:][used] >= count).any():
        return "data_level0.bin links to elements that do not exist"
    return _problem_above(header_file.with_name("link_lists.bin"), count, above)


def _problem_above(file: Path, count: int, links: int) -> str | None:
    """Levels above 0: for each element the bytes of its lists, then a list for each level: its length and its links."""
    if not file.exists():
        return "link_lists.bin is missing"
    words = np.fromfile(file, dtype="<u4")
    lists, at = [], 0
    for _ in range(count):
        if at >= len(words) or words[at] % (4 * (links + 1)):
            return "link_lists.bin does not fit its elements"
        length = int(words[at]) // 4
        if length:
            lists.append(words[at + 1 : at + 1 + length])
        at += 1 + length
    if at != len(words):
        return "link_lists.bin does not fit its elements"
    if lists:
        table = np.concatenate(lists).reshape(-1, links + 1)
        used = np.arange(links) < table[:, :1]
        if (table[:, 0] > links).any() or (table[:, 1:][used] >= count).any():
            return "link_lists.bin links to elements that do not exist"
    return None
