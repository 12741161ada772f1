"""Reads text out of attached files, in processes of their own."""
