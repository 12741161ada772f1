"""A terminal for tests: a command in a pty, and the screen that its output makes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

from tests.bot.cli.running import command, environment

_PATIENCE = 60.0  # seconds, after which a test gives up
_PIECE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b.|[\r\n]|[^\x1b\r\n]+")


def screen(written: str, columns: int) -> list[str]:
    """The lines that are left when a terminal has acted on what rich writes: moves up, erased lines, line breaks."""
    lines: list[str] = [""]
    row = column = 0
    for piece in _PIECE.finditer(written):
        if piece.group() == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif piece.group() == "\r":
            column = 0
        elif piece[2] == "A":
            row = max(0, row - int(piece[1] or 1))
        elif piece[2] == "K":
            lines[row] = ""
        elif not piece.group().startswith("\x1b"):
            assert column + len(piece.group()) <= columns, f"wider than the terminal: {piece.group()!r}"
            lines[row] = lines[row].ljust(column)[:column] + piece.group()
            column += len(piece.group())
    return [line.rstrip() for line in lines]


class Terminal:
    """A ``wikiwhy`` command in a pty while the ``with`` block lasts."""

    def __init__(self, *arguments: str | Path, settings: Mapping[str, str] | None = None) -> None:
        self._main, worker = pty.openpty()
        fcntl.ioctl(worker, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        env = {**environment(), "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", **(settings or {})}
        self.process = subprocess.Popen(
            command(*arguments), stdin=worker, stdout=worker, stderr=worker, env=env, start_new_session=True
        )
        os.close(worker)
        self.written = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._main)

    def type(self, text: str) -> None:
        os.write(self._main, text.encode())

    def read_until(self, text: str) -> str:
        """What is written from now on, up to and with this text. Fails if it does not come."""
        start = len(self.written)
        for _ in self._pieces():
            if text in self.written[start:]:
                return self.written[start:]
        raise AssertionError(f"{text!r} did not come: {self.written[start:]!r}")

    def exit_code(self) -> int:
        for _ in self._pieces():
            pass
        return self.process.wait(_PATIENCE)

    def _pieces(self) -> Iterator[None]:
        end = time.monotonic() + _PATIENCE
        waiting = select.poll()  # unlike select.select, it takes descriptors above 1,023
        waiting.register(self._main, select.POLLIN)
        while time.monotonic() < end:
            if waiting.poll(100):
                with contextlib.suppress(OSError):  # how a pty says that nobody is left to write
                    piece = os.read(self._main, 65536)
                    if piece:
                        self.written += piece.decode("utf-8", "replace")
                        yield
                        continue
                return
