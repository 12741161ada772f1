"""Attacks: each module tries to break one promise of docs/security.md many times. See `__main__`."""
