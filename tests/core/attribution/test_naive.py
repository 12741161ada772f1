from __future__ import annotations

from adapters.embedding.e5 import E5Embedder
from core.attribution.attributor import Counterfactual, Subject
from core.attribution.naive import NaiveAttributor
from tests.core.answering.examples import evidence, ranked


async def test_an_answer_rests_on_what_it_is_most_like(embedder: E5Embedder) -> None:
    found = ranked(
        evidence("The kitchen is cleaned on Fridays.", ordinal=0, title="Kitchen"),
        evidence("Two people climb the tower together.", ordinal=1, title="Tower safety"),
        evidence("Nobody climbs the tower alone.", ordinal=2, title="Tower safety"),
    )
    subject = Subject("Who climbs?", "Two people climb the tower together. [1]", found)
    heard: list[Counterfactual] = []
    results = await NaiveAttributor(embedder).attribute(subject, [(0,), (1, 2)], {}, heard.append)
    assert [result.cluster for result in results] == [(0,), (1, 2)]
    kitchen, tower = (result.contribution for result in results)
    assert kitchen is not None
    assert tower is not None
    assert 0.5 < kitchen < tower <= 1.0
    assert heard == results
    assert results[0].calls == 0
