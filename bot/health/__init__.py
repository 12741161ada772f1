"""The checks of ``wikiwhy doctor``: whether each part works, and what to do if it does not."""
