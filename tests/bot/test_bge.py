"""The whole way with FlagEmbedding: the samples synced, asked, reranked. The models are random, so are the answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.folder.wiki import FolderWiki
from bot.health.checks import check
from bot.settings import Settings
from bot.wiring import Application, now, open_application
from core.conversation import QuestionToAnswer
from tests.tiny_models import ROOT, needs_bge, save_embedder, save_reranker

pytestmark = needs_bge


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    models = tmp_path_factory.mktemp("models")
    return Settings(
        data_dir=tmp_path_factory.mktemp("data"),
        embedder="bge-m3",
        bge_model=str(save_embedder(models / "tiny-m3")),
        reranker="bge",
        bge_reranker_model=str(save_reranker(models / "tiny-reranker")),
        rerank_candidates=12,
    )


@pytest.fixture(scope="module")
def application(settings: Settings) -> Iterator[Application]:
    with open_application(settings) as application:
        asyncio.run(_sync(application))
        yield application


async def _sync(application: Application) -> None:
    wiki = FolderWiki(ROOT / "samples" / "documents", files=application.file_texts)
    for space in await wiki.list_spaces():
        await application.make_synchroniser().sync_all(wiki, [space], now(), lambda progress: None)


async def test_a_question_is_answered_and_its_turn_keeps_the_rerankers_ranks(application: Application) -> None:
    turn = await application.make_assistant().answer_question(
        QuestionToAnswer("t", "c", now(), "What is a strike train?")
    )
    reranked = [item.reranked for item in turn.evidences if item.reranked]
    first = turn.evidences[: application.settings.evidences]
    assert len(first) == 10
    assert len(reranked) >= 5
    assert len({place.rank for place in reranked}) == len(reranked)
    assert all(1 <= place.rank <= 12 for place in reranked)
    assert [item.score for item in first] == sorted((item.score for item in first), reverse=True)
    assert turn.timings_ms["rerank"] > 0
    assert str(turn.configuration["embedder"]).startswith("tiny-m3/")
    assert str(turn.configuration["reranker"]).startswith("tiny-reranker/")
    assert turn.configuration["rerank_candidates"] == 12


def test_the_doctor_shows_both_models(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("embedder", "bge_model", "reranker", "bge_reranker_model", "rerank_candidates"):
        monkeypatch.setenv(f"WIKIWHY_{name.upper()}", str(getattr(settings, name)))
    findings = {finding.part: finding for finding in check(tmp_path / "data")}
    assert findings["embedder"].state == findings["reranker"].state == "works"
    assert findings["embedder"].found.startswith("tiny-m3/")
    assert findings["reranker"].found.startswith("tiny-reranker/")
    assert "12 candidates take about" in findings["reranker"].found


def test_the_doctor_says_what_is_wrong_with_a_reranker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WIKIWHY_RERANKER", "bge")
    monkeypatch.setenv("WIKIWHY_BGE_RERANKER_MODEL", str(tmp_path / "nothing"))
    findings = {finding.part: finding for finding in check(tmp_path / "data")}
    assert findings["reranker"].state == "broken"
    assert "WIKIWHY_BGE_RERANKER_MODEL" in findings["reranker"].found
