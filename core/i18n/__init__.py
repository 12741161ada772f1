"""The texts shown in chats, as gettext messages that are rendered in the reader's language.

The English text is the message id. :func:`message` and :func:`plural` mark texts for extraction by ``make messages``,
and ``de.po`` has the German translations. Code that creates a text does not need to know the reader's language: it
returns a :class:`Message`, which is rendered where the language is known. Babel formats numbers, dates, times and lists
among the values.

Texts that no chat shows (errors, logs, the command line) are plain English and not in the catalogue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

from babel.dates import format_date, format_timedelta
from babel.lists import format_list
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

from core.languages import Language


@dataclass(frozen=True, slots=True)
class Message:
    """A text with ``{placeholders}``, not yet translated.

    ``several``: its plural form, chosen by ``count``; "" for none.
    """

    text: str
    several: str = ""
    count: int = 1
    values: Mapping[str, Value] = field(default_factory=dict)

    def render(self, language: Language) -> str:
        """Return the text in a language with the values filled in."""
        values = {name: format_value(value, language) for name, value in self.values.items()}
        return self.translate(language).format(**values)

    def translate(self, language: Language) -> str:
        """Return the text in a language with its placeholders unfilled."""
        translations = load_translations(language)
        if self.several:
            return translations.ngettext(self.text, self.several, self.count)
        return translations.gettext(self.text)


Value = str | int | float | date | timedelta | Message | Sequence[str]
"""A ``timedelta`` is formatted relative to now: "5 minutes ago" if negative, else "in 5 minutes"."""


_DATE: Mapping[Language, str] = {"en": "d MMMM y", "de": "d. MMMM y"}


def message(text: str, /, **values: Value) -> Message:
    """Create a message with values for its placeholders."""
    return Message(text, values=values)


def plural(one: str, several: str, count: int, /, **values: Value) -> Message:
    """Create a message whose form depends on a number, which also fills ``{count}``."""
    return Message(one, several, count, {"count": count, **values})


def format_value(value: Value, language: Language) -> str:
    """Format a value of a message. Floats have one decimal."""
    match value:
        case str():
            return value
        case Message():
            return value.render(language)
        case int():
            return format_decimal(value, locale=language)
        case float():
            return format_decimal(value, "#,##0.0", locale=language)
        case date():
            return format_date(value, _DATE[language], locale=language)
        case timedelta():
            return format_timedelta(value, threshold=2, add_direction=True, locale=language)
        case _:
            return format_list(list(value), locale=language)


def format_share(share: float, language: Language) -> str:
    """Format a share from 0 to 1 in percent; ``<1%`` if it would be rounded to 0."""
    return format_percent(share, locale=language) if round(share * 100) else f"<{format_percent(0.01, locale=language)}"


@cache
def load_translations(language: Language) -> NullTranslations:
    """Load the catalogue of a language from this package."""
    if language == "en":
        return NullTranslations()
    with (files(__name__) / f"{language}.po").open("rb") as catalogue:
        compiled = BytesIO()
        write_mo(compiled, read_po(catalogue, language))
    compiled.seek(0)
    return GNUTranslations(compiled)
