"""Rerankers: cross-encoders that read question and text together."""
