"""The results of an explanation in the making, kept one by one."""

from __future__ import annotations

from typing import Protocol

from core.attribution.attributor import Counterfactual, Known


class CounterfactualStore(Protocol):
    """The results of an explanation, one by one, so that one that was interrupted goes on.

    Those of a turn go with the text of any page that the turn used (see :meth:`core.ports.PageStore.remove`).
    """

    async def keep(self, turn_id: str, result: Counterfactual) -> None:
        """Keeps a result in place of an earlier one of the same cluster.

        Nothing happens where the turn is unknown or has lost text meanwhile: an answer may repeat it.
        """
        ...

    async def load_known(self, turn_id: str) -> Known:
        """The kept results without those that failed."""
        ...
