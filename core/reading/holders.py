"""Headers of columns of whoever has a thing for a time, so that without anybody it is free: "Borrowed by"."""

from __future__ import annotations

import re

_HOLDER = re.compile(
    r"(?i)(?:currently |now |aktuell |derzeit |zurzeit )?"
    r"(?:(?:allocated|assigned|checked out|given|handed out|issued|leased|lent|let|loaned|lent out|rented) to"
    r"|(?:booked|checked out|leased|occupied|rented|reserved) by|borrowed by|(?:booked|reserved) for"
    r"|(?:ausgegeben|ausgeliehen|verliehen|vergeben|vermietet|zugeteilt|zugewiesen) an"
    r"|(?:ausgeliehen|belegt|besetzt|entliehen|gebucht|gemietet|reserviert) (?:von|durch)|(?:gebucht|reserviert) für)"
)


def is_of_holders(column: str) -> bool:
    """Whether a header names those who have the thing: "Lent to", but not "Requested by" or "Issued by"."""
    return bool(_HOLDER.fullmatch(column.strip()))
