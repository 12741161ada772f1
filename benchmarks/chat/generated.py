"""Generated worst-case answers: long, with tables, code, emoji, mentions and many citations."""

from __future__ import annotations

import random
from collections.abc import Callable

from core.model import EVIDENCE_KINDS, Citation
from core.model.views import AnswerView, PageLink

_WORDS = [
    "tower",
    "bell",
    "controller",
    "deploy",
    "the",
    "of",
    "and",
    "limit",
    "hotel",
    "release",
    "Glockenturm",
    "Überstunden",
    "Straße",
    "naïve",
    "鐘楼",
    "مرحبا",
    "supercalifragilisticexpialidocious",
    "&",
    "<",
    ">",
    "<!channel>",
    "<@U0WIKIWHY1>",
    "<#C0000000001|general>",
    "@here",
    "*bold*",
    "_it_",
    "~no~",
    "`code`",
    "**strong**",
    "https://evil.example/?a=b&c=d",
    "[link](https://evil.example)",
    "[x](javascript:alert(1))",
    "\\",
    "|",
    ">",
    "#",
    "-",
]
_EMOJI = ("🎉", "👩‍👩‍👧‍👦", "🇳🇱", ":tada:", "☎️", "🏳️‍🌈")
_LANGUAGES = ("sh", "python", "", "json")


class Generator:
    """Generates answers, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311  # no secret

    def answer(self, number: int) -> AnswerView:
        chance = self._chance
        answered = chance.random() < 0.9
        return AnswerView(
            turn_id=f"{number:016x}",
            language=chance.choice(("en", "de")),
            text=self._text(),
            answered=answered,
            markup=chance.choice(("plain", "markdown")),
            citations=tuple(self._citation(at + 1) for at in range(self._many(60))) if answered else (),
            understood_as=self._sentence(self._many(80)) if chance.random() < 0.5 else "",
            closest=() if answered else tuple(PageLink(self._sentence(5), self._url()) for _ in range(3)),
            contact="" if answered else chance.choice(("", "<#C0000000001>", "Ask <@U0WIKIWHY1> or the desk")),
            asked=self._sentence(20) if chance.random() < 0.2 else "",
            notes=tuple(self._sentence(self._many(60)) for _ in range(self._many(8))),
            suggestions=tuple(self._sentence(self._many(30)) for _ in range(self._many(6))),
        )

    def _text(self) -> str:
        """Return a few parts of some kinds. One in five texts exceeds the limit of any message."""
        parts = self._many(25) + 10 if self._chance.random() < 0.2 else self._many(6) + 1
        kinds: tuple[Callable[[], str], ...] = (
            self._paragraph, self._table, self._code, self._list, self._quote, self._emoji, self._heading,
        )  # fmt: skip
        return "\n\n".join(self._chance.choice(kinds)() for _ in range(parts))

    def _paragraph(self) -> str:
        sentences = [f"{self._sentence(self._many(60) + 3)}. [{self._many(60) + 1}]" for _ in range(self._many(12) + 1)]
        return " ".join(sentences)

    def _table(self) -> str:
        columns = self._many(8) + 2
        rows = [[self._sentence(self._many(6) + 1) for _ in range(columns)] for _ in range(self._many(80) + 1)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([lines[0], "|---" * columns + "|", *lines[1:]])

    def _code(self) -> str:
        lines = [f"if a < b && c > {at}: print('<!here>')  # {self._sentence(4)}" for at in range(self._many(120) + 1)]
        fence = "" if self._chance.random() < 0.1 else "\n```"  # never closed
        return f"```{self._chance.choice(_LANGUAGES)}\n" + "\n".join(lines) + fence

    def _list(self) -> str:
        return "\n".join(f"{'  ' * self._many(3)}- {self._sentence(self._many(20) + 1)} [1][2]" for _ in range(30))

    def _quote(self) -> str:
        return "\n".join(f"> {self._sentence(12)}" for _ in range(self._many(20) + 1))

    def _emoji(self) -> str:
        return "".join(self._chance.choice(_EMOJI) for _ in range(self._many(1500)))

    def _heading(self) -> str:
        return f"{'#' * (self._many(5) + 1)} {self._sentence(self._many(40) + 1)}"

    def _sentence(self, words: int) -> str:
        return " ".join(self._chance.choice(_WORDS) for _ in range(words))

    def _citation(self, number: int) -> Citation:
        kind = self._chance.choice(EVIDENCE_KINDS)
        title, heading = self._sentence(self._many(30)), self._sentence(self._many(20))
        return Citation(number, f"e{number}", f"p{number}", title, heading, self._url(), kind, self._sentence(20))

    def _url(self) -> str:
        length = self._chance.choice((10, 10, 100, 1_200))
        return f"https://wiki.example/pages/{'ü' if self._chance.random() < 0.2 else 'x'}{'y' * length}?a=1&b=<2>|#h h"

    def _many(self, most: int) -> int:
        """Return a random number from 0, usually small."""
        return int(self._chance.random() ** 2 * most)
