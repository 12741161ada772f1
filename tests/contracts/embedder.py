"""The contract of :class:`core.ports.models.Embedder`.

A test class that inherits it provides the fixture ``embedder``. EmbedderUnderstanding is only for
trained weights.
"""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from core.ports.models import Embedder, Vectors

SAME = 0.9999
"""Least cosine of two vectors that may only differ by rounding."""

ODD_TEXTS = [
    "",
    " \n\t ",
    "one\x00two",
    "\x00\x01\x1b[31m",
    "half of a pair: \ud83d",
    "👩‍👩‍👧‍👦 🚀 done ✅",
    "מדריך להתקנת VPN על מחשב חדש",
    "دليل إعداد الشبكة الافتراضية",
    "新しいノートパソコンでVPNを設定する方法",
    "𒀀𒀁𒀂𒀃",
    "Zürich straße naïve Å Å ﬁ",
    "for (int i = 0; i < n; i++) { sum += a[i]; }",
    "<s> </s> <pad> <mask> <unk> ▁",
]

TEXTS = [
    "To request holidays, open the HR portal and choose Absences.",
    "Urlaub wird im Personalportal unter Abwesenheiten beantragt.",
    "The build server runs on port 8443 behind the reverse proxy.",
    "Travel expenses are refunded within 14 days. " * 12,
    "VPN",
]


def cosines(first: Vectors, second: Vectors) -> Vectors:
    """Return the cosines of corresponding rows."""
    products: Vectors = (first * second).sum(axis=-1)
    return products


class EmbedderContract:
    async def test_names_itself_and_its_dimension(self, embedder: Embedder) -> None:
        assert embedder.name.strip() == embedder.name != ""
        assert (await embedder.embed_queries(["a"])).shape[1] == embedder.dimension

    @pytest.mark.parametrize("kind", ["embed_queries", "embed_passages"])
    async def test_gives_one_row_of_length_one_a_text(self, embedder: Embedder, kind: str) -> None:
        vectors = await getattr(embedder, kind)(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.dimension)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)

    @pytest.mark.parametrize("kind", ["embed_queries", "embed_passages"])
    async def test_gives_no_rows_for_no_texts(self, embedder: Embedder, kind: str) -> None:
        vectors = await getattr(embedder, kind)([])
        assert vectors.shape == (0, embedder.dimension)
        assert vectors.dtype == np.float32

    async def test_repeats_itself_exactly(self, embedder: Embedder) -> None:
        np.testing.assert_array_equal(await embedder.embed_passages(TEXTS), await embedder.embed_passages(TEXTS))

    async def test_keeps_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forward = await embedder.embed_passages(TEXTS)
        backward = await embedder.embed_passages(TEXTS[::-1])
        assert cosines(forward, backward[::-1]).min() > SAME

    async def test_a_vector_does_not_depend_on_the_other_texts(self, embedder: Embedder) -> None:
        together = await embedder.embed_passages(TEXTS + ODD_TEXTS)
        alone = np.concatenate([await embedder.embed_passages([text]) for text in TEXTS + ODD_TEXTS])
        assert cosines(together, alone).min() > SAME

    async def test_survives_odd_texts(self, embedder: Embedder) -> None:
        for vectors in (await embedder.embed_queries(ODD_TEXTS), await embedder.embed_passages(ODD_TEXTS)):
            assert np.isfinite(vectors).all()
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)

    async def test_reads_on_after_a_nul(self, embedder: Embedder) -> None:
        cut, whole, split = await embedder.embed_passages(["Port", "Port 8443 is closed", "Port\x00 8443 is closed"])
        assert cosines(whole, split) > SAME > cosines(cut, split)

    async def test_takes_a_text_of_any_length(self, embedder: Embedder) -> None:
        long = "Die Reisekosten werden binnen 14 Tagen erstattet. " * 2_000
        unbroken = "x" * 100_000
        vectors = await embedder.embed_passages([long, unbroken, "kurz"])
        assert vectors.shape == (3, embedder.dimension)
        assert np.isfinite(vectors).all()

    async def test_serves_concurrent_calls(self, embedder: Embedder) -> None:
        alone = [await embedder.embed_passages([text]) for text in TEXTS]
        at_once = await asyncio.gather(*(embedder.embed_passages([text]) for text in TEXTS))
        assert all(cosines(one, other).min() > SAME for one, other in zip(alone, at_once, strict=True))

    async def test_leaves_the_event_loop_free(self, embedder: Embedder) -> None:
        work = asyncio.create_task(embedder.embed_passages(TEXTS * 10))
        turns = 0
        while not work.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert turns > 2


class EmbedderUnderstanding:
    async def test_a_question_is_nearest_to_the_passage_that_answers_it_in_either_language(
        self, embedder: Embedder
    ) -> None:
        questions = ["How do I take time off?", "Wie beantrage ich Urlaub?", "Auf welchem Port läuft der Build-Server?"]
        similarity = await embedder.embed_queries(questions) @ (await embedder.embed_passages(TEXTS[:3])).T
        assert set(similarity[:2].argmax(axis=1)) <= {0, 1}
        assert (similarity[:2, :2].min(axis=1) > similarity[:2, 2]).all()
        assert similarity[2].argmax() == 2

    async def test_a_long_text_keeps_its_subject(self, embedder: Embedder) -> None:
        long = "Die Reisekosten werden binnen 14 Tagen erstattet. " * 2_000
        similarity = (
            await embedder.embed_passages([long]) @ (await embedder.embed_passages(["Reisekosten", "Portnummer"])).T
        )
        assert similarity[0, 0] > similarity[0, 1]
