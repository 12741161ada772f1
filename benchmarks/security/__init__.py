"""Attacks, as commands: `python -m benchmarks.security NAME` tries to break one promise of docs/security.md many times."""
