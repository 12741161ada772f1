"""The one thing to say about an index that cannot be read."""

from __future__ import annotations

from core.errors import IndexDamaged


def make_damage_error(index: str, place: str, cause: str) -> IndexDamaged:
    """An error that names the index, its place and the way out."""
    return IndexDamaged(
        f"The {index} index {place} cannot be used: {cause}. Check that the disk is writable and not full, then run "
        "`wikiwhy db rebuild-index`: it makes the indexes anew from the database."
    )
