"""The app's manifest: https://learn.microsoft.com/microsoft-365/extensibility/schema (1.30), and its other language.

Limits of texts: name 30 and 100 characters, description 80 and 4,000, a command's title 128, its description 4,000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.i18n import Message, message
from core.languages import Language

NAME = "WikiWhy"
SCHEMA = "1.30"
VERSION = "1.0.2"
"""Of the app, as Teams compares it: a change of what is made here counts it up."""
ACCENT = "#12687F"
SCOPES = ("personal", "team", "groupChat")
READ_CHANNELS = "ChannelMessage.Read.Group"
"""What a team's owners agree to where the app is to be sent messages that do not mention it."""
MOST_STARTERS = 8
"""Teams takes twelve commands of one scope."""

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


@dataclass(frozen=True, slots=True)
class AppTexts:
    """``commands``: what each does, by what is typed. ``starters``: questions to begin with."""

    full_name: str
    short: str
    full: str
    reading_channels: str
    commands: Mapping[str, str]
    starter: str
    starters: tuple[str, ...]


def app_texts(language: Language) -> AppTexts:
    """The texts in a language."""

    def text(text: Message) -> str:
        return text.render(language)

    return AppTexts(
        full_name=text(message("WikiWhy: answers from the wiki")),
        short=text(message("Answers questions from the team's wiki, cites the place, and explains itself.")),
        full="\n\n".join(
            map(
                text,
                (
                    message(
                        "Ask WikiWhy what your team's wiki says: in a chat with it, or by mentioning it in a channel "
                        "or a group chat. It answers in English or German, with links to the pages and headings that "
                        "the answer rests on, and says so when the wiki does not answer. Reply to its answer to follow "
                        "up."
                    ),
                    message(
                        "Explain shows which sources an answer really rests on, by leaving each out and asking again. "
                        "Sources shows everything that was found."
                    ),
                    message(
                        "In channels and group chats it answers from pages that everyone may read; in a chat with it "
                        "alone also from those that your own Confluence account may read. It runs on your "
                        "organisation's own server."
                    ),
                ),
            )
        ),
        reading_channels=text(
            message(
                "In the teams it is added to it receives all messages of channels, so that questions in threads it "
                "takes part in need no mention. It neither stores nor uses what is said elsewhere."
            )
        ),
        commands={
            # Everybody sees these; "help" shows admins their own.
            "help": text(message("How to ask, and what is searched here")),
        },
        starter=text(message("Ask the wiki")),
        starters=(
            text(message("Who approves business trips?")),
            text(message("How do I ask for a day off?")),
            text(message("What do I need in my first week?")),
        ),
    )
