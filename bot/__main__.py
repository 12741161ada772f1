"""The program ``wikiwhy``, same as ``python -m bot``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs


def main() -> None:
    """Run the command line. Ctrl-C gives no traceback, also while modules are still being imported."""
    os.umask(0o077)  # files hold pages and questions, which other users of this machine must not read
    sys.unraisablehook = _end_if_interrupted
    try:
        from bot.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)


def _end_if_interrupted(unraisable: UnraisableHookArgs) -> None:
    """End the process if Python dropped Ctrl-C, which arrived in a callback, such as one of the import system."""
    if unraisable.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(unraisable)
        return
    os.write(2, b"Interrupted.\n")
    os._exit(130)


if __name__ == "__main__":
    main()
