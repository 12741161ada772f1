"""The real FlagReranker, on a tiny model with random weights."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from adapters.reranking.bge import BgeReranker
from core.errors import RerankerUnavailable
from tests.contracts.embedder import TEXTS
from tests.contracts.reranker import QUESTION, RerankerContract
from tests.tiny_models import ROOT, needs_bge, save_embedder, save_reranker


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_reranker(tmp_path_factory.mktemp("models") / "tiny-reranker")


@pytest.fixture(scope="module")
def reranker(folder: Path) -> BgeReranker:
    return BgeReranker(str(folder))


@needs_bge
class TestBgeReranker(RerankerContract):
    """bge-reranker-v2-m3 keeps the contract."""


@needs_bge
async def test_its_scores_are_those_of_flag_embedding(reranker: BgeReranker, folder: Path) -> None:
    from FlagEmbedding import FlagReranker

    reference = FlagReranker(str(folder), devices=["cpu"], max_length=1024)
    expected = reference.compute_score([(QUESTION, text) for text in TEXTS * 4])
    assert list(await reranker.rerank(QUESTION, TEXTS * 4)) == pytest.approx(list(expected), abs=1e-4)


@needs_bge
async def test_a_question_that_is_too_long_leaves_a_quarter_to_the_text(reranker: BgeReranker) -> None:
    long = "alpha beta gamma delta " * 600
    first, second = await reranker.rerank(long, ["One text.", "Quite another thing."])
    assert abs(first - second) > 1e-5
    assert list(await reranker.rerank(long + "and more", ["One text."])) == pytest.approx([first], abs=1e-5)


@needs_bge
async def test_names_weights_and_numerics(reranker: BgeReranker, tmp_path: Path) -> None:
    assert reranker.name.startswith("tiny-reranker/")
    assert BgeReranker(str(save_reranker(tmp_path / "tiny-reranker", seed=1))).name != reranker.name


@needs_bge
async def test_a_model_that_is_no_reranker_is_refused(tmp_path: Path) -> None:
    folder = save_embedder(tmp_path / "tiny-m3")
    with pytest.raises(RerankerUnavailable, match="tiny-m3 is no reranker: set WIKIWHY_BGE_RERANKER_MODEL"):
        await BgeReranker(str(folder)).rerank(QUESTION, TEXTS)


@needs_bge
def test_writes_nothing_to_standard_output_or_error(folder: Path) -> None:
    code = (
        "import asyncio, sys\nfrom adapters.reranking.bge import BgeReranker\n"
        "asyncio.run(BgeReranker(sys.argv[1]).rerank('a question', ['a text'] * 300))"
    )
    done = subprocess.run([sys.executable, "-c", code, folder], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("package", ["FlagEmbedding", "torch"])
async def test_without_the_extra_says_how_to_install_it(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(RerankerUnavailable, match=r"which are not installed .* Run `make setup-bge`"):
        await BgeReranker().load()
