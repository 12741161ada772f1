"""docs/settings.md, from the fields of ``Settings``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from bot.settings import Settings

SECTIONS = {
    "data_dir": "Data",
    "confluence_url": "Confluence",
    "host": "Server",
    "channels": "Slack and Microsoft Teams",
    "llm_base_url": "Answers and explanations",
    "embedder": "Models for retrieval",
    "context": "Evidences",
    "retrieval": "Ranking",
}
"""Title of each section, by the setting that it begins with."""

_NOTES = {
    "host": (
        "`WIKIWHY_LOG_LEVEL` (environment only) is `DEBUG`, `INFO`, `WARNING` (the default) or `ERROR`;",
        "`wikiwhy serve` starts at `INFO`.",
        "",
    ),
    "context": ("A change takes effect at the next sync.", ""),
    "retrieval": ("The defaults are those that measured best: [retrieval.md](retrieval.md).", ""),
}
_INTRODUCTION = """\
# Settings

A setting comes from the environment as `WIKIWHY_…`, else from `.env` (same names), else from `wikiwhy.toml` (lower
case, without the prefix: `data_dir = "/srv/wikiwhy"`). Both files are read from the working directory. `make docs`
writes this page from `bot/settings.py`."""


def settings_page() -> str:
    """The page's Markdown."""
    return "\n".join([_INTRODUCTION, *_lines()])


def _lines() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        if name in SECTIONS:
            yield from ("", f"## {SECTIONS[name]}", "", *_NOTES.get(name, ()))
            yield from ("| setting | default | values | meaning |", "|---|---|---|---|")
        meaning = " ".join((field.description or "").split()).replace("|", "\\|")
        yield f"| `WIKIWHY_{name.upper()}` | {_default(field)} | {_values(field)} | {meaning} |"
    yield ""


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, SecretStr) or value == "":
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _values(field: FieldInfo) -> str:
    """The choices or the range."""
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(field.annotation) if choice)
    if field.annotation is bool:
        return "`true`, `false`"
    limits = {
        name: getattr(limit, name) for limit in field.metadata for name in ("ge", "gt", "le") if hasattr(limit, name)
    }
    words = {"ge": "from", "gt": "above", "le": "to"}
    return " ".join(f"{words[name]} {value}" for name, value in limits.items())
