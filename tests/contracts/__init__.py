"""One suite per port; every implementation inherits it."""
