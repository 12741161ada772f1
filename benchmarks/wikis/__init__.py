"""Document sets made from manuals that Debian packages ship. The pages are not in the repository."""
