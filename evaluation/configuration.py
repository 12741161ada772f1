"""The settings of one measurement, and the directory of its index."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.settings import Settings, load_settings
from bot.storage.data_directory import DataDirectory
from core.errors import SettingsInvalid, WikiUnavailable

# Keys, and addresses that may contain a password.
_SECRET = ("llm_api_key", "llm_base_url", "embedding_api_key", "embedding_base_url", "database_url", "chroma_url")


def change_settings(settings: Settings, changes: Sequence[str]) -> Settings:
    """Return the settings with ``KEY=VALUE`` changes. Raises SettingsInvalid for an unknown key or a wrong value."""
    values: dict[str, Any] = {"data_dir": settings.data_dir}
    for change in changes:
        key, separator, value = change.partition("=")
        name = _name(key)
        if not separator or name not in Settings.model_fields:
            known = ", ".join(sorted(Settings.model_fields))
            raise SettingsInvalid(f"--set {change} is invalid. Give KEY=VALUE with one of these keys: {known}.")
        values[name] = value.strip()
    return load_settings(**values)


def hide_secret(change: str) -> str:
    """Return ``KEY=VALUE`` with secret values replaced by "…"."""
    key = change.partition("=")[0]
    return f"{key}=…" if _name(key) in _SECRET else change


def use_documents(settings: Settings, documents: Path) -> Settings:
    """Return the settings with a data directory whose index depends only on the documents and the index settings."""
    if not documents.is_dir():
        raise WikiUnavailable(f"{documents} is not a folder. Name the folder with the documents' JSON files.")
    indexed = (str(documents.resolve()), settings.sync().fingerprint, settings.embedding)
    key = hashlib.sha256("\x1f".join(indexed).encode()).hexdigest()[:16]
    return settings.model_copy(
        update={"data_dir": DataDirectory(settings.data_dir).evaluations / key, "database_url": "", "chroma_url": ""}
    )


def _name(key: str) -> str:
    return key.strip().lower().removeprefix("wikiwhy_")
