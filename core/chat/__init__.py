"""The rules of a conversation in a chat that need no database and no platform.

:mod:`.listening` decides whether a message is for the bot, :mod:`.requests` has the requests that start workflows, with
their keys, :mod:`.limits` the rate limits.
"""
