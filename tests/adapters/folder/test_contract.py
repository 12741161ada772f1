"""A folder of documents passes the contract of wikis."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from adapters.folder.wiki import FolderWiki
from tests.contracts.wiki import BEFORE, Served, WikiContract, Written


class TestFolder(WikiContract):
    @pytest.fixture
    def served(self, tmp_path: Path) -> Served:
        def write(page: Written) -> None:
            page_id, space, title, body = page
            url = f"https://wiki.example/{space}/{page_id}"
            document = {"id": page_id, "space": space, "title": title, "content": body, "url": url}
            (tmp_path / f"{page_id}.json").write_text(json.dumps({**document, "date": "2026-01-05"}), "utf-8")

        for page in BEFORE:
            write(page)
        return Served(
            lambda: nullcontext(FolderWiki(tmp_path)), write, lambda page_id: (tmp_path / f"{page_id}.json").unlink()
        )
