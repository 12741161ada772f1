"""What transcripts of every platform use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.scripted_model import Reply, Request, ScriptedModel


def replied(request: Request) -> Reply:
    """Completions repeat the question, answers cite the first source and come piece by piece."""
    if "Rewritten:" in request.question:
        return Reply("And in Germany?")
    return Reply("The hotel limit per night in the Netherlands is €165. [1]", pause=0.2)


@pytest.fixture(scope="module")
def settings() -> dict[str, Any]:
    """What this module's bot is set to; modules have their own."""
    return {"suggestions": "off"}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel([replied]) as model:
        yield model
