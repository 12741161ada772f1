"""The project's figures: what is measured, how, and what is required. ``make bench`` runs them all."""
