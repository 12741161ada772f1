"""Attached files: good and bad ones of each kind, and what a sync without changes asks of them."""
