"""The app's manifest (https://learn.microsoft.com/microsoft-365/extensibility/schema, 1.30) and its German texts.

Limits in characters: name 30 and 100, description 80 and 4,000, a command's title 128 and its description 4,000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.i18n import Message, message
from core.languages import Language

NAME = "WikiWhy"
SCHEMA = "1.30"
VERSION = "1.0.3"
"""The app's version, by which Teams recognises updates: raise it with every change of the package."""
ACCENT = "#12687F"
SCOPES = ("personal", "team", "groupChat")
READ_CHANNELS = "ChannelMessage.Read.Group"
"""The permission that a team's owners grant so that the app receives messages that do not mention it."""
MOST_STARTERS = 8
"""Teams' limit is twelve commands per scope."""

_SCHEMAS = f"https://developer.microsoft.com/json-schemas/teams/v{SCHEMA}/MicrosoftTeams"
GERMAN = "de.json"


@dataclass(frozen=True, slots=True)
class About:
    """The values that differ between organisations.

    ``app_id``: the bot's id in Entra, also used as the app's id. ``host``: the server's. ``developer``: the publisher;
    ``website``, ``privacy`` and ``terms`` are their pages. ``starters``: prompt starters instead of the default ones.
    ``wiki_host``: the host whose links get previews, "" for none.
    """

    app_id: str
    host: str
    website: str
    privacy: str
    terms: str
    developer: str = NAME
    starters: tuple[str, ...] = ()
    read_channels: bool = False
    wiki_host: str = ""
    version: str = VERSION


def make_manifest(about: About) -> dict[str, Any]:
    """Return manifest.json, in English."""
    texts = make_texts("en")
    asked = {
        "webApplicationInfo": {"id": about.app_id, "resource": f"https://{about.host}"},  # not used by Teams
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
        "description": {"short": texts.short, "full": _make_description(texts, about)},
        "icons": {"color": "color.png", "outline": "outline.png"},
        "accentColor": ACCENT,
        "defaultInstallScope": "personal",
        "defaultGroupCapability": {"team": "bot", "groupchat": "bot"},
        "bots": [_describe_bot(about, texts)],
        "permissions": ["identity", "messageTeamMembers"],
        "validDomains": [about.host, *([about.wiki_host] if about.wiki_host else [])],
        **({"composeExtensions": [_handle_links(about)]} if about.wiki_host else {}),
        **(asked if about.read_channels else {}),
    }


def make_german_texts(about: About) -> dict[str, Any]:
    """Return de.json, which replaces the manifest's texts for people whose Teams is German."""
    texts = make_texts("de")
    shown: dict[str, Any] = {
        "$schema": f"{_SCHEMAS}.Localization.schema.json",
        "name.short": NAME,
        "name.full": texts.full_name,
        "description.short": texts.short,
        "description.full": _make_description(texts, about),
    }
    for scope in range(len(SCOPES)):
        for number, command in enumerate(_list_commands(about, texts)):
            at = f"bots[0].commandLists[{scope}].commands[{number}]"
            shown |= {f"{at}.{name}": command[name] for name in ("title", "description", "prompt") if name in command}
    return shown


def _describe_bot(about: About, texts: AppTexts) -> dict[str, Any]:
    return {
        "botId": about.app_id,
        "scopes": list(SCOPES),
        "isNotificationOnly": False,
        "supportsFiles": False,
        "commandLists": [{"scopes": [scope], "commands": _list_commands(about, texts)} for scope in SCOPES],
    }


def _handle_links(about: About) -> dict[str, Any]:
    """Request link previews
    (https://learn.microsoft.com/microsoftteams/platform/messaging-extensions/how-to/link-unfurling).
    """
    links = {"type": "link", "value": {"domains": [about.wiki_host]}}
    return {"botId": about.app_id, "canUpdateConfiguration": False, "commands": [], "messageHandlers": [links]}


def _list_commands(about: About, texts: AppTexts) -> list[dict[str, str]]:
    """Return the prompt starters, which Teams offers to new users, then the commands."""
    asked = [
        {"title": question, "description": texts.starter, "type": "prompt", "prompt": question}
        for question in about.starters or texts.starters
    ]
    typed = [{"title": name, "description": does, "type": "basic"} for name, does in texts.commands.items()]
    return asked + typed


def _make_description(texts: AppTexts, about: About) -> str:
    return f"{texts.full}\n\n{texts.reading_channels}" if about.read_channels else texts.full


@dataclass(frozen=True, slots=True)
class AppTexts:
    """``commands``: descriptions by command. ``starter``: the description of the ``starters``."""

    full_name: str
    short: str
    full: str
    reading_channels: str
    commands: Mapping[str, str]
    starter: str
    starters: tuple[str, ...]


def make_texts(language: Language) -> AppTexts:
    """Return the texts in a language."""

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
            # Everybody sees these; "help" shows admins further ones.
            "help": text(message("How to ask, and what is searched here")),
        },
        starter=text(message("Ask the wiki")),
        starters=(
            text(message("Who approves business trips?")),
            text(message("How do I ask for a day off?")),
            text(message("What do I need in my first week?")),
        ),
    )
