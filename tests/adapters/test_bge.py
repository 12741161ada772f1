"""The real BGEM3FlagModel and FlagReranker, on tiny models with random weights."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from adapters.bge import BgeM3Embedder, BgeReranker
from core.errors import EmbedderUnavailable, RerankerUnavailable
from tests.contracts.embedder import TEXTS, EmbedderContract
from tests.contracts.reranker import QUESTION, RerankerContract
from tests.tiny_models import ROOT, WIDTH, needs_bge, save_embedder, save_reranker


@pytest.fixture(scope="module")
def embedder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_embedder(tmp_path_factory.mktemp("models") / "tiny-m3")


@pytest.fixture(scope="module")
def embedder(embedder_folder: Path) -> BgeM3Embedder:
    return BgeM3Embedder(str(embedder_folder))


@pytest.fixture(scope="module")
def reranker_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_reranker(tmp_path_factory.mktemp("models") / "tiny-reranker")


@pytest.fixture(scope="module")
def reranker(reranker_folder: Path) -> BgeReranker:
    return BgeReranker(str(reranker_folder))


@needs_bge
class TestBgeM3Embedder(EmbedderContract):
    """The contract for bge-m3."""


@needs_bge
async def test_its_vectors_are_those_of_flag_embedding(embedder: BgeM3Embedder, embedder_folder: Path) -> None:
    from FlagEmbedding import BGEM3FlagModel

    reference = BGEM3FlagModel(str(embedder_folder), use_fp16=False, devices=["cpu"], passage_max_length=1024)
    expected = reference.encode(TEXTS * 4)["dense_vecs"]
    np.testing.assert_allclose(await embedder.embed_passages(TEXTS * 4), expected, atol=1e-5)


@needs_bge
async def test_a_question_and_a_passage_of_one_text_have_one_vector(embedder: BgeM3Embedder) -> None:
    passages = await embedder.embed_passages(TEXTS)
    np.testing.assert_allclose(await embedder.embed_queries(TEXTS), passages, atol=1e-6)


@needs_bge
async def test_names_weights_and_numerics(embedder: BgeM3Embedder, embedder_folder: Path, tmp_path: Path) -> None:
    model, digest, numerics = embedder.name.split("/")
    assert (model, len(digest), embedder.dimension) == ("tiny-m3", 8, WIDTH)
    assert numerics in {"fp32", "fp16"}
    assert BgeM3Embedder(str(embedder_folder)).name == embedder.name
    assert BgeM3Embedder(str(save_embedder(tmp_path / "tiny-m3", seed=1))).name != embedder.name


@needs_bge
async def test_cuts_long_texts_at_1024_tokens(embedder: BgeM3Embedder) -> None:
    start = "alpha beta gamma delta " * 600
    with_end, with_other_end = await embedder.embed_passages([start + "one end", start + "quite another"])
    np.testing.assert_allclose(with_end, with_other_end, atol=1e-6)


@needs_bge
async def test_is_loaded_once_however_many_ask_at_once(embedder_folder: Path) -> None:
    from FlagEmbedding import BGEM3FlagModel

    embedder = BgeM3Embedder(str(embedder_folder))
    with mock.patch("FlagEmbedding.BGEM3FlagModel", wraps=BGEM3FlagModel) as make:
        await asyncio.gather(*(embedder.embed_queries(["a"]) for _ in range(8)))
    assert make.call_count == 1


@needs_bge
@pytest.mark.parametrize(
    ("kind", "call"),
    [
        ("embedder", "BgeM3Embedder(sys.argv[1]).embed_passages("),
        ("reranker", "BgeReranker(sys.argv[1]).rerank('one?', "),
    ],
)
def test_writes_nothing_to_standard_output_or_error(kind: str, call: str, request: pytest.FixtureRequest) -> None:
    code = f"import asyncio, sys\nfrom adapters.bge import *\nasyncio.run({call}['a text'] * 300))"
    folder = request.getfixturevalue(f"{kind}_folder")
    done = subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_bge
@pytest.mark.parametrize("missing", ["config.json", "model.safetensors", "tokenizer.json"])
async def test_a_folder_without_a_model_is_named_with_the_setting(tmp_path: Path, missing: str) -> None:
    folder = save_embedder(tmp_path / "broken")
    (folder / missing).unlink()
    with pytest.raises(EmbedderUnavailable, match=r"broken.*WIKIWHY_BGE_MODEL"):
        await BgeM3Embedder(str(folder)).embed_queries(["a"])


@needs_bge
@pytest.mark.parametrize("name", ["/nowhere/bge-m3", "./bge-m3", "bge-m3", "a/b/c"])
async def test_a_folder_that_is_not_there_is_not_looked_for_on_the_network(name: str) -> None:
    with pytest.raises(EmbedderUnavailable, match=f"there is no folder {name}"):
        await BgeM3Embedder(name).embed_queries(["a"])


@needs_bge
async def test_weights_that_cannot_be_downloaded_are_asked_for_as_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(EmbedderUnavailable, match=r"nobody/bge-m3 cannot be downloaded .* set WIKIWHY_BGE_MODEL"):
        await BgeM3Embedder("nobody/bge-m3").embed_queries(["a"])


@needs_bge
class TestBgeReranker(RerankerContract):
    """The contract for bge-reranker-v2-m3."""


@needs_bge
async def test_its_scores_are_those_of_flag_embedding(reranker: BgeReranker, reranker_folder: Path) -> None:
    from FlagEmbedding import FlagReranker

    reference = FlagReranker(str(reranker_folder), devices=["cpu"], max_length=1024)
    expected = reference.compute_score([(QUESTION, text) for text in TEXTS * 4])
    assert list(await reranker.rerank(QUESTION, TEXTS * 4)) == pytest.approx(list(expected), abs=1e-4)


@needs_bge
async def test_a_question_that_is_too_long_leaves_a_quarter_to_the_text(reranker: BgeReranker) -> None:
    long = "alpha beta gamma delta " * 600
    first, second = await reranker.rerank(long, ["One text.", "Quite another thing."])
    assert abs(first - second) > 1e-5
    assert list(await reranker.rerank(long + "and more", ["One text."])) == pytest.approx([first], abs=1e-5)


@needs_bge
async def test_a_reranker_names_its_weights(reranker: BgeReranker, tmp_path: Path) -> None:
    assert reranker.name.startswith("tiny-reranker/")
    assert BgeReranker(str(save_reranker(tmp_path / "tiny-reranker", seed=1))).name != reranker.name


@needs_bge
async def test_a_model_that_is_no_reranker_is_refused(tmp_path: Path) -> None:
    folder = save_embedder(tmp_path / "tiny-m3")
    with pytest.raises(RerankerUnavailable, match="tiny-m3 is no reranker: set WIKIWHY_BGE_RERANKER_MODEL"):
        await BgeReranker(str(folder)).rerank(QUESTION, TEXTS)


@pytest.mark.parametrize("package", ["FlagEmbedding", "torch"])
@pytest.mark.parametrize(("model", "error"), [(BgeM3Embedder, EmbedderUnavailable), (BgeReranker, RerankerUnavailable)])
async def test_without_the_extra_says_how_to_install_it(
    package: str, model: type[BgeM3Embedder | BgeReranker], error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(error, match=r"which are not installed .* Run `make setup-bge`"):
        await model().load()
