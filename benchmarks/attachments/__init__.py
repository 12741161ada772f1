"""Attached files: valid and broken ones of each kind, and the requests of a sync without changes."""
