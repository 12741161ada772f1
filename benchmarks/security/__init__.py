"""Attacks on the promises of docs/security.md: each module tries many times to break one of them."""
