"""Fits the network that rates how likely a text answers a question: `python -m benchmarks.ratings`.

It writes `adapters/embedding/answer_ratings.npz`, after it was fitted to nine tenths of the pages of
:mod:`benchmarks.ratings.pages`, and prints the figures on the others: how often a unit that answers is rated highest of
its page, beside late interaction, and how well the highest rating tells questions that the page answers from those
that it does not (area under the curve). More than an hour on an idle machine. It needs PyTorch (`make setup-bge`).
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score

from adapters.embedding.answer_ratings import WEIGHTS, RatingNetwork, TokenizedText
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.normalised_tokens import TokenNormaliser
from adapters.embedding.token_vectors import FOUR_BITS, Tokens, compress, decompress, rotate
from benchmarks.fitting import console, track
from benchmarks.ratings.network import Tensor, TorchRatingNetwork, pad
from benchmarks.ratings.pages import PAGES, RatedPage, read_pages

FEATURES, DROPOUT = 64, 0.25
EPOCHS, PAGES_AT_ONCE, LEARNING_RATE, WEIGHT_DECAY = 6, 4, 1e-3, 0.05
_HELD = 10  # each tenth page is not fitted to
_OTHERS = 4  # units of other pages that each page's questions are compared with
_TARGET = Path("adapters/embedding") / WEIGHTS


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedPage:
    """A page with the token vectors of its questions, with their weights, and of its units."""

    page: RatedPage
    questions: tuple[tuple[Tokens, Tokens], ...]
    units: tuple[TokenizedText, ...]


def main(arguments: Sequence[str]) -> int:
    """Fit, write the weights and print the figures on the pages that were left out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ratings", description=__doc__)
    parser.add_argument("--pages", type=Path, default=PAGES, help="the folder of the pages")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--target", type=Path, default=_TARGET)
    options = parser.parse_args(arguments)
    random = np.random.default_rng(0)
    torch.manual_seed(0)
    embedder = E5Embedder()
    normaliser = TokenNormaliser(embedder)
    pages = [_embed(embedder, normaliser, page) for page in track(read_pages(options.pages), "embed", console=console)]
    random.shuffle(pages)
    held, fitted = pages[: len(pages) // _HELD], pages[len(pages) // _HELD :]
    network = TorchRatingNetwork(FEATURES, DROPOUT)
    _fit(network, fitted, options.epochs, random)
    arrays = {name: value.numpy().astype(np.float16) for name, value in network.state_dict().items()}
    np.savez_compressed(options.target, **arrays)
    questions = sum(len(each.questions) for each in fitted)
    console.print(f"{options.target}: fitted to {len(fitted)} pages, {questions} questions")
    _report(RatingNetwork(arrays), held)
    return 0


def _embed(embedder: E5Embedder, normaliser: TokenNormaliser, page: RatedPage) -> EmbeddedPage:
    """Embed as the extractive answerer compares questions with stored units."""
    wholes, contexts = [unit.whole for unit in page.units], [unit.context for unit in page.units]
    text = "\n".join(wholes)
    _, states = embedder.embed_with_tokens(wholes, "passage")
    stored = [decompress(compress(normaliser.normalise_text(each), FOUR_BITS), FOUR_BITS) for each in states]
    units = [
        TokenizedText(tokens.astype(np.float16), own)
        for tokens, own in zip(stored, map(normaliser.count_tokens, contexts), strict=True)
    ]
    asked = [question.text for question in page.questions]
    _, states = embedder.embed_with_tokens(asked, "query")
    questions = []
    for question, each in zip(asked, states, strict=True):
        tokens = rotate(normaliser.normalise_question(question, each, text))
        questions.append((tokens, normaliser.weigh_question(question, len(tokens))))
    return EmbeddedPage(page, tuple(questions), tuple(units))


def _fit(network: TorchRatingNetwork, pages: list[EmbeddedPage], epochs: int, random: np.random.Generator) -> None:
    steps = epochs * -(-len(pages) // PAGES_AT_ONCE)
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps, pct_start=0.15)
    for _ in track(range(epochs), "fit", console=console):
        random.shuffle(pages)
        for start in range(0, len(pages), PAGES_AT_ONCE):
            some = pages[start : start + PAGES_AT_ONCE]
            optimiser.zero_grad()
            for page in some:
                others = [
                    choice.units[random.integers(len(choice.units))] for choice in _choose_others(page, pages, random)
                ]
                (_compute_loss(network, page, others) / len(some)).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()


def _choose_others(
    page: EmbeddedPage, pages: Sequence[EmbeddedPage], random: np.random.Generator
) -> Iterator[EmbeddedPage]:
    chosen = (pages[at] for at in random.integers(len(pages), size=2 * _OTHERS))
    return islice((other for other in chosen if other is not page), _OTHERS)


def _compute_loss(network: TorchRatingNetwork, page: EmbeddedPage, others: Sequence[TokenizedText]) -> Tensor:
    """Return the cross entropy of the units that answer, among all units and "none", whose rating is 0."""
    ratings = _rate(network, page.questions, [*page.units, *others])
    choices = torch.cat([torch.zeros(len(ratings), 1), ratings], 1).log_softmax(1)
    right = [[1 + unit for unit in question.answers] or [0] for question in page.page.questions]
    return -torch.stack([choices[at, chosen].logsumexp(0) for at, chosen in enumerate(right)]).mean()


def _rate(
    network: TorchRatingNetwork, questions: Sequence[tuple[Tokens, Tokens]], units: Sequence[TokenizedText]
) -> Tensor:
    """Return the ratings of all pairs, shape (questions, units). Long units are padded apart, since most are short."""
    by_length = sorted(range(len(units)), key=lambda at: len(units[at].tokens))
    parts = by_length[: len(units) * 2 // 3], by_length[len(units) * 2 // 3 :]
    ratings = torch.cat([network(pad(questions, [units[at] for at in part])) for part in parts if part], 1)
    return ratings[:, torch.tensor(by_length).argsort()]


def _report(network: RatingNetwork, pages: Sequence[EmbeddedPage]) -> None:
    first: dict[str, list[tuple[bool, bool]]] = defaultdict(list)  # by rating, and by late interaction
    highest: list[tuple[bool, float, float]] = []
    for page in pages:
        for question, (tokens, weights) in zip(page.page.questions, page.questions, strict=True):
            rated = network.rate(tokens, weights, page.units)
            matched = [float((unit.tokens @ tokens.T).max(axis=0) @ weights) for unit in page.units]
            if question.answers:
                right = [int(np.argmax(scores)) in question.answers for scores in (rated, matched)]
                first[f"{question.language} question, {page.page.language} page"].append((right[0], right[1]))
            highest.append((bool(question.answers), float(rated.max()), max(matched)))
    for group, found in sorted(first.items()):
        by_rating, by_interaction = np.mean(found, axis=0)
        console.print(
            f"{group}: answer first {by_rating:.3f}, by late interaction {by_interaction:.3f} of {len(found)}"
        )
    is_answered, by_rating, by_interaction = zip(*highest, strict=True)
    areas = [roc_auc_score(is_answered, scores) for scores in (by_rating, by_interaction)]
    console.print(f"answered or not: {areas[0]:.3f}, by late interaction {areas[1]:.3f} of {len(highest)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
