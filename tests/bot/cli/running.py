"""Runs the command line: in this process where that is the same, else in one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest import mock

import typer.main
from chromadb.api.shared_system_client import SharedSystemClient

from bot.cli.app import main
from tests.known_vectors import EMBEDDER

ROOT = Path(__file__).parents[3]
_commands = lru_cache(typer.main.get_command)  # a fifth of what a short command costs


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def says(self, *parts: str) -> bool:
        text = " ".join((self.out + self.err).split())
        assert "Traceback" not in text
        return all(part in text for part in parts)


def wikiwhy(*arguments: str | Path, stdin: str = "") -> Ran:
    """In this process, which keeps only the loaded embedder, and what commands there are, from one to the next."""
    SharedSystemClient.clear_system_cache()  # chromadb remembers what it opened, also after the files have changed
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        mock.patch("bot.wiring.make_embedder", return_value=EMBEDDER),
        mock.patch("bot.health.services.make_embedder", return_value=EMBEDDER),
        mock.patch("typer.main.get_command", _commands),
        mock.patch.object(sys, "argv", ["wikiwhy", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as leaving:
            code = int(leaving.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "bot", *map(str, arguments)]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WIKIWHY_")}
    return {**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "80", "OMP_WAIT_POLICY": "passive"}


def begin(*arguments: str | Path, settings: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """Starts a process and does not wait for it."""
    return subprocess.Popen(
        command(*arguments), env=environment() | dict(settings or {}), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def document(page_id: str, content: str, space: str = "DOC", title: str = "", **more: str) -> dict[str, str]:
    title = title or f"Page {page_id}"
    url = f"https://wiki.example/{space}/{page_id}"
    return {"id": page_id, "title": title, "url": url, "content": content, "space": space, "date": "2026-01-01", **more}


def write_documents(folder: Path, *documents: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for item in documents:
        (folder / f"{item['id']}.json").write_text(json.dumps(item), "utf-8")
    return folder
