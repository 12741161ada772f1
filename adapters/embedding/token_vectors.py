"""Token vectors in 2 bits a dimension: 96 bytes a token in place of 1,536.

A vector is turned by a fixed orthogonal matrix, so that its length is spread over all dimensions alike and each value
is about normally distributed. Then it is rounded to the four levels that lose least of such values (Max, 1960). Of e5's
own dimensions some are far larger than others, and what the levels lose of these is lost of the similarity.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from core.ports.models import TokenVectors

COMPRESSION = "2-bit"
"""Has to change whenever :func:`compress` gives other bytes."""

Tokens = npt.NDArray[np.float32]
"""Shape (tokens, dimension), rows L2-normalised."""

_DIMENSION = 384
_BITS = 2
_PER_BYTE = 8 // _BITS
_BYTES = _DIMENSION // _PER_BYTE
# Of a normal distribution with the variance of a unit vector's values.
_DEVIATION = _DIMENSION**-0.5
_BOUNDARY = 0.9816 * _DEVIATION
_LEVELS = np.array([-1.510, -0.4528, 0.4528, 1.510], np.float32) * np.float32(_DEVIATION)


def compress(tokens: Tokens) -> TokenVectors:
    """The tokens as bytes, those of one token after another."""
    turned = tokens @ _make_rotation()
    levels = (turned > -_BOUNDARY).astype(np.uint8)
    levels += turned > 0
    levels += turned > _BOUNDARY
    packed = np.zeros((len(tokens), _BYTES), np.uint8)
    for place in range(_PER_BYTE):
        packed |= levels[:, place::_PER_BYTE] << (_BITS * place)
    return packed.tobytes()


def count(compressed: TokenVectors) -> int:
    """The number of tokens."""
    return len(compressed) // _BYTES


def compare(asked: Tokens, compressed: Sequence[TokenVectors]) -> npt.NDArray[np.float32]:
    """The cosines of the question's tokens with those of all texts in a row: shape (tokens of texts, of question)."""
    packed = np.frombuffer(b"".join(compressed), np.uint8)
    tokens = _make_byte_values().take(packed, axis=0).reshape(-1, _DIMENSION)
    lengths = np.sqrt(np.einsum("td,td->t", tokens, tokens))
    with use_one_thread():
        return np.asarray(tokens @ (asked @ _make_rotation()).T / lengths[:, None], np.float32)


def use_one_thread() -> AbstractContextManager[object]:
    """Products of matrices as small as these: a second thread would wait longer for a core than the first computes."""
    limit: AbstractContextManager[object] = _find_libraries().limit(limits=1, user_api="blas")
    return limit


@cache
def _make_byte_values() -> npt.NDArray[np.float32]:
    """The values of each byte: shape (256, values of a byte)."""
    codes = np.arange(256)[:, None] >> (_BITS * np.arange(_PER_BYTE)) & (2**_BITS - 1)
    return np.asarray(_LEVELS[codes], np.float32)


@cache
def _find_libraries() -> ThreadpoolController:
    """Those that multiply matrices."""
    return ThreadpoolController()


@cache
def _make_rotation() -> npt.NDArray[np.float32]:
    """An orthogonal matrix that mixes all dimensions, the same on every machine: what it has turned is stored.

    Signs that look random, then the product of Hadamard's matrix of 128 and a cosine transform of 3.
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
