"""The admin's file of chat users and their accounts, as it is now."""

from __future__ import annotations

import logging
from pathlib import Path

from core.errors import AccountsUnreadable
from core.identity.accounts import ChatAccounts, chat_accounts

logger = logging.getLogger(__name__)

_Stamp = tuple[int, int, int, int]


class AccountsFile:
    """Reads the file again when it has changed. ``path`` "": there is none, and nobody is named."""

    def __init__(self, path: str) -> None:
        self._path = Path(path).expanduser() if path else None
        self._read: tuple[_Stamp, ChatAccounts] | None = None

    def read(self) -> ChatAccounts:
        """What the file says. Raises AccountsUnreadable, also where it was there before: then nobody is known."""
        if self._path is None:
            return ChatAccounts()
        try:
            stamp = _stamp(self._path)
            if self._read is None or self._read[0] != stamp:
                accounts = chat_accounts(self._path.read_text("utf-8-sig"))
                for error in accounts.errors:
                    logger.warning("%s, %s", self._path, error)
                self._read = stamp, accounts
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


def _stamp(path: Path) -> _Stamp:
    status = path.stat()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
