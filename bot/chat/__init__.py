"""What people do in a chat, the same for all platforms. The listeners of Slack and Teams call it.

1. :mod:`service` handles messages, edits and deletions, and questions that are asked by a command or a form.
   :mod:`clicked_answers` handles the buttons and forms under an answer, :mod:`commands` what is typed after ``/wiki``.
2. These start workflows, which :mod:`bot.durable` continues after a crash: :mod:`ask_workflow`,
   :mod:`explain_workflow`, :mod:`revise_workflow` after an edit or a deletion, and :mod:`space_workflows`.
3. :mod:`message_poster` posts the message of a workflow exactly once.

:mod:`home` builds the app's home page, :mod:`links` the previews of links. :mod:`connect` makes all parts.
"""
