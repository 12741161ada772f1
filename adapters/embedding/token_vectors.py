"""Compression of token vectors to 2 bits per dimension: 96 instead of 1,536 bytes per token.

A vector is multiplied by a fixed orthogonal matrix, which makes its values about normally distributed. Then each value
is rounded to one of the four optimal levels for a normal distribution (Max, 1960). Without the rotation the similarity
would suffer, because some dimensions of e5 are much larger than others.
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
"""Part of the name of stored vectors. Has to change whenever :func:`compress` returns other bytes."""

Tokens = npt.NDArray[np.float32]
"""Shape (tokens, dimension), rows L2-normalised."""

_DIMENSION = 384
_BITS = 2
_PER_BYTE = 8 // _BITS
_BYTES = _DIMENSION // _PER_BYTE
# The optimal levels of a normal distribution with the variance of a unit vector's values.
_DEVIATION = _DIMENSION**-0.5
_BOUNDARY = 0.9816 * _DEVIATION
_LEVELS = np.array([-1.510, -0.4528, 0.4528, 1.510], np.float32) * np.float32(_DEVIATION)


def compress(tokens: Tokens) -> TokenVectors:
    """Return the compressed tokens, one after another."""
    turned = tokens @ _make_rotation()
    levels = (turned > -_BOUNDARY).astype(np.uint8)
    levels += turned > 0
    levels += turned > _BOUNDARY
    packed = np.zeros((len(tokens), _BYTES), np.uint8)
    for place in range(_PER_BYTE):
        packed |= levels[:, place::_PER_BYTE] << (_BITS * place)
    return packed.tobytes()


def count_tokens(compressed: TokenVectors) -> int:
    """Return the number of tokens."""
    return len(compressed) // _BYTES


def compare(asked: Tokens, compressed: Sequence[TokenVectors]) -> npt.NDArray[np.float32]:
    """Return the cosines of the tokens of all texts with those of the question: shape (of texts, of question)."""
    packed = np.frombuffer(b"".join(compressed), np.uint8)
    tokens = _make_byte_values().take(packed, axis=0).reshape(-1, _DIMENSION)
    lengths = np.sqrt(np.einsum("td,td->t", tokens, tokens))
    with use_one_thread():
        return np.asarray(tokens @ (asked @ _make_rotation()).T / lengths[:, None], np.float32)


def use_one_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread, because waiting for a second core takes longer than multiplying small matrices."""
    limit: AbstractContextManager[object] = _find_libraries().limit(limits=1, user_api="blas")
    return limit


@cache
def _make_byte_values() -> npt.NDArray[np.float32]:
    """Return the values of each byte: shape (256, values of a byte)."""
    codes = np.arange(256)[:, None] >> (_BITS * np.arange(_PER_BYTE)) & (2**_BITS - 1)
    return np.asarray(_LEVELS[codes], np.float32)


@cache
def _find_libraries() -> ThreadpoolController:
    return ThreadpoolController()


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
