"""Blocks of a document as elements of a card."""

from __future__ import annotations

import json
import re

import pytest

from adapters.teams.elements import render_block
from core.views.document import Paragraph, Run

_MACRO = re.compile(r"\{\{\s*(?:DATE|TIME)")  # https://adaptivecards.io: text features, where clients put dates


@pytest.mark.parametrize("code", [True, False])
@pytest.mark.parametrize("url", ["", "https://wiki.example/1"])
@pytest.mark.parametrize("text", ["{{DATE(2026-01-01T00:00:00Z)}}", "[1] {{ TIME(2026-01-01T00:00:00Z)}}"])
def test_no_client_puts_a_date_into_a_text(text: str, url: str, code: bool) -> None:
    elements = render_block(Paragraph((Run(text, code=code, url=url),)))
    assert not _MACRO.search(json.dumps(elements, ensure_ascii=False))
