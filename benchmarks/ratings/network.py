"""The network of :mod:`adapters.embedding.answer_ratings` in PyTorch, to be fitted. Both have to compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.functional import silu

from adapters.embedding.answer_ratings import HEADS, WEIGHT_SCALE, TokenizedText
from adapters.embedding.token_vectors import Tokens

Tensor = Any  # torch is not installed where types are checked

_TOKEN = 384
_FIRST_BIAS = -8.0  # with ``direct`` as it is at first, about half of the answers are rated above 0
_NONE = -1e4  # in place of minus infinity, whose gradients are not numbers


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions and texts, padded. All pairs of them are rated.

    ``question`` has shape (questions, tokens, 384), ``token_weights`` and ``is_asked`` (questions, tokens), ``text``
    (texts, tokens, 384), ``is_read`` and ``is_own`` (texts, tokens). Those with ``is_`` are false at padding.
    """

    question: Tensor
    is_asked: Tensor
    token_weights: Tensor
    text: Tensor
    is_read: Tensor
    is_own: Tensor


class TorchMixing(nn.Module):  # type: ignore[misc]
    """See :meth:`adapters.embedding.answer_ratings.RatingNetwork._mix`. At first it changes nothing."""

    def __init__(self, features: int, dropout: float) -> None:
        super().__init__()
        self.norm, self.norm_forward = nn.LayerNorm(features), nn.LayerNorm(features)
        self.projections = nn.Linear(features, 3 * features, bias=False)
        self.joined = nn.Linear(features, features)
        self.forward_layers = nn.ModuleList([nn.Linear(features, 2 * features), nn.Linear(2 * features, features)])
        self.dropout = nn.Dropout(dropout)
        for last in (self.joined, self.forward_layers[1]):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, tokens: Tensor, is_token: Tensor) -> Tensor:
        """Return the mixed tokens. ``tokens`` has shape (…, tokens, features), ``is_token`` (…, tokens)."""
        count, features = tokens.shape[-2:]
        mixed, allowed = tokens.reshape(-1, count, features), is_token.reshape(-1, 1, 1, count)
        itself = torch.eye(count, dtype=torch.bool)  # padding attends to itself: the mean of nothing is not a number
        parts = self.projections(self.norm(mixed)).view(len(mixed), count, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        attended = nn.functional.scaled_dot_product_attention(*parts, attn_mask=allowed | itself)
        mixed = mixed + self.dropout(self.joined(attended.transpose(1, 2).reshape(len(mixed), count, features)))
        first, second = self.forward_layers
        mixed = mixed + self.dropout(second(silu(first(self.norm_forward(mixed)))))
        return mixed.view(tokens.shape)


class TorchRatingNetwork(nn.Module):  # type: ignore[misc]
    """See :class:`adapters.embedding.answer_ratings.RatingNetwork`. ``features``: of each token within it."""

    def __init__(self, features: int, dropout: float) -> None:
        super().__init__()
        self.project = nn.Linear(_TOKEN, features)
        self.own = nn.Embedding(2, features)
        self.norm_question, self.norm_text = nn.LayerNorm(features), nn.LayerNorm(features)
        self.context, self.comparisons = TorchMixing(features, dropout), TorchMixing(features, dropout)
        self.query, self.key = (nn.Linear(features, features, bias=False) for _ in range(2))
        self.sharpness = nn.Parameter(torch.tensor([10.0, 10.0]))
        self.compare_question = nn.ModuleList([nn.Linear(4 * features + 3, features), nn.Linear(features, features)])
        self.compare_text = nn.ModuleList([nn.Linear(4 * features + 2, features), nn.Linear(features, features)])
        self.pool_question, self.pool_text = (nn.Linear(features, 1, bias=False) for _ in range(2))
        self.out = nn.ModuleList([nn.Linear(4 * features + 2, features), nn.Linear(features, 1)])
        self.out[1].bias.data.fill_(_FIRST_BIAS)
        self.direct = nn.Parameter(torch.tensor([10.0, 10.0]))  # of the matches by late interaction
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Return the log-odds that each text answers each question, shape (questions, texts)."""
        asked = self.norm_question(self.project(batch.question))
        read = self.norm_text(self.project(batch.text) + self.own(batch.is_own.long()))
        asked, read = self.context(asked, batch.is_asked), self.context(read, batch.is_read)
        cosines = torch.einsum("qad,trd->qtar", batch.question, batch.text)
        learned = torch.einsum("qad,trd->qtar", self.query(asked), self.key(read)) / asked.shape[-1] ** 0.5
        is_asked, is_read = batch.is_asked[:, None, :, None], batch.is_read[None, :, None, :]
        counted = torch.where(batch.is_own.any(-1, keepdim=True), batch.is_own, batch.is_read)

        pairs = cosines.shape[:3]  # questions, texts, tokens of the question
        highest = cosines.masked_fill(~is_read, -1).amax(-1)
        highest_own = cosines.masked_fill(~counted[None, :, None, :], -1).amax(-1)
        attended = (self.sharpness[0] * cosines + learned).masked_fill(~is_read, _NONE).softmax(-1)
        token_weights, is_token = batch.token_weights[:, None].expand(pairs), batch.is_asked[:, None].expand(pairs)
        of_question = self._compare(
            self.compare_question,
            asked[:, None].expand(*pairs, -1),
            torch.einsum("qtar,trd->qtad", attended, read),
            torch.stack([highest, highest_own, WEIGHT_SCALE * token_weights], -1),
        )
        answering = (self.sharpness[1] * cosines + learned).masked_fill(~is_asked, _NONE).softmax(-2)
        shape = (len(batch.question), *batch.is_read.shape)
        best, is_own = cosines.masked_fill(~is_asked, -1).amax(-2), batch.is_own[None].expand(shape).float()
        of_text = self._compare(
            self.compare_text,
            read[None].expand(*shape, -1),
            torch.einsum("qtar,qad->qtrd", answering, asked),
            torch.stack([best, is_own], -1),
        )
        both = self.comparisons(
            torch.cat([of_question, of_text], -2), torch.cat([is_token, batch.is_read[None].expand(shape)], -1)
        )
        of_question, of_text = both.split([pairs[2], shape[2]], -2)
        attention = self.pool_question(of_question)[..., 0].masked_fill(~is_token, _NONE).softmax(-1)
        pooled = torch.einsum("qta,qtad->qtd", attention, of_question)
        by_weight = torch.einsum("qta,qtad->qtd", token_weights * is_token, of_question)
        is_counted = counted[None].expand(shape)
        shares = self.pool_text(of_text)[..., 0].masked_fill(~is_counted, _NONE).softmax(-1)
        summed = torch.einsum("qtr,qtrd->qtd", shares, of_text)
        most = of_text.masked_fill(~is_counted[..., None], _NONE).amax(-2)

        matched = torch.stack([(each * token_weights * is_token).sum(-1) for each in (highest, highest_own)], -1)
        features = torch.cat([pooled, by_weight, summed, most, matched], -1)
        hidden = self.dropout(silu(self.out[0](features)))
        return self.out[1](hidden)[..., 0] + matched @ self.direct

    def _compare(self, layers: Any, left: Tensor, right: Tensor, more: Tensor) -> Tensor:
        both = torch.cat([left, right, left * right, (left - right).abs(), more], -1)
        return silu(layers[1](self.dropout(silu(layers[0](both)))))


def pad(questions: Sequence[tuple[Tokens, Tokens]], units: Sequence[TokenizedText]) -> Batch:
    """Return questions, each with the weights of its tokens, and texts as a batch."""
    cut = [unit.cut() for unit in units]
    question, is_asked = _pad_tokens([tokens for tokens, _ in questions])
    text, is_read = _pad_tokens([unit.tokens for unit in cut])
    token_weights = torch.zeros(is_asked.shape)
    for at, (_, weights) in enumerate(questions):
        token_weights[at, : len(weights)] = torch.from_numpy(weights)
    own = torch.tensor([unit.own for unit in cut])
    return Batch(
        question, is_asked, token_weights, text, is_read, is_read & (torch.arange(is_read.shape[1]) >= own[:, None])
    )


def _pad_tokens(texts: Sequence[Tokens]) -> tuple[Tensor, Tensor]:
    longest = max(map(len, texts))
    padded, is_token = (
        torch.zeros(len(texts), longest, texts[0].shape[1]),
        torch.zeros(len(texts), longest, dtype=torch.bool),
    )
    for at, tokens in enumerate(texts):
        padded[at, : len(tokens)] = torch.from_numpy(tokens.astype(np.float32))
        is_token[at, : len(tokens)] = True
    return padded, is_token
