"""Where data is stored: the data directory, the indexes, the workflow database and the erasure log."""
