"""Which embedder and reranker the settings mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.bge import BgeM3Embedder, BgeReranker
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.openai_api import OpenAIEmbedder
from bot.health.checks import check
from bot.models import make_embedder, make_reranker
from bot.settings import Settings
from core.errors import SettingsInvalid
from evaluation.configuration import use_documents

SERVER = {"embedding_base_url": "http://127.0.0.1:8000/v1", "embedding_model": "bge-m3"}


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_each_embedder_is_made_without_loading_anything() -> None:
    assert isinstance(make_embedder(Settings()), E5Embedder)
    assert isinstance(make_embedder(Settings(embedder="bge-m3")), BgeM3Embedder)
    embedder = make_embedder(Settings(embedder="openai", embedding_api_key="sk-secret", **SERVER))
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.name == "bge-m3@127.0.0.1:8000/v1"


@pytest.mark.parametrize("missing", ["embedding_base_url", "embedding_model"])
def test_an_endpoint_without_address_or_model_names_the_setting(missing: str) -> None:
    settings = Settings(embedder="openai", **{**SERVER, missing: ""})
    with pytest.raises(SettingsInvalid, match=f"WIKIWHY_{missing.upper()}"):
        make_embedder(settings)


def test_there_is_a_reranker_only_where_one_is_set() -> None:
    assert make_reranker(Settings()) is None
    assert isinstance(make_reranker(Settings(reranker="bge")), BgeReranker)


def test_the_reranker_gets_its_settings() -> None:
    settings = Settings(rerank_candidates=7, context="TTL").retrieval_settings
    assert (settings.rerank_candidates, settings.context) == (7, "TTL")


def test_each_model_is_evaluated_over_an_index_of_its_own(tmp_path: Path) -> None:
    several = [
        Settings(),
        Settings(embedder="bge-m3"),
        Settings(embedder="bge-m3", bge_model="/models/tuned"),
        Settings(embedder="openai", **SERVER),
        Settings(embedder="openai", **{**SERVER, "embedding_model": "other"}),
        Settings(embedder="openai", **SERVER, embedding_query_prefix="query: "),
    ]
    assert len({use_documents(settings, tmp_path).data_dir for settings in several}) == len(several)
    assert use_documents(Settings(reranker="bge"), tmp_path).data_dir == use_documents(Settings(), tmp_path).data_dir


def test_the_doctor_reports_an_endpoint_that_does_not_answer_and_no_reranker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIKIWHY_EMBEDDER", "openai")
    monkeypatch.setenv("WIKIWHY_EMBEDDING_MODEL", "bge-m3")
    monkeypatch.setenv("WIKIWHY_EMBEDDING_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setattr("adapters.embedding.openai_api._RETRIES", 0)
    findings = {finding.part: finding for finding in check(tmp_path / "data")}
    assert findings["embedder"].state == "broken"
    assert "127.0.0.1:1/v1 does not answer" in findings["embedder"].found
    assert "reranker" not in findings
