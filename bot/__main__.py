"""``wikiwhy``, same as ``python -m bot``."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line. Ctrl-C while it is still being loaded leaves without a traceback too."""
    os.umask(0o077)  # what is written is pages and what people asked: for nobody else on this machine
    try:
        from bot.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
