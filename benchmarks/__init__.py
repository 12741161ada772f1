"""The project's figures, their measurement and their targets. ``make bench`` runs all of them."""
