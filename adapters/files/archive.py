"""Limits the size of Office files, which are ZIP archives, before they are unpacked."""

from __future__ import annotations

import io
import zipfile

from adapters.files.markup import FileUnreadable

MOST_UNPACKED = 250_000_000  # bytes
_MOST_ENTRIES = 10_000
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # signature of old and of encrypted Office files


def check_archive(content: bytes) -> zipfile.ZipFile:
    """Return the archive. Raises FileUnreadable if the content is no archive, or too large when unpacked.

    zipfile does not read more of an entry than the size that the archive states.
    """
    if content.startswith(_OLD_OFFICE):
        raise FileUnreadable("cannot be read: it is encrypted, or in the format of Office before 2007. Save it again.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise FileUnreadable("cannot be read: it is broken, or of another kind than its name says.") from error
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MOST_UNPACKED or len(entries) > _MOST_ENTRIES:
        raise FileUnreadable(
            f"was not read: it would unpack to {unpacked:,} bytes in {len(entries):,} parts; the limits are "
            f"{MOST_UNPACKED:,} bytes and {_MOST_ENTRIES:,} parts."
        )
    return archive
