"""Whether each part works, and what to do if it does not."""
