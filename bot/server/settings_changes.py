"""Settings that changed since the last start: the audit log gets their names, never their values."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets

from bot.audit import SERVER, act_as, record_action
from bot.settings import Settings, may_hold_secret
from bot.wiring import Application

_SALT_BYTES = 16
_PLACE = frozenset({"data_dir", "host", "port"})
"""Where a server runs: they differ with the way it is started."""


async def record_changed_settings(application: Application) -> tuple[str, ...]:
    """Writes an entry where settings have changed since the last start; returns their names.

    At the first start those count that are not at their default.
    """
    values = _values(application.settings)
    before = await application.settings_seen.fingerprints()
    if before:
        changed = [name for name, value in values.items() if not _matches(name, value, before.get(name, ""))]
        changed += before.keys() - values.keys()
    else:
        fields, now = Settings.model_fields, application.settings
        changed = [name for name in values if getattr(now, name) != fields[name].default]
    if changed or not before:
        with act_as(SERVER):
            async with record_action(application.audit, "change_settings", ", ".join(sorted(changed))):
                kept = {
                    name: before[name] if before and name not in changed else _fingerprint(name, value)
                    for name, value in values.items()
                }
                await application.settings_seen.keep(kept)
    return tuple(sorted(changed))


def _values(settings: Settings) -> dict[str, str]:
    """Each setting as text, secrets among them."""
    plain = {name: getattr(settings, name) for name in type(settings).model_fields if name not in _PLACE}
    return {name: _text(value) for name, value in plain.items()}


def _text(value: object) -> str:
    reveal = getattr(value, "get_secret_value", None)
    return json.dumps(reveal() if reveal else value, default=str, sort_keys=True)


def _fingerprint(name: str, value: str, salt: bytes | None = None) -> str:
    """A salted hash by which a value can only be compared; for a secret one that is slow to compute."""
    salt = salt or secrets.token_bytes(_SALT_BYTES)
    data = value.encode("utf-8", "surrogatepass")
    if may_hold_secret(name):
        digest = hashlib.scrypt(data, salt=salt, n=2**14, r=8, p=1, dklen=32)
    else:
        digest = hashlib.sha256(salt + data).digest()
    return f"{salt.hex()}:{digest.hex()}"


def _matches(name: str, value: str, fingerprint: str) -> bool:
    salt, _, _ = fingerprint.partition(":")
    if not salt:
        return False
    return hmac.compare_digest(_fingerprint(name, value, bytes.fromhex(salt)), fingerprint)
