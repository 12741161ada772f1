"""The process that reads one file from standard input, and writes its text as JSON to standard output.

``python -m adapters.files.process KIND`` limits its memory and time, imports what it needs, gives up access to the
system, and only then reads: it can open neither files nor sockets any more. So whatever a file makes a library do, the
process can only write text.
"""

from __future__ import annotations

import codecs
import importlib
import json
import math
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

from adapters.files.markup import MOST_SECONDS, FileUnreadable, Full, Markup, limit_seconds
from adapters.machine import end_first_without_memory

KINDS = {
    ".pdf": "pdf",
    ".xlsx": "spreadsheet",
    ".xlsm": "spreadsheet",
    ".docx": "document",
    ".docm": "document",
    ".pptx": "presentation",
    ".pptm": "presentation",
    ".csv": "separated",
    ".tsv": "separated",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "plain",
    ".html": "web",
    ".htm": "web",
}
"""File name extension to the module of this package that reads such files."""

MOST_MEMORY = 512 * 1024 * 1024  # bytes of address space
_NICE = 5  # questions that are answered at the same time go first
_KILL_RATIO = 1.5  # to the time after which reading ends in an orderly way
_NOBODY = 65534
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "latin-1", "cp1252", "cp437", "ascii")


class _Kind(Protocol):
    def read(self, content: bytes, markup: Markup) -> str: ...


def find_kill_seconds(size: int) -> int:
    """Return the seconds of processor time after which the process is ended."""
    return math.ceil(_KILL_RATIO * limit_seconds(size))


def main() -> None:
    os.nice(_NICE)
    end_first_without_memory()
    limit()
    kind: _Kind = importlib.import_module(f"adapters.files.{sys.argv[1]}")
    for name in _ENCODINGS:
        codecs.lookup(name)
    isolate()
    try:
        content = sys.stdin.buffer.read()
        _set(resource.RLIMIT_CPU, find_kill_seconds(len(content)))
        markup = Markup(limit_seconds(len(content)))
        problem = _read(kind, content, markup)
        answer = json.dumps({"content": markup.content, "problem": problem})
    except MemoryError:
        answer = ""  # the exit status says what happened
    if not answer:
        sys.exit(3)
    sys.stdout.write(answer)
    sys.stdout.flush()


def _read(kind: _Kind, content: bytes, markup: Markup) -> str:
    try:
        problem = kind.read(content, markup)
        return problem or ("" if markup.has_text() else "has no text.")
    except MemoryError:
        raise
    except FileUnreadable as error:
        return str(error)
    except Full:
        return f"was read in part: {markup.incomplete}."
    except RecursionError:
        return "cannot be read: it is nested too deeply."
    except Exception as error:  # libraries raise anything for a broken file
        if any(isinstance(cause, MemoryError) for cause in _iterate_causes(error)):
            raise MemoryError from error
        return f"cannot be read: it is broken ({type(error).__name__})."


def _iterate_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes. Libraries wrap unexpected errors."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        cause = waiting.pop()
        if id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [each for each in (cause.__cause__, cause.__context__, *cause.args) if _is_error(each)]


def _is_error(value: object) -> bool:
    return isinstance(value, BaseException)


def limit() -> None:
    """Limit memory, processor time and writing. Call this before anything else."""
    _set(resource.RLIMIT_AS, MOST_MEMORY)
    _set(resource.RLIMIT_CPU, math.ceil(_KILL_RATIO * MOST_SECONDS))
    _set(resource.RLIMIT_FSIZE, 0)
    _set(resource.RLIMIT_CORE, 0)


def isolate() -> None:
    """Forbid new file descriptors and processes. All modules that are needed must be loaded before.

    The process must have no file descriptors except its pipes.
    """
    _set(resource.RLIMIT_NOFILE, 0)
    if os.geteuid() == 0:  # root could raise the limits again
        with suppress(PermissionError):  # root of a container may be unable to change its user or raise limits
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
    _set(resource.RLIMIT_NPROC, 0)


def _set(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (bound, bound))


if __name__ == "__main__":
    main()
