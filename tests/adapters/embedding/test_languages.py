"""Removing the language from the vector of a question."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from adapters.embedding.cached import CachedEmbedder
from adapters.embedding.e5 import E5Embedder
from adapters.embedding.languages import find_language_removal, remove_language
from adapters.embedding.openai_api import EmbeddingServer, OpenAIEmbedder
from benchmarks.language_directions import find_directions

SAMPLES = Path(__file__).parents[3] / "benchmarks" / "questions" / "samples.json"


def test_a_question_in_two_languages_is_more_alike_without_its_language(embedder: E5Embedder) -> None:
    asked = [entry for entry in json.loads(SAMPLES.read_text(encoding="utf-8")) if entry["q_en"] and entry["q_de"]][:20]
    english, german = (
        embedder.embed_with_tokens([entry[of] for entry in asked], "query")[0] for of in ("q_en", "q_de")
    )
    before = np.sum(english * german, axis=1)
    after = np.sum(remove_language(english) * remove_language(german), axis=1)
    others = np.sum(remove_language(english) * remove_language(np.roll(german, 1, axis=0)), axis=1)
    assert np.mean(after - others) > np.mean(before - np.sum(english * np.roll(german, 1, axis=0), axis=1))


def test_what_is_left_has_length_1_and_nothing_to_take_out() -> None:
    vectors = np.random.default_rng(1).normal(size=(50, 384)).astype(np.float32)
    left = remove_language(vectors)
    assert np.allclose(np.linalg.norm(left, axis=1), 1, atol=1e-5)
    assert np.allclose(remove_language(left), left, atol=1e-5)


def test_directions_are_those_in_which_means_differ() -> None:
    means = np.eye(4, 6, dtype=np.float32)
    directions = find_directions(means)
    assert directions.shape == (3, 6)
    assert np.allclose(directions @ directions.T, np.eye(3), atol=1e-5)
    assert np.allclose((means - means.mean(axis=0)) @ directions.T @ directions, means - means.mean(axis=0), atol=1e-5)


def test_of_another_embedder_nothing_is_taken_out() -> None:
    vectors = np.ones((1, 1024), np.float32)
    other = OpenAIEmbedder(EmbeddingServer("http://127.0.0.1:9/v1", "other"))
    assert find_language_removal(other)(vectors) is vectors
    assert find_language_removal(CachedEmbedder(other))(vectors) is vectors


def test_a_cache_changes_nothing() -> None:
    e5 = E5Embedder()
    for embedder in (e5, CachedEmbedder(e5), CachedEmbedder(CachedEmbedder(e5))):
        assert find_language_removal(embedder) is remove_language
