"""What every store does: inherit and give the fixture ``stores``, all ports of one empty store."""

from __future__ import annotations

from tests.contracts.chat_stores import (
    FeedbackStoreContract,
    PostStoreContract,
    ThreadStoreContract,
    TokenStoreContract,
)
from tests.contracts.counterfactual_store import CounterfactualStoreContract
from tests.contracts.erasure import ErasureContract
from tests.contracts.page_stores import PageStoreContract, SpaceStoreContract
from tests.contracts.reading_stores import EvidenceStoreContract, VectorStoreContract
from tests.contracts.reference_store import ReferenceStoreContract
from tests.contracts.turn_stores import TurnStoreContract


class StoreContracts(
    PageStoreContract, SpaceStoreContract, ErasureContract, EvidenceStoreContract, VectorStoreContract,
    TurnStoreContract, CounterfactualStoreContract, PostStoreContract, ThreadStoreContract,
    FeedbackStoreContract, TokenStoreContract, ReferenceStoreContract,
):  # fmt: skip
    """All of them, for stores that implement every port."""
