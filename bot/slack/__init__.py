"""Slack as a service of the server.

1. :mod:`service` receives requests or connects by Socket Mode, and checks signatures.
2. :mod:`listener` calls :mod:`bot.chat` for each message, click and command, and shows modals, notices and previews.
"""
