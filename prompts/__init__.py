"""Jinja templates, one per call to a language model; see core/prompts.py."""
