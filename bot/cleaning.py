"""What erased text leaves in large files, taken out where no server does so.

Small files are rewritten by what erases (see :mod:`adapters.index.lexical_erasure` and
:meth:`adapters.store.database.Database.scrub`). While a server runs, :mod:`bot.server.upkeep` cleans large
ones.
"""

from __future__ import annotations

import time

from bot.wiring import Application

SECONDS = 120.0
"""How long one command merges a large full-text index. The next one goes on where it stopped."""

STEPS = 20
"""Of merging between two looks at the time; also what Ctrl-C waits for."""


async def has_erased_text(application: Application) -> bool:
    """Whether erased text may still be in a file."""
    return application.database.needs_compaction() or await application.lexical.needs_compaction()


async def clean_files(application: Application) -> bool:
    """Merges the full-text index for about :data:`SECONDS`, then rewrites the files; whether no erased text is left.

    A file is rewritten in one go: some seconds for each GB. An index that is not merged yet is not rewritten.
    """
    ends = time.monotonic() + SECONDS
    while not (merged := await application.lexical.tidy(STEPS)) and time.monotonic() < ends:
        pass
    if merged:
        await application.lexical.compact()
    await application.database.compact()
    return not await has_erased_text(application)
