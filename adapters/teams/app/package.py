"""The package that an admin uploads to Teams: a zip with manifest, German texts and icons, validated by the schemas."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Mapping
from importlib import resources
from typing import Any

from jsonschema import Draft4Validator
from jsonschema.exceptions import ValidationError

from adapters.teams.app.manifest import GERMAN, About, make_german_texts, make_manifest
from core.errors import SettingsInvalid

_ICONS: Mapping[str, tuple[int, int]] = {"color.png": (192, 192), "outline.png": (32, 32)}
_SCHEMAS = {"manifest.json": "MicrosoftTeams.schema.json", GERMAN: "MicrosoftTeams.Localization.schema.json"}
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the earliest time of the zip format; a fixed time makes packages reproducible


class PackageIncomplete(SettingsInvalid):
    """A file of the installation is missing or damaged."""


def make_package(about: About) -> bytes:
    """Return the zip. Raises SettingsInvalid with the error of Teams' schema, and PackageIncomplete."""
    texts = {"manifest.json": make_manifest(about), GERMAN: make_german_texts(about)}
    for name, content in texts.items():
        if problem := find_schema_error(content, _SCHEMAS[name]):
            raise SettingsInvalid(f"Teams would not take this package: {problem}. Nothing was written.")
    files = {
        name: json.dumps(content, ensure_ascii=False, indent=2).encode() + b"\n" for name, content in texts.items()
    }
    return _zip(files | {name: read_icon(name) for name in _ICONS})


def read_icon(name: str) -> bytes:
    """Return an icon's PNG. Raises PackageIncomplete."""
    data = _read_file(name)
    size = struct.unpack(">II", data[16:24]) if data.startswith(_PNG) and len(data) >= 24 else None
    if size != _ICONS[name]:
        raise PackageIncomplete(f"The icon {name} is damaged. Install WikiWhy again.")
    return data


def find_schema_error(content: Mapping[str, Any], schema: str) -> str:
    """Validate a file by Teams' schema; return the first error, "" for none. Raises PackageIncomplete."""
    try:
        rules = json.loads(_read_file(f"schemas/{schema}"))
    except ValueError as error:
        raise PackageIncomplete(f"The schema {schema} is damaged. Install WikiWhy again.") from error
    errors = sorted(Draft4Validator(rules).iter_errors(content), key=lambda error: list(map(str, error.absolute_path)))
    return _describe(errors[0]) if errors else ""


def check_files() -> None:
    """Raise PackageIncomplete if a file for packages is missing or damaged."""
    for name in _ICONS:
        read_icon(name)
    for schema in _SCHEMAS.values():
        find_schema_error({}, schema)


def _describe(error: ValidationError) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    return f"{where or 'the manifest'}: {error.message}"


def _read_file(name: str) -> bytes:
    try:
        return resources.files("adapters.teams.app").joinpath(name).read_bytes()
    except OSError as error:
        raise PackageIncomplete(f"{name} of the app for Teams cannot be read. Install WikiWhy again.") from error


def _zip(files: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # the same on every system
            archive.writestr(entry, data, zipfile.ZIP_STORED)
    return content.getvalue()
