"""The seams between the method and the outside: one small Protocol per outside system.

Ports are async, except pure computation. Implementations live in ``adapters/`` and are joined in
``bot/wiring.py``; each port has a contract suite in ``tests/contracts/`` that every implementation inherits.
"""
