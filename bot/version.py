"""The installed version."""

from __future__ import annotations

import importlib.metadata


def version() -> str:
    """The installed version, for people."""
    try:
        return importlib.metadata.version("wikiwhy")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed: run from its source folder)"
