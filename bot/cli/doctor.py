"""``wikiwhy doctor``: whether each part works, and what to do if it does not."""

from __future__ import annotations


def doctor() -> None:
    """Check every part."""
