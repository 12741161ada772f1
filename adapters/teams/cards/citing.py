"""Citation marks in an answer as links to their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from adapters.teams.cards.elements import Run, break_links, clean, link
from core.model import Citation

_MARK = re.compile(r"\[(\d{1,4})\]")


class Citing:
    """The citations of one answer, to find by number and by address."""

    def __init__(self, citations: Sequence[Citation]) -> None:
        self._by_number: dict[int, str] = {}
        for citation in citations:
            self._by_number.setdefault(citation.number, citation.url)
        self._urls = frozenset(citation.url for citation in citations)

    def link_marks(self, text: str, style: Run) -> Iterator[Run]:
        """Prose in this style, its marks links; a number that cites nothing stays as it is."""
        for at, piece in enumerate(_MARK.split(clean(text))):
            if at % 2:
                yield self.mark(piece)
            elif piece:
                yield replace(style, text=break_links(piece))

    def mark(self, number: str) -> Run:
        """``[1]``, a link if there is such a citation."""
        return link(self._by_number.get(int(number), ""), f"[{number}]")

    def cites(self, number: str) -> bool:
        """Whether a text is the number of a citation."""
        return number.isdecimal() and len(number) <= 4 and int(number) in self._by_number

    def knows(self, url: str) -> bool:
        """Whether an address is that of a citation."""
        return url in self._urls
