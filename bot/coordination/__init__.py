"""Coordination of the bots that share a PostgreSQL database: heartbeat, locks, signals, and takeover of workflows.

Over files there is one bot only (:class:`bot.coordination.bots.OneBot`).
"""
