"""Fixtures for the transcripts of all platforms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.embedding.e5 import E5Embedder
from bot.settings import Settings
from tests.servers.running_bot import RunningBot
from tests.servers.sample_data import copy_sample_data
from tests.servers.scripted_model import Reply, Request, ScriptedModel


def reply(request: Request) -> Reply:
    """A model whose completions repeat the question and whose answers cite the first source."""
    if "Rewritten:" in request.question:
        return Reply("And in Germany?")
    return Reply("The hotel limit per night in the Netherlands is €165. [1]", pause=0.2)


def run_bot(folder: Path, embedder: E5Embedder, **settings: Any) -> RunningBot:
    """Return a bot over the sample data, to be entered."""
    (folder / "channels.toml").touch()
    given: dict[str, Any] = {
        "data_dir": copy_sample_data(folder / "data"), "channels": str(folder / "channels.toml"),
        "default_spaces": "ENG, PEO, BER", **settings,
    }  # fmt: skip
    return RunningBot(Settings(**given), embedder)


@pytest.fixture(scope="module", autouse=True)
def _read_channels_file_at_once() -> Iterator[None]:
    """A transcript changes the channels file between two messages. Tests of other folders need the delay."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.admin_files._SETTLED_SECONDS", 0)
        yield


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """Settings of the module's bot; modules override them."""
    return {"suggestions": "off"}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel([reply]) as model:
        yield model
