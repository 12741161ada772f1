"""Throughput and latency of 1, 2 and 4 bots in Slack and in Teams, by questions in flight.

The platforms' test servers, the language model and the bots share one machine. ``__main__`` has the command.
"""
