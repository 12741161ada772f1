"""What the app says of itself in Teams' store, and what its command menu offers, in both languages.

Limits: name 30 and 100 characters, description 80 and 4,000, a command's title 128, its description 4,000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


TEXTS: Mapping[Language, AppTexts] = {
    "en": AppTexts(
        full_name="WikiWhy: answers from the wiki",
        short="Answers questions from the team's wiki, cites the place, and explains itself.",
        full=(
            "Ask WikiWhy what your team's wiki says: in a chat with it, or by mentioning it in a channel or a group "
            "chat. It answers in English or German, with links to the pages and headings that the answer rests on, "
            "and says so when the wiki does not answer. Ask on: it knows what was said.\n\n"
            "Explain shows which sources an answer really rests on, by taking each away and asking again. Sources "
            "shows all that was found.\n\n"
            "In channels and group chats it answers from pages that everybody may read; in a chat with it alone also "
            "from those that your own Confluence account may read. It runs on your organisation's own server."
        ),
        reading_channels=(
            "In the teams it is added to it is sent all messages of channels, so that questions in threads it takes "
            "part in need no mention. What is said elsewhere it neither keeps nor uses."
        ),
        commands={
            "help": "How to ask, and what is searched here",
            "spaces": "For admins: which spaces there are, and when each was synced",
            "sync": "For admins: read a space anew, as in: sync ENG",
            "forget": "For admins: remove a space and all that was kept of it, as in: forget ENG",
        },
        starter="Ask the wiki",
        starters=(
            "Who approves business trips?",
            "How do I ask for a day off?",
            "What do I need in my first week?",
        ),
    ),
    "de": AppTexts(
        full_name="WikiWhy: Antworten aus dem Wiki",
        short="Beantwortet Fragen aus dem Wiki des Teams, belegt und erklärt die Antworten.",
        full=(
            "Fragen Sie WikiWhy, was im Wiki Ihres Teams steht: im Chat mit ihm, oder indem Sie es in einem Kanal "
            "oder Gruppenchat erwähnen. Es antwortet auf Deutsch oder Englisch, mit Links zu den Seiten und "
            "Überschriften, auf denen die Antwort beruht, und sagt es, wenn das Wiki keine Antwort hat. Fragen Sie "
            "weiter: Es weiß, was gesagt wurde.\n\n"
            "Erklären zeigt, auf welchen Quellen eine Antwort wirklich beruht, indem jede weggelassen und neu "
            "gefragt wird. Quellen zeigt alles Gefundene.\n\n"
            "In Kanälen und Gruppenchats antwortet es aus Seiten, die alle lesen dürfen, im Chat mit ihm allein auch "
            "aus denen, die Ihr eigenes Confluence-Konto lesen darf. Es läuft auf einem Server Ihrer Organisation."
        ),
        reading_channels=(
            "In Teams, denen es hinzugefügt ist, erhält es alle Nachrichten der Kanäle, damit Fragen in Threads, an "
            "denen es teilnimmt, keine Erwähnung brauchen. Was sonst gesagt wird, behält und verwendet es nicht."
        ),
        commands={
            "help": "Wie man fragt, und was hier durchsucht wird",
            "spaces": "Für Admins: welche Bereiche es gibt, und wann sie eingelesen wurden",
            "sync": "Für Admins: einen Bereich neu einlesen, etwa: sync ENG",
            "forget": "Für Admins: einen Bereich entfernen, mit allem, was davon aufbewahrt ist, etwa: forget ENG",
        },
        starter="Das Wiki fragen",
        starters=(
            "Wer genehmigt Dienstreisen?",
            "Wie beantrage ich einen freien Tag?",
            "Was brauche ich in meiner ersten Woche?",
        ),
    ),
}
