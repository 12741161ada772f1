"""The program ``wikiwhy``, same as ``python -m bot``."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line. Ctrl-C gives no traceback, also while modules are still being imported."""
    os.umask(0o077)  # files hold pages and questions, which other users of this machine must not read
    try:
        from bot.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
