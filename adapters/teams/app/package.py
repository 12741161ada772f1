"""The package that an admin uploads to Teams: manifest, German texts and icons in one zip, checked as it is made."""

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

from adapters.teams.app.manifest import GERMAN, About, german, manifest
from core.errors import SettingsInvalid

_ICONS: Mapping[str, tuple[int, int]] = {"color.png": (192, 192), "outline.png": (32, 32)}
_SCHEMAS = {"manifest.json": "MicrosoftTeams.schema.json", GERMAN: "MicrosoftTeams.Localization.schema.json"}
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the first that a zip can name: the same package has the same bytes


class PackageIncomplete(SettingsInvalid):
    """A file that belongs to the program is not there, or not what it should be."""


def package(about: About) -> bytes:
    """The zip. Raises SettingsInvalid naming what Teams would not take, and PackageIncomplete."""
    texts = {"manifest.json": manifest(about), GERMAN: german(about)}
    for name, made in texts.items():
        if problem := find_schema_error(made, _SCHEMAS[name]):
            raise SettingsInvalid(f"Teams would not take this package: {problem}. Nothing was written.")
    files = {name: json.dumps(made, ensure_ascii=False, indent=2).encode() + b"\n" for name, made in texts.items()}
    return _zipped(files | {name: icon(name) for name in _ICONS})


def icon(name: str) -> bytes:
    """One of the icons. Raises PackageIncomplete."""
    data = _shipped(name)
    size = struct.unpack(">II", data[16:24]) if data.startswith(_PNG) and len(data) >= 24 else None
    if size != _ICONS[name]:
        raise PackageIncomplete(f"The icon {name} is damaged. Install WikiWhy again.")
    return data


def find_schema_error(made: Mapping[str, Any], schema: str) -> str:
    """What Teams' own schema says against a manifest or its texts, "" for nothing. Raises PackageIncomplete."""
    try:
        rules = json.loads(_shipped(f"schemas/{schema}"))
    except ValueError as error:
        raise PackageIncomplete(f"The schema {schema} is damaged. Install WikiWhy again.") from error
    errors = sorted(Draft4Validator(rules).iter_errors(made), key=lambda error: list(map(str, error.absolute_path)))
    return _problem(errors[0]) if errors else ""


def complete() -> None:
    """Raises PackageIncomplete if a file for packages is missing or damaged."""
    for name in _ICONS:
        icon(name)
    for schema in _SCHEMAS.values():
        find_schema_error({}, schema)


def _problem(error: ValidationError) -> str:
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path).lstrip(".")
    return f"{where or 'the manifest'}: {error.message}"


def _shipped(name: str) -> bytes:
    try:
        return resources.files("adapters.teams.app").joinpath(name).read_bytes()
    except OSError as error:
        raise PackageIncomplete(f"{name} of the app for Teams cannot be read. Install WikiWhy again.") from error


def _zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # whatever system it is made on
            archive.writestr(entry, data, zipfile.ZIP_STORED)
    return made.getvalue()
