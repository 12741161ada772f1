"""Who may see what in a chat, over the stores and the Confluence that the settings name."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from bot.accounts import AccountsFile
from bot.settings import Settings
from bot.wikis import confluence_for
from core.identity.identities import Identities, IdentitySettings
from core.ports import Directory, SpaceStore


@contextmanager
def identities(settings: Settings, spaces: SpaceStore) -> Iterator[Identities]:
    """For as long as it is used. Raises SettingsInvalid and AccountsUnreadable where a setting is not usable."""
    accounts = AccountsFile(settings.accounts)
    accounts.read()
    known = IdentitySettings(settings.default_space_keys, settings.accounts_minutes * 60)

    def join_identities(directory: Directory | None) -> Identities:
        return Identities(directory, accounts.read, spaces, _without_accounts, time.monotonic, known)

    if not settings.confluence_url:
        yield join_identities(None)
        return
    wiki = confluence_for(settings, patience="answer")
    try:
        yield join_identities(wiki)
    finally:
        wiki.close()


def _without_accounts(source: str) -> bool:
    return source.startswith("folder ")
