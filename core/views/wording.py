"""What the bot says to people in chat, in each language: plain words, and sentences that values are filled into."""

from __future__ import annotations

from core.text import Language
from core.views.notices import HelpView, Waiting
from core.views.wording_de import GERMAN
from core.views.wording_en import ENGLISH
from core.views.words import Words

WORDS: dict[Language, Words] = {"en": ENGLISH, "de": GERMAN}


def progress_text(waiting: Waiting) -> str:
    """What is being done, and how far that has come where it is known."""
    words = WORDS[waiting.language]
    known = waiting.total > 0
    match waiting.work:
        case "answer":
            return words.reading
        case "explanation" if known:
            return words.taking_away_progress.format(done=waiting.done, total=waiting.total)
        case "explanation":
            return words.taking_away
        case "sync" if known:
            return words.syncing_progress.format(space=waiting.about, done=waiting.done, total=waiting.total)
        case "sync":
            return words.syncing.format(space=waiting.about)


def help_lines(view: HelpView) -> list[str]:
    """How to ask here, a line a hint; what is for admins is not among them."""
    words = WORDS[view.language].help
    how = words.in_direct if view.direct else words.in_channel.format(bot=view.bot)
    searched = [words.searched.format(spaces=", ".join(view.spaces))] if view.spaces else []
    searched = searched or ([] if view.direct else [words.searched_nothing])
    yours = [words.searched_yours] if view.direct else []
    follow_up = words.follow_up_by_mention if view.by_mention else words.follow_up
    return [how, follow_up, words.buttons, *searched, *yours]


def format_hidden_sources(count: int, spoken: Language) -> str:
    """That sources are not shown; "" if none is missing."""
    words = WORDS[spoken]
    if count == 1:
        return words.hidden_one
    return words.hidden.format(count=count) if count else ""


def too_long(characters: int, limit: int, spoken: Language) -> str:
    """That a question has too many characters."""
    separator = "," if spoken == "en" else "."
    shown = [f"{number:,}".replace(",", separator) for number in (characters, limit)]
    return WORDS[spoken].too_long.format(characters=shown[0], limit=shown[1])


def too_many(seconds: float, spoken: Language, *, in_channel: bool) -> str:
    """That a person, or a channel, has to wait so many seconds before the next question."""
    words = WORDS[spoken]
    sentence = words.too_many_in_channel if in_channel else words.too_many_by_person
    return sentence.format(wait=_wait(seconds, spoken))


def _wait(seconds: float, spoken: Language) -> str:
    minutes = round(seconds / 60)
    if minutes < 2:
        count, unit = max(1, round(seconds)), {"en": "second", "de": "Sekunde"}
    else:
        count, unit = minutes, {"en": "minute", "de": "Minute"}
    plural = {"en": "s", "de": "n"}[spoken] if count != 1 else ""
    return f"{count} {unit[spoken]}{plural}"


def in_space(sentence: str, space: str) -> str:
    """A sentence of :class:`core.views.words.AdminWords` about this space."""
    return sentence.format(space=space)
