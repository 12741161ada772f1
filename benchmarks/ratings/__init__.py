"""Fitting the network that rates how likely a text answers a question, to short pages written for this."""
