# ruff: noqa: E501, C901 - lists of attacks; one branch a kind of field
"""Views with hostile text in every field. They are made from the dataclasses' fields, so that new fields are included."""

from __future__ import annotations

import dataclasses
import random
import types
import typing
from typing import Any, Literal

from core.model.views import HomeView, LinkView, View

CITED = tuple(f"https://wiki.example/pages/{number}" for number in range(1, 9))
"""The addresses that may be linked."""

VIEWS = (*typing.get_args(View), HomeView, LinkView)
ASKER = "U0ASKER01"
"""The platform id of the person who asked by a command, whom the posted question mentions."""

ATTACKS = (
    "<!channel>", "<!here|here>", "<!everyone>", "<!subteam^S1234567>", "<@U12345678>", "<@U12345678|Ada>", "<#C12345678>", "<#C12345678|general>",
    "<https://evil.example|text>", "<https://evil.example>", "<mailto:a@evil.example|mail>", "<javascript:alert(1)|x>", "<!date^1^{date}^https://evil.example|x>",
    "&lt;!channel&gt;", "&lt;https://evil.example|x&gt;", "&amp;lt;", "[text](https://evil.example)", "![image](https://evil.example/x.png)",
    "[text](javascript:alert(1))", "[text](data:text/html,x)", "[1](https://evil.example)", "[1]", "[2]", "[?]", "[9999]", "\n[1]: https://evil.example\n",
    "\n[text]: https://evil.example\n[text]", "[text][1]", "<https://evil.example/>", "https://evil.example", "http://evil.example", "HTTPS://EVIL.EXAMPLE",
    "www.evil.example", "evil.example/path", "a@evil.example", "mailto:a@evil.example", "ftp://evil.example", "//evil.example", "javascript:alert(1)",
    "data:text/html;base64,PHg+", "tel:+4912345", "<at>Bot</at>", "<at id=\"0\">Ada</at>", "@here", "@channel", "@everyone", "#general", ":warning:", ":skull:",
    "<b>bold</b>", "<a href=\"https://evil.example\">x</a>", "<img src=x onerror=alert(1)>", "<script>alert(1)</script>", "${title}", "${$root.url}",
    "{{DATE(2026-01-01T00:00:00Z, SHORT)}}", "{{TIME(2026-01-01T00:00:00Z)}}", "{{ DATE(x) }}", "**bold**", "*bold*", "_italics_", "~struck~", "`code`",
    "```\ncode\n```", "```", "`", "> quote", "\n- item", "\n1. item", "\n# heading", "| a | b |\n|---|---|\n| [x](https://evil.example) | <!here> |",
    "\u202eevil\u202c", "\u2066x\u2069", "\u200b", "\u200d", "\u00ad", "\ufeff", "<\u200b!channel>", "<!\u200bchannel>", "ht\u200btps://evil.example", "\U000e0041",
    "\x1b[31mred\x1b[0m", "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "\x1b]0;title\x07", "\x9b31m", "\x9d8;;https://evil.example\x9clink", "\r", "\x07", "\x08",
    "\x00", "\x7f", "\ud800", "\udc00", "\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\t", "\n", "\n\n", " ", "\\", "\\<!channel>", "a", "Bell", "ä", "😀", "e\u0301" * 3,
    "[x](<https://evil.example>)", "[x](https://wiki.example/pages/1)", "<https://wiki.example/pages/1|https://evil.example>", "[red]x[/red]", "[link=https://evil.example]x[/link]",
)  # fmt: skip

URLS = (
    *CITED, "", "javascript:alert(1)", "https://wiki.example/pages/1>|<!channel", "https://wiki.example/pages/2|<@U12345678>", "data:text/html,x",
    "https://wiki.example/pages/3\n<!here>", "//evil.example", "ftp://evil.example", "file:///etc/passwd", "https://[x", "mailto:a@evil.example",
    "https://wiki.example/pages/4\" onclick=\"x", "https://wiki.example/pages/5\u202e", "\x1b]8;;https://evil.example\x1b\\", "https://wiki.example/pages/6\x1b[0m",
)  # fmt: skip
"""Addresses of citations and pages, which come from the wiki; only web addresses may be linked."""


class Generator:
    """Generates views, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - a choice of cases

    def view(self) -> Any:
        """Return a view of any kind."""
        return self._object(self._chance.choice(VIEWS))

    def text(self) -> str:
        """Return a text of some attacks."""
        count = self._chance.choice((0, 1, 1, 2, 3, 5, 12, 40))
        return "".join(self._chance.choice(ATTACKS) + self._chance.choice(("", " ", "", "\n")) for _ in range(count))

    def _object(self, kind: type) -> Any:
        hints = typing.get_type_hints(kind)
        return kind(
            **{each.name: self._value(hints[each.name], each.name) for each in dataclasses.fields(kind) if each.init}
        )

    def _value(self, hint: Any, name: str) -> Any:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if name == "turn_id":
            return "turn-1"
        if name == "user":
            return ASKER
        if hint is str:
            return self._chance.choice(URLS) if name == "url" else self.text()
        if hint is bool:
            return self._chance.random() < 0.7
        if hint is int:
            return self._chance.choice((0, 1, 2, 3, 17))
        if hint is float:
            return self._chance.choice((0.001, 0.3, 1.0))
        if origin is Literal:
            return self._chance.choice(arguments)
        if origin in (typing.Union, types.UnionType):
            return self._value(self._chance.choice(arguments), name)
        if hint is type(None):
            return None
        if origin is tuple:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                return tuple(
                    self._value(arguments[0], name.rstrip("s")) for _ in range(self._chance.choice((0, 1, 2, 9)))
                )
            return tuple(self._value(each, name) for each in arguments)
        if dataclasses.is_dataclass(hint):
            return self._object(typing.cast("type", hint))
        raise TypeError(f"{name}: {hint} is no kind of field that can be made")
