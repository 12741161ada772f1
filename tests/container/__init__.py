"""Checks of the Dockerfile that need no container engine."""
