"""What other people may do to an answer in Teams."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contracts.conversation_others import OthersTranscripts
from tests.servers.scripted_model import ScriptedModel

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def settings(model: ScriptedModel) -> dict[str, Any]:
    return {"suggestions": "headings", "llm_base_url": model.base_url, "llm_api_key": "k", "llm_model": "scripted"}


class TestTeamsOthers(OthersTranscripts):
    """The suite that all platforms share: actions of other people."""
