"""The interfaces between the method and outside systems: small Protocols, implemented in ``adapters/``.

``bot/wiring.py`` connects ports with implementations. Methods are async unless they only compute. Each port has a
contract suite in ``tests/contracts/`` that every implementation must pass.

What is read: :mod:`.wiki` and :mod:`.files`. What answers: :mod:`.models` and :mod:`.indexes`. The SQL database:
:mod:`.pages` has what a sync stores, :mod:`.store` what questions read, and turns. Chats: :mod:`.chat`, :mod:`.teams`,
and the stores of :mod:`.chat_stores`. :mod:`.administration` has the audit log, erasures and the data about one person.
"""
