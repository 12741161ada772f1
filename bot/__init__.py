"""The running application."""

from __future__ import annotations


def find_version() -> str:
    """Return the installed version, as text for people."""
    import importlib.metadata

    try:
        return importlib.metadata.version("wikiwhy")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed: run from its source folder)"
