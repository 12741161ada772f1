"""What the bot says in English."""

from __future__ import annotations

from core.views.words import AdminWords, HelpWords, ModalWords, Words

ENGLISH = Words(
    not_found="I could not find that in the wiki.",
    answer_erased="The source of this answer has been removed from the wiki.",
    question_erased="(a suggested question, removed with its page)",
    unsupported_means="[?] No source supports this statement.",
    understood_as="Understood as:",
    closest="These pages come closest:",
    whom_to_ask="Whom to ask:",
    also_ask="You could also ask:",
    goes_on="… the answer goes on",
    more="and {count} more",
    more_rows="… {count} more rows",
    more_lines="… {count} more lines",
    kinds={"passage": "passage", "list": "list", "table": "table", "table_row": "table row"},
    explain="Explain",
    sources="Sources",
    not_meant="Not what I meant",
    good="Helpful",
    bad="Not helpful",
    close="Close",
    rank="rank {rank}",
    cited_as="cited as [{number}]",
    no_sources="Nothing was found for this question.",
    hidden_one="One source is not shown: its page is gone, or not everybody here may read it.",
    hidden="{count} sources are not shown: their pages are gone, or not everybody here may read them.",
    reading="Reading the wiki …",
    taking_away="Taking sources away, to see which of them matter …",
    taking_away_progress="Taking sources away: {done} of {total} …",
    syncing="Syncing {space} …",
    syncing_progress="Syncing {space}: {done} of {total} pages …",
    whole="Show all of it",
    part="Part {number} of {total}",
    next_part="Next part",
    back="Back to the answer",
    empty_question="There is no question to answer. Ask something in words, for example: Who approves travel?",
    too_long="The question has {characters} characters; at most {limit} can be asked. Ask it in a few sentences.",
    too_many_by_person="You have asked many questions in a short time. Ask again in {wait}.",
    too_many_in_channel="Many questions were asked in this channel in a short time. Ask again in {wait}.",
    budget_spent="Today's budget for the language model is spent. Ask again tomorrow, or tell an admin.",
    no_space_here="No space of the wiki is enabled in this channel. An admin can enable one.",
    guest_in_direct="Guests can ask me in channels only. Ask in a channel that you share with the team.",
    outside_scope="This answer may rest on pages that you may not read here, so it is shown only where it was asked.",
    unknown_audience="I cannot tell now whether people of other organisations read along here, so I show nothing. "
    "Ask again in a minute; if that goes on, tell an admin.",
    changed="What this answer was made from has changed while I was writing it, so I do not show it. Ask again.",
    not_explainable="This answer cannot be explained any more: what it was made from has changed, or the language "
    "model that wrote it is not set up now. Ask the question again, and explain that answer.",
    turn_gone="This answer is not kept any more. Ask the question again.",
    nothing_to_explain="The wiki did not answer this question, so there is nothing to explain.",
    explained_already="This answer has been explained already:",
    explaining_already="This answer is being explained; the result appears below it.",
    the_explanation="the explanation",
    reasons={
        "unmapped": "I do not know which Confluence account is yours, so I searched only what is open to "
        "everybody here.",
        "hidden": "Confluence does not tell me which account is yours, so I searched only what is open to "
        "everybody here. "
        "Please ask your WikiWhy administrator to name it in the file of accounts.",
        "ambiguous": "More than one Confluence account could be yours, so I searched only what is open to "
        "everybody here. "
        "Please ask your WikiWhy administrator to name one for you in the file of accounts.",
        "missing": "The Confluence account that I know as yours does not exist, so I searched only what is open to "
        "everybody here. Please ask your WikiWhy administrator to correct it in the file of accounts.",
        "deactivated": "Your Confluence account is deactivated, so I searched only what is open to everybody here.",
        "unavailable": "What you may read in Confluence cannot be told at the moment, so I searched only what is "
        "open to "
        "everybody here. Please try again in a few minutes.",
    },
    thanks="Thank you, that helps to make answers better.",
    thanks_for_reason="Thank you, your reason was kept for the people who look after the wiki.",
    model_unavailable="The language model does not answer now. Your question is kept: ask again in a few minutes.",
    model_rejected="The language model refuses its settings. An admin has to correct them: `wikiwhy doctor` tells.",
    failed="Something went wrong, and there is no answer. Ask again; if that happens again, tell an admin.",
    explaining_failed="This answer could not be explained. Click Explain again in a few minutes.",
    correction=ModalWords(
        title="What did you mean?",
        label="Your question, in full",
        placeholder="As you would ask somebody who has not read this thread",
        submit="Ask again",
        cancel="Cancel",
    ),
    reason=ModalWords(
        title="What was wrong?",
        label="What should the answer have said, or where does it stand? (optional)",
        placeholder="For example: the limit changed in May, see the page Travel",
        submit="Send",
        cancel="Cancel",
    ),
    help=HelpWords(
        heading="How to ask",
        in_channel="Mention {bot} with a question: {bot} Who approves travel?",
        in_direct="Write me a question, for example: Who approves travel?",
        follow_up="Ask on where I answered; I know what was said there.",
        follow_up_by_mention="Ask on where I answered, mentioning me again; I know what was said there.",
        buttons="Explain shows which sources an answer really rests on, Sources all that was found.",
        searched="I search these spaces of the wiki here: {spaces}.",
        searched_nothing="No space of the wiki is enabled here. An admin can enable one.",
        searched_yours="Here I also search the pages that your own account may read.",
        admin="For admins:",
        commands=(
            "/wiki spaces – which spaces there are, and when each was synced",
            "/wiki sync KEY – read a space anew",
            "/wiki forget KEY – remove a space and all that was kept of it",
        ),
    ),
    admin=AdminWords(
        only_admins="Only admins can do that. Ask one of them.",
        unknown_command="There is no such command. /wiki help shows what there is.",
        unknown_space="There is no space {space} here. /wiki spaces shows those that there are.",
        key_missing="Say which space, for example: /wiki sync DOC",
        sync_started="Syncing {space} has begun.",
        forgotten="{space} was removed, with all that was kept of it.",
        not_forgotten="{space} could not be removed. The server's log has the cause.",
        no_spaces="There are no spaces yet. /wiki sync KEY reads one.",
    ),
    percent="{percent} percent",
    below_percent="less than {percent} percent",
)
