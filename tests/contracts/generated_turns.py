"""A thousand generated turns, in parts of which the first runs with the quick tests."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from core.model import Answer, Author, Citation, Context, Evidence, Question, RankedEvidence, Suggestion, Turn
from core.wording.quotations import BETWEEN_CELLS, replace_brackets
from tests.adapters.slack.strategies import LONG, NASTY
from tests.contracts.examples import turn

TURNS, PARTS = 1_000, 50
URL = "https://wiki.example/pages/1#Limits"
LONG_CELL = "A cell of words & more <of> them. " * 150  # 5,100 characters
WORDS = ("Netherlands", "Hotel per night", "€165", "", "x", "a longer value of several words", "München", "東京", "🎉")

Rows = tuple[tuple[tuple[str, str], ...], ...]


def make_cell(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.002:
        return LONG_CELL
    return chance.choice(NASTY) if kind < 0.15 else chance.choice(WORDS)


def make_rows(chance: random.Random) -> Rows:
    """1 to 300 rows of 1 to 25 columns, at least one row with a cell of 5,000 characters in every tenth table."""
    columns = chance.choice((1, 2, 3, 5, 8, 20, 21, 25))
    heads = [chance.choice(("Country", "Hotel per night", "", f"Column {at}", "A name " * 12)) for at in range(columns)]
    rows = [
        [(head, make_cell(chance)) for head in heads] for _ in range(chance.choice((1, 1, 2, 10, 31, 100, 101, 300)))
    ]
    if chance.random() < 0.1:
        rows[chance.randrange(len(rows))][chance.randrange(columns)] = (heads[0], LONG_CELL)
    return tuple(map(tuple, rows))


def quote(rows: Rows) -> str:
    """Rows as an answer in the wiki's own words quotes them."""
    lines = [BETWEEN_CELLS.join(_quote_cell(name, value) for name, value in row) for row in rows]
    return "\n".join(["Entries:", *(f"- {line} [1]" for line in lines)]) if len(lines) > 1 else f"{lines[0]} [1]"


def _quote_cell(name: str, value: str) -> str:
    return " ".join(replace_brackets(f"{name}: {value}" if name else value).split())


def write(rows: Rows) -> str:
    """Rows as a model writes them."""
    heads = [name for name, _ in rows[0]]
    lines = [heads, ["---"] * len(heads), *([value.replace("\n", " ") for _, value in row] for row in rows)]
    return "So it is [1]:\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def make_turn(chance: random.Random) -> Turn:
    rows = make_rows(chance)
    by_model = chance.random() < 0.5
    texts = [write(rows) if by_model else quote(rows), *chance.sample(LONG, chance.choice((0, 0, 0, 1)))]
    if by_model and chance.random() < 0.2:
        texts.append(write(make_rows(chance)))
    place = Context("Travel & expenses", ("Limits", chance.choice(NASTY)))
    evidence = Evidence("e1", "1", "PEO", "table", 0, "text " * 300, place, URL, ("part",) * len(rows), rows=rows)
    count = chance.choice((1, 1, 3, 25))
    citations = tuple(Citation(at + 1, "e1", "1", "Travel", "Limits", URL, "table", "") for at in range(count))
    answer = Answer("\n\n".join(texts), True, citations, Author.MODEL if by_model else Author.WIKI)
    asked = chance.choice(("What is the hotel limit per night in the Netherlands?", "Wo?", *NASTY[:20], "word " * 300))
    suggested = [Suggestion(chance.choice(("And Rome?", "And what about " + "a long name " * 9, *NASTY[:9])), "e1")]
    return replace(
        turn(),
        question=Question(asked, chance.choice((asked, "And what is it in München?"))),
        evidences=(RankedEvidence(evidence, 1, 1.0),),
        answer=answer,
        suggestions=tuple(suggested * chance.choice((0, 1, 4))),
    )


each_part = pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))]
)


def make_turns(part: int) -> tuple[random.Random, list[Turn]]:
    """The turns of a part, and the chance that made them."""
    chance = random.Random(part)
    return chance, [make_turn(chance) for _ in range(TURNS // PARTS)]
