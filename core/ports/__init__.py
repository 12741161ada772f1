"""The interfaces between the method and outside systems: small Protocols, implemented in ``adapters/``.

``bot/wiring.py`` connects ports with implementations. Methods are async unless they only compute. Each port has a
contract suite in ``tests/contracts/`` that every implementation must pass.
"""
