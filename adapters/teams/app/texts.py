"""What the app says of itself in Teams' store, and what its command menu offers, in both languages.

Limits: name 30 and 100 characters, description 80 and 4,000, a command's title 128, its description 4,000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.i18n import Message, message
from core.text import Language

NAME = "WikiWhy"


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
            "help": text(message("How to ask, and what is searched here")),
            "spaces": text(message("For admins: list the spaces, and when each was last synced")),
            "sync": text(message("For admins: read a space again, as in: sync ENG")),
            "forget": text(message("For admins: remove a space and everything stored from it, as in: forget ENG")),
        },
        starter=text(message("Ask the wiki")),
        starters=(
            text(message("Who approves business trips?")),
            text(message("How do I ask for a day off?")),
            text(message("What do I need in my first week?")),
        ),
    )
