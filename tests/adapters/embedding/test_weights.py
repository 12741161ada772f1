from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from adapters.embedding.weights import UnknownWeightsError, Weights, find_installed_weights, read_weights


def test_reads_the_sizes_of_multilingual_e5_small(weights: Weights) -> None:
    shape = weights.shape
    assert (shape.hidden, shape.layers, shape.heads, shape.feed_forward) == (384, 12, 12, 1536)
    assert (shape.vocabulary, shape.positions) == (250_037, 512)
    assert len(weights.vocabulary.pieces) == 250_002


def test_packing_keeps_every_weight(weights: Weights) -> None:
    blocks = weights.read_matrix("l0.q.w", rows=384)
    packed, matrix = blocks.pack(), blocks.dequantise()
    assert matrix.shape == (384, 384)
    nibbles = np.stack([packed & 15, packed >> 4], axis=-1).reshape(384, 12, 32).astype(np.float32)
    np.testing.assert_array_equal(
        (nibbles - 8) * blocks.scales[..., None].astype(np.float32), matrix.reshape(384, 12, 32)
    )


def test_rejects_a_file_with_one_other_bit(tmp_path: Path) -> None:
    content = bytearray(find_installed_weights().read_bytes())
    content[-1] ^= 1
    other = tmp_path / "weights.bin"
    other.write_bytes(content)
    with pytest.raises(UnknownWeightsError, match="SHA-256"):
        read_weights(other)


def test_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownWeightsError, match=r"missing\.bin"):
        read_weights(tmp_path / "missing.bin")
