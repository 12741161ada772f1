"""The process that reads one file: its bytes come by standard input, its text goes out as JSON.

``python -m adapters.files.process KIND``. It imports what it needs, gives up all rights, and only then reads.
"""

from __future__ import annotations

import codecs
import importlib
import json
import sys
from collections.abc import Iterator
from typing import Protocol

from adapters.files.isolation import isolate, limit
from adapters.files.markup import FileUnreadable, Full, Markup

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
"""By the ending of a file's name the module of this package that reads it."""


_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "latin-1", "cp1252", "cp437", "ascii")


class _Kind(Protocol):
    def read(self, content: bytes, markup: Markup) -> str: ...


def main() -> None:
    limit()
    kind: _Kind = importlib.import_module(f"adapters.files.{sys.argv[1]}")
    for name in _ENCODINGS:
        codecs.lookup(name)
    isolate()
    markup = Markup()
    try:
        problem = _read(kind, sys.stdin.buffer.read(), markup)
        answer = json.dumps({"content": markup.content, "problem": problem})
    except MemoryError:
        answer = ""  # whoever waits for the answer says what that means
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
    except Exception as error:  # whatever a library raises for a broken file
        if any(isinstance(cause, MemoryError) for cause in _causes(error)):
            raise MemoryError from error
        return f"cannot be read: it is broken ({type(error).__name__})."


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What an error was raised for, and that in turn. Libraries wrap what they do not expect."""
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


if __name__ == "__main__":
    main()
