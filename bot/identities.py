"""Who may see what in a chat: the file of accounts, the stores, and the Confluence that the settings name."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.settings import Settings
from bot.wikis import confluence_for
from core.errors import AccountsUnreadable
from core.identities import Identities, IdentitySettings
from core.person import ChatAccounts, chat_accounts
from core.ports.store import SpaceStore
from core.ports.wiki import Directory

logger = logging.getLogger(__name__)

_FileVersion = tuple[int, int, int, int]


class AccountsFile:
    """The admin's file of chat users and their accounts, read again when it has changed. ``path`` "": there is none."""

    def __init__(self, path: str) -> None:
        self._path = Path(path).expanduser() if path else None
        self._read: tuple[_FileVersion, ChatAccounts] | None = None

    def read(self) -> ChatAccounts:
        """The file's content. Raises AccountsUnreadable, also where it could be read before."""
        if self._path is None:
            return ChatAccounts()
        try:
            status = self._path.stat()
            version = status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
            if self._read is None or self._read[0] != version:
                accounts = chat_accounts(self._path.read_text("utf-8-sig"))
                for error in accounts.errors:
                    logger.warning("%s, %s", self._path, error)
                self._read = version, accounts
        except UnicodeDecodeError as error:
            raise AccountsUnreadable(
                f"WIKIWHY_ACCOUNTS names {self._path}, which is no text in UTF-8. Save it as CSV in UTF-8."
            ) from error
        except OSError as error:
            raise AccountsUnreadable(
                f"WIKIWHY_ACCOUNTS names {self._path}, which cannot be read: {error.strerror or error}. Put the file "
                "there, or correct or unset the setting."
            ) from error
        return self._read[1]


@contextmanager
def identities(settings: Settings, spaces: SpaceStore) -> Iterator[Identities]:
    """Identities for the duration of the block. Raises SettingsInvalid and AccountsUnreadable."""
    accounts = AccountsFile(settings.accounts)
    accounts.read()
    known = IdentitySettings(settings.default_space_keys, settings.accounts_minutes * 60)

    def join_identities(directory: Directory | None) -> Identities:
        return Identities(directory, accounts.read, spaces, _has_no_accounts, time.monotonic, known)

    if not settings.confluence_url:
        yield join_identities(None)
        return
    wiki = confluence_for(settings, patience="answer")
    try:
        yield join_identities(wiki)
    finally:
        wiki.close()


def _has_no_accounts(source: str) -> bool:
    return source.startswith("folder ")
