"""Cleaning the files after a command that erased something has shown its result."""

from __future__ import annotations

import sys

from bot.cli.options import errors, run, say
from bot.operations.operation import LocalOperations, Operations
from bot.operations.spaces import CleanFiles
from core.errors import WikiWhyError

_LATER = "The next sync goes on, or run: wikiwhy db compact"


def clean_files(operations: Operations) -> None:
    """Takes erased text out of large files, and reports on standard error what remains. A server does it by itself."""
    if not isinstance(operations, LocalOperations):
        return
    sys.stdout.flush()  # the result of the command is shown first
    status = errors.status("taking removed text out of the files")
    interrupted = f"interrupted; removed text is left in files. {_LATER}"
    try:
        is_clean = run(operations.execute(CleanFiles(), lambda event: status.start()), interrupted)
    except WikiWhyError as error:  # say a full disk: what the command was called for is done
        is_clean = False
        say("note:", "yellow", f"removed text could not be taken out of the files: {error}")
    finally:
        status.stop()
    if not is_clean:
        say("note:", "yellow", f"words of removed pages are still in unused parts of the files. {_LATER}")
