"""The app's manifest: https://learn.microsoft.com/microsoft-365/extensibility/schema (1.30), and its other language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adapters.teams.app.texts import NAME, AppTexts, app_texts

SCHEMA = "1.30"
VERSION = "1.0.1"
"""Of the app, as Teams compares it: a change of what is made here counts it up."""
ACCENT = "#12687F"
SCOPES = ("personal", "team", "groupChat")
READ_CHANNELS = "ChannelMessage.Read.Group"
"""What a team's owners agree to where the app is to be sent messages that do not mention it."""
MOST_STARTERS = 8
"""Teams takes twelve commands of one scope, four of which are ours."""

_SCHEMAS = f"https://developer.microsoft.com/json-schemas/teams/v{SCHEMA}/MicrosoftTeams"
GERMAN = "de.json"


@dataclass(frozen=True, slots=True)
class About:
    """What differs from one organisation to the other.

    ``app_id``: the bot's in Entra, also taken as the app's. ``host``: of the server. ``developer``: who gives the app
    to people, with three pages of theirs. ``starters``: questions to begin with in place of ours.
    """

    app_id: str
    host: str
    website: str
    privacy: str
    terms: str
    developer: str = NAME
    starters: tuple[str, ...] = ()
    read_channels: bool = False
    version: str = VERSION


def manifest(about: About) -> dict[str, Any]:
    """manifest.json, in English."""
    texts = app_texts("en")
    asked = {
        "webApplicationInfo": {"id": about.app_id, "resource": f"https://{about.host}"},  # any address will do
        "authorization": {"permissions": {"resourceSpecific": [{"name": READ_CHANNELS, "type": "Application"}]}},
    }
    return {
        "$schema": f"{_SCHEMAS}.schema.json",
        "manifestVersion": SCHEMA,
        "version": about.version,
        "id": about.app_id,
        "localizationInfo": {
            "defaultLanguageTag": "en",
            "additionalLanguages": [{"languageTag": "de", "file": GERMAN}],
        },
        "developer": {
            "name": about.developer,
            "websiteUrl": about.website,
            "privacyUrl": about.privacy,
            "termsOfUseUrl": about.terms,
        },
        "name": {"short": NAME, "full": texts.full_name},
        "description": {"short": texts.short, "full": _description(texts, about)},
        "icons": {"color": "color.png", "outline": "outline.png"},
        "accentColor": ACCENT,
        "defaultInstallScope": "personal",
        "defaultGroupCapability": {"team": "bot", "groupchat": "bot"},
        "bots": [_bot(about, texts)],
        "permissions": ["identity", "messageTeamMembers"],
        "validDomains": [about.host],
        **(asked if about.read_channels else {}),
    }


def german(about: About) -> dict[str, Any]:
    """What takes the place of the manifest's texts for people whose Teams is German."""
    texts = app_texts("de")
    shown: dict[str, Any] = {
        "$schema": f"{_SCHEMAS}.Localization.schema.json",
        "name.short": NAME,
        "name.full": texts.full_name,
        "description.short": texts.short,
        "description.full": _description(texts, about),
    }
    for scope in range(len(SCOPES)):
        for number, command in enumerate(_commands(about, texts)):
            at = f"bots[0].commandLists[{scope}].commands[{number}]"
            shown |= {f"{at}.{name}": command[name] for name in ("title", "description", "prompt") if name in command}
    return shown


def _bot(about: About, texts: AppTexts) -> dict[str, Any]:
    return {
        "botId": about.app_id,
        "scopes": list(SCOPES),
        "isNotificationOnly": False,
        "supportsFiles": False,
        "commandLists": [{"scopes": [scope], "commands": _commands(about, texts)} for scope in SCOPES],
    }


def _commands(about: About, texts: AppTexts) -> list[dict[str, str]]:
    """Questions first, which Teams offers to who has never asked."""
    asked = [
        {"title": question, "description": texts.starter, "type": "prompt", "prompt": question}
        for question in about.starters or texts.starters
    ]
    typed = [{"title": name, "description": does, "type": "basic"} for name, does in texts.commands.items()]
    return asked + typed


def _description(texts: AppTexts, about: About) -> str:
    return f"{texts.full}\n\n{texts.reading_channels}" if about.read_channels else texts.full
