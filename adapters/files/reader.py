"""Reads each file in a separate process with limits (``process.py``), and stops it if it takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import PurePath

from adapters.files.markup import MOST_CHARACTERS
from adapters.files.process import KINDS, MOST_MEMORY, find_kill_seconds
from core.ports.files import FileText, FileUnavailable

_SECONDS = 240.0  # elapsed time; processor time is limited in the process
_MOST_ANSWER = 12 * MOST_CHARACTERS + 10_000  # bytes; one character may be written as two escapes
_OUT_OF_MEMORY = 3
_TOO_MUCH_MEMORY = FileText("", f"cannot be read: that takes more than {MOST_MEMORY // 2**20} MB of memory.")
_TOO_LONG = FileText("", "cannot be read: that takes too long.")


class ProcessFileReader:
    """See :class:`core.ports.files.FileReader`."""

    def accepts(self, name: str) -> bool:
        return _get_ending(name) in KINDS

    async def read(self, name: str, content: bytes) -> FileText:
        started = time.monotonic()
        read = await _read(name, content)
        elapsed = time.monotonic() - started  # on a busy machine more than the processor time
        return replace(read, seconds=min(elapsed, find_kill_seconds(len(content))))


def _get_ending(name: str) -> str:
    return PurePath(name.strip()).suffix.lower()


async def _read(name: str, content: bytes) -> FileText:
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-m", "adapters.files.process", KINDS[_get_ending(name)]),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=_make_environment(),
            start_new_session=True,
        )
    except OSError as error:  # too many processes or open files, or no memory for one more
        raise FileUnavailable(f"cannot be read now: no process can be started for it ({error}).") from error
    try:
        async with asyncio.timeout(_SECONDS):
            answer = await _exchange(process, content)
            status = await process.wait()
    except TimeoutError as error:  # not the file's fault, because its processor time is limited to less
        raise FileUnavailable("cannot be read now: the machine is too busy.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return _parse_answer(answer, status)


def _make_environment() -> dict[str, str]:
    """Return an environment without this process's settings, which include secrets."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", "MALLOC_ARENA_MAX": "2"}


async def _exchange(process: asyncio.subprocess.Process, content: bytes) -> bytes:
    """Send the file and return the answer. The process may end before it has read the whole file."""
    assert process.stdin is not None
    assert process.stdout is not None
    sending = asyncio.create_task(_send(process.stdin, content))
    try:
        answer = bytearray()
        while some := await process.stdout.read(1 << 16):
            answer += some
            if len(answer) > _MOST_ANSWER:
                process.kill()
        await sending
        return bytes(answer)
    finally:
        sending.cancel()


async def _send(pipe: asyncio.StreamWriter, content: bytes) -> None:
    try:
        pipe.write(content)
        await pipe.drain()
        pipe.close()
        await pipe.wait_closed()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the process has ended, and its exit status says why


def _parse_answer(answer: bytes, status: int) -> FileText:
    if status == _OUT_OF_MEMORY:
        return _TOO_MUCH_MEMORY
    if status in {-signal.SIGXCPU, -signal.SIGKILL}:
        return _TOO_LONG
    try:
        found = json.loads(answer)
        return FileText(str(found["content"]), str(found["problem"]))
    except (ValueError, KeyError, TypeError):
        return FileText("", f"cannot be read: the process that read it ended with {status}.")
