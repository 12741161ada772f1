"""What a command does after it has shown that it erased something: it cleans the files."""

from __future__ import annotations

import sys

from bot.cli.options import errors, run, say
from bot.operations.operations import Operations
from core.errors import WikiWhyError

_LATER = "The next sync goes on, or run: wikiwhy db compact"


def clean_shown(work: Operations) -> None:
    """Takes what erased text left in large files out of them, and says on standard error what remains."""
    sys.stdout.flush()  # what was done is told before
    status = errors.status("taking removed text out of the files")
    try:
        is_clean = run(work.clean_files(status.start), f"interrupted; removed text is left in files. {_LATER}")
    except WikiWhyError as error:  # say a full disk: what the command was called for is done
        is_clean = False
        say("note:", "yellow", f"removed text could not be taken out of the files: {error}")
    finally:
        status.stop()
    if not is_clean:
        say("note:", "yellow", f"words of removed pages are still in unused parts of the files. {_LATER}")
