"""The file of channels, and the default spaces: where people may ask what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.channels import Channels, read_channels
from bot.finding import Finding
from bot.settings import Settings
from core.ports.chat import Platform

_OURS: Mapping[Platform, str] = {
    "slack": "A channel of this workspace is written slack:{team}:C…; /wiki spaces shows it in the channel.",
    "teams": "A channel of this organisation is written teams:{team}:19:…; spaces shows it in the channel.",
}


def channels(part: str, settings: Settings, platform: Platform, teams: Sequence[str]) -> Finding:
    """Checks the file of channels. ``teams``: our workspaces, or organisations, as far as they are known."""
    file = read_channels(settings.channels)
    own = sum(channel.spaces is not None for channel in file.channels.values())
    if not own and not settings.default_spaces:
        advice = "Set WIKIWHY_DEFAULT_SPACES, or name channels with their spaces in the file of WIKIWHY_CHANNELS."
        return Finding(part, "note", "no space is enabled in any channel", advice)
    found = f"default spaces: {settings.default_spaces or 'none'}"
    if settings.channels:
        found += f"; {settings.channels} names {own} channels with spaces, and {len(file.contacts)} contacts"
    if foreign := _foreign(file, platform, teams):
        place = "workspaces" if platform == "slack" else "organisations"
        advice = _OURS[platform].format(team=teams[0])
        return Finding(part, "note", f"{found}; of other {place}: {', '.join(foreign)}", advice)
    return Finding(part, "works", found)


def _foreign(file: Channels, platform: Platform, teams: Sequence[str]) -> list[str]:
    ours = tuple(f"{platform}:{team}:" for team in teams)
    there = sorted(key for key in file.channels if key.startswith(f"{platform}:"))
    return [key for key in there if ours and not key.startswith(ours)][:5]
