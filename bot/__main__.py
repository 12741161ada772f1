"""``python -m bot`` is ``wikiwhy``."""

from bot.cli.app import main

if __name__ == "__main__":
    main()
