"""Compression of token vectors: of 1,536 bytes per token, 96 remain with 2 bits per dimension and 192 with 4.

A vector is multiplied by a fixed orthogonal matrix, which makes its values about normally distributed. Then each value
is rounded to the nearest of 4 or 16 levels, which are optimal for a normal distribution (Max, 1960). Without the
rotation the similarity would suffer, because some dimensions of e5 are much larger than others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from core.ports.models import TokenVectors

Tokens = npt.NDArray[np.float32]
"""Shape (tokens, dimension), rows L2-normalised."""

_DIMENSION = 384
_AT_ONCE = 128  # decompressed tokens: they fit into the processor's cache, where multiplying takes a third of the time
_DEVIATION = np.float32(_DIMENSION**-0.5)  # of a unit vector's values


@dataclass(frozen=True)
class Compression:
    """A number of bits per dimension. ``name`` has to change whenever :func:`compress` returns other bytes.

    ``upper`` and ``between``: the positive levels, and the boundaries between them, of a normal distribution with
    variance 1. Those below 0 have the same sizes. ``kept``: the part of a cosine that is left after compression, by
    which results are divided; 1 where results are only compared with each other.
    """

    name: str
    bits: int
    upper: tuple[float, ...]
    between: tuple[float, ...]
    kept: float = 1.0

    @cached_property
    def levels(self) -> npt.NDArray[np.float32]:
        """All levels, rising, shape (2**bits,)."""
        return np.array([*(-each for each in reversed(self.upper)), *self.upper], np.float32) * _DEVIATION

    @cached_property
    def boundaries(self) -> npt.NDArray[np.float32]:
        """The boundaries between the levels, rising, shape (2**bits - 1,)."""
        return np.array([*(-each for each in reversed(self.between)), 0.0, *self.between], np.float32) * _DEVIATION

    @cached_property
    def byte_values(self) -> npt.NDArray[np.float32]:
        """The values of each byte: shape (256, values of a byte)."""
        codes = np.arange(256)[:, None] >> (self.bits * np.arange(self.per_byte)) & (2**self.bits - 1)
        return np.asarray(self.levels[codes], np.float32)

    @property
    def per_byte(self) -> int:
        return 8 // self.bits

    @property
    def bytes(self) -> int:
        """Of a token."""
        return _DIMENSION // self.per_byte


TWO_BITS = Compression("2-bit", 2, (0.4528, 1.510), (0.9816,))
FOUR_BITS = Compression(
    "4-bit",
    4,
    (0.1284, 0.3881, 0.6568, 0.9424, 1.256, 1.618, 2.069, 2.733),
    (0.2582, 0.5224, 0.7996, 1.099, 1.437, 1.844, 2.401),
    kept=0.9953,
)


def rotate(tokens: Tokens) -> Tokens:
    """Return the tokens in the space in which they are compressed."""
    use_one_thread()
    return np.asarray(tokens @ _make_rotation(), np.float32)


def compress(tokens: Tokens, compression: Compression) -> TokenVectors:
    """Return the compressed tokens, one after another."""
    turned = rotate(tokens)
    codes = np.zeros(turned.shape, np.uint8)
    for boundary in compression.boundaries:
        codes += (turned > boundary).view(np.uint8)  # adding booleans would convert them first
    packed = np.zeros((len(tokens), compression.bytes), np.uint8)
    for place in range(compression.per_byte):
        packed |= codes[:, place :: compression.per_byte] << (compression.bits * place)
    return packed.tobytes()


def count_tokens(compressed: TokenVectors, compression: Compression) -> int:
    """Return the number of tokens."""
    return len(compressed) // compression.bytes


def decompress(compressed: TokenVectors, compression: Compression) -> Tokens:
    """Return the tokens of a text, rotated as by :func:`rotate`."""
    packed = np.frombuffer(compressed, np.uint8).reshape(-1, compression.bytes)
    tokens = compression.byte_values.take(packed, axis=0).reshape(-1, _DIMENSION)
    return np.asarray(tokens / np.sqrt(np.vecdot(tokens, tokens))[:, None], np.float32)


def compare(asked: Tokens, compressed: Sequence[TokenVectors], compression: Compression) -> npt.NDArray[np.float32]:
    """Return the cosines of the tokens of all texts with those of the question: shape (of texts, of question)."""
    packed = np.frombuffer(b"".join(compressed), np.uint8).reshape(-1, compression.bytes)
    cosines = np.empty((len(packed), len(asked)), np.float32)
    use_one_thread()
    turned = np.ascontiguousarray((asked @ _make_rotation()).T) / compression.kept
    for start in range(0, len(packed), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        tokens = compression.byte_values.take(packed[some], axis=0).reshape(-1, _DIMENSION)
        lengths = np.sqrt(np.vecdot(tokens, tokens))
        cosines[some] = tokens @ turned / lengths[:, None]
    return cosines


@cache
def use_one_thread() -> None:
    """Limit BLAS to one thread from now on: waiting for a second core takes longer than multiplying small matrices.

    For the whole process, since a limit for a while would also end in the middle of the work of other threads.
    """
    ThreadpoolController().limit(limits=1, user_api="blas")


@cache
def _make_rotation() -> npt.NDArray[np.float32]:
    """Return an orthogonal matrix that mixes all dimensions.

    It has to be the same on every machine, because rotated vectors are stored: pseudo-random signs, then the Kronecker
    product of a Hadamard matrix of size 128 and a cosine transform of size 3.
    """
    hadamard = np.ones((1, 1))
    while len(hadamard) < _DIMENSION // 3:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    cosine = np.array([[np.cos(np.pi * (2 * at + 1) * row / 6) for at in range(3)] for row in range(3)])
    cosine /= np.linalg.norm(cosine, axis=1, keepdims=True)
    bits = np.unpackbits(np.frombuffer(hashlib.shake_256(b"token vectors").digest(_DIMENSION // 8), np.uint8))
    signs = 1.0 - 2.0 * bits
    turned = signs[:, None] * np.kron(hadamard / len(hadamard) ** 0.5, cosine)
    return np.asarray(turned, np.float32)
