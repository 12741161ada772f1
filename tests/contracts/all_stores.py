"""The contracts of all stores. A test class that inherits them provides the fixture ``stores``, an empty store."""

from __future__ import annotations

from tests.contracts.asked_questions import AskedQuestionStoreContract
from tests.contracts.chat_stores import (
    FeedbackStoreContract,
    PostStoreContract,
    ReferenceStoreContract,
    ThreadStoreContract,
    TokenStoreContract,
)
from tests.contracts.erasure import ErasureContract
from tests.contracts.page_stores import (
    EvidenceStoreContract,
    PageStoreContract,
    SpaceStoreContract,
    TokenVectorStoreContract,
    VectorStoreContract,
)
from tests.contracts.turn_stores import CounterfactualStoreContract, TurnStoreContract


class StoreContracts(
    PageStoreContract, SpaceStoreContract, ErasureContract, EvidenceStoreContract, VectorStoreContract,
    TokenVectorStoreContract, TurnStoreContract, CounterfactualStoreContract, PostStoreContract, ThreadStoreContract,
    FeedbackStoreContract, TokenStoreContract, ReferenceStoreContract, AskedQuestionStoreContract,
):  # fmt: skip
    """All contracts, for stores that implement every port."""
