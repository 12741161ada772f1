"""Extracts the text of attached files, each in a separate process."""
