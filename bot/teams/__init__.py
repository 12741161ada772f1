"""Microsoft Teams as a service of the server.

1. :mod:`service` defines the endpoint, and authenticates requests.
2. :mod:`listener` calls :mod:`bot.chat` for each message, click and command, and responds to clicks.
3. :mod:`chat_sessions` finds the session of a message, since chats have no threads. :mod:`answer_finder` finds the
   answer that a click or feedback means. :mod:`links` responds to pasted links.
"""
