"""Pages with tables and lists, as the evidences that a search could give."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date

from core.errors import EmbedderUnavailable
from core.evidence.extract import extract
from core.evidence.groups import ExtractionSettings
from core.model import EvidenceKind, Page, RankedEvidence
from core.model.evidences import Evidence, Scope
from core.ports.models import Matrix, TextInContext, WordMatches
from core.reading.compute import compute_clear_result
from core.reading.ways import ComputedResult

MACHINES = """<h2>Machines</h2><table><tbody>
<tr><th>Vendor</th><th>Model</th><th>Build</th><th>S3 P/F</th><th>Comments</th></tr>
<tr><td>Dell</td><td>E7440</td><td>1775</td><td>F</td><td>Does not wake up after a patch of upstream</td></tr>
<tr><td>HP</td><td>8300</td><td>1775</td><td>P</td><td></td></tr>
<tr><td>HP</td><td>Z820</td><td>1630</td><td>F</td><td></td></tr>
<tr><td>Dell</td><td>XE2</td><td>1630</td><td>P</td><td></td></tr>
<tr><td>NCS</td><td>T440</td><td>1775</td><td>P</td><td></td></tr>
</tbody></table>"""

PLUGINS = """<h2>Build server</h2><p>These Jenkins plugins are included:</p>
<ul><li>Cygpath</li><li>ThinBackup</li><li>Git<ul><li>Changelog</li></ul></li></ul>"""


def evidences(
    content: str, title: str = "Hardware testing", page_id: str = "7", max_chars: int = 1200, rank: int = 1
) -> list[RankedEvidence]:
    """All evidences of a page, as if retrieval had found each."""
    page = Page(page_id, "ENG", title, f"https://wiki/{page_id}", content)
    found = extract(page, ExtractionSettings(max_chars=max_chars)).evidences
    return [RankedEvidence(evidence, at, 1 / at) for at, evidence in enumerate(found, start=rank)]


def of_kind(found: list[RankedEvidence], *kinds: EvidenceKind) -> list[RankedEvidence]:
    return [ranked for ranked in found if ranked.evidence.kind in kinds]


class NoEmbedder:
    """A WordMatcher without a model."""

    async def match_words(self, question: str, texts: Sequence[str]) -> WordMatches:
        raise EmbedderUnavailable("There is no model.")

    async def rate_answers(self, question: str, texts: Sequence[TextInContext]) -> Matrix:
        raise EmbedderUnavailable("There is no model.")

    async def match_stored(self, question: str, hashes: Collection[str]) -> dict[str, float]:
        raise EmbedderUnavailable("There is no model.")


def compute(question: str, found: Sequence[RankedEvidence], day: date | None = None) -> ComputedResult | None:
    """Compute an answer from evidences whose words match the question's by letters. ``day``: that of the question."""
    with ThreadPoolExecutor(1) as thread:  # async tests call it too
        return thread.submit(lambda: asyncio.run(compute_clear_result(question, found, NoEmbedder(), day))).result()


@dataclass(frozen=True)
class StoredBlocks:
    """The tables and lists of the pages that a store has."""

    found: tuple[Evidence, ...]

    async def load_tables_and_lists(self, page_ids: Collection[str], scope: Scope) -> list[Evidence]:
        return [each for each in self.found if each.page_id in page_ids and each.kind != "passage"]
