"""Words that belong to the conversation and not to the question: greetings, thanks, agreement, regards, emoji.

A message may consist of nothing else, and then asks nothing. Around a question they are left out: a search would look
for them in the wiki.
"""

from __future__ import annotations

import re

from core.text import QUESTION_WORDS, list_words, split_set

_LINK, _SHORTCODE = r"https?://\S+|www\.\S+", r":[a-z0-9_+'-]{1,100}:"
NOISE = re.compile(rf"{_LINK}|{_SHORTCODE}")
"""Links and Slack's names of emoji, which say nothing about a message's form."""

ACKNOWLEDGES = split_set(
    """thanks thank thx ty cheers ok okay cool great perfect nice good super awesome got it you yes no yep nope right
    exactly agreed understood danke dank vielen besten merci toll prima passt alles klar gut perfekt ja nein genau
    stimmt verstanden sehr so much very lot a for that das dir euch helps helped noted hilft to know zu wissen
    interesting interessant hm hmm lol haha wow oh ah aha indeed makes sense macht sinn klingt sounds us all zusammen"""
)
_THANKS = split_set("thanks thank thx ty cheers danke dank merci dankeschön dankeschoen appreciated")
_SAID_WITH_THANKS = split_set(
    """schön schoen vielmals herzlichen lieben tausend ihnen ich wir i we this is was war ist hat have has been mir mich
    me ganz echt wirklich total really most super mega help helpful useful hilfe hilfreich nützlich geholfen
    weitergeholfen quick fast kind schnelle schnell rasche schneller nette answer answers reply response info
    information infos antwort antworten auskunft rückmeldung erklärung explanation your deine ihre die der den auch
    again nochmal nochmals advance voraus im in vorab schon mal schonmal für dafür appreciate million many bunch
    everyone everybody both team bot wikiwhy mate folks the of time zeit mühe support day tag today heute
    trotzdem anyway erledigt sich schönen noch worries no problem kein keine gleichfalls"""
)
"""Words that say nothing more beside thanks: "thanks for the quick answer". Alone they may be a question."""

GREETING = (
    r"(?:hi|hey|hello|hallo|moin|servus|good (?:morning|afternoon|evening|day)|guten (?:morgen|tag|abend)"
    r"|grüß (?:gott|dich|euch|sie))"
)
GREETED = r"(?:there|all|everyone|everybody|team|zusammen|bot|wikiwhy|moin|folks|leute)"

# Without bounds, a text that repeats "oh," would be searched from each of its beginnings to its end.
_COURTESY = (
    r"(?:(?:ah|oh|ok|okay|k|alright|hm+|super|top|prima|perfect|great|cool|nice)[,!]? ){0,4}"
    r"(?:thanks|many thanks|thank you|thx|ty|cheers|got it|understood|great|perfect|cool|nice|awesome|ok|okay|alright"
    r"|i see|danke(?:sch[öo]n| sch[öo]n)?|(?:(?:vielen|besten|herzlichen|lieben|tausend) ){1,2}dank|merci|verstanden"
    r"|verstehe|alles klar|prima|super|perfekt|gut zu wissen|good to know)"
    r"(?: (?:so much|very much|a lot|a million|for (?:that|the help|your help)|again|you|everyone|all|in advance|dir"
    r"|euch|ihnen|sehr|nochmal|dafür|für (?:die|deine|ihre) hilfe|vielmals|schon ?mal|im voraus|vorab)){0,4}"
)
_EXCUSE = (
    r"(?:sorry|please|bitte|pardon|excuse me|entschuldigung|entschuldigen sie|entschuldige|verzeihung|sagt? mal|btw"
    r"|übrigens"
    r"|(?:i have |just )?(?:a |one )?(?:quick |short |small )?question"
    r"|(?:ich (?:habe|hätte) )?(?:da )?(?:mal )?(?:nur )?(?:eine |ne )?(?:kurze |schnelle |kleine )?frage)"
)
_REGARDS = (
    r"(?:(?:viele|liebe|beste|schöne|freundliche|herzliche) grüße|mit (?:freundlichen|besten|lieben) grüßen|gruß|grüße"
    r"|mfg|vg|lg|bg|(?:best|kind|warm) regards|regards|best wishes|cheers)"
)

_BEGINS = "|".join(sorted({*QUESTION_WORDS, "and", "or", "und", "oder", "but", "aber", "what's", "who's", "where's"}))
_BEGINS_GREETED = _BEGINS + (
    "|is|are|was|do|does|did|can|could|should|may|must|have|has|please|ist|sind|war|kann|können|darf|dürfen|soll|muss"
    "|müssen|gibt|gilt|hat|haben|habe|wird|bitte"
)
_NAME = rf"(?!(?:{_BEGINS_GREETED})\b)@?(?-i:[A-ZÄÖÜ])[\w'-]{{0,30}}"
_PAUSE = r"\s{0,5}(?:[.!,;:…–—-]+|[:;]-?[)DP])(?=\s)[\s.!,;…–—-]*"
_SAID_FIRST = re.compile(
    rf"(?i)\W{{0,20}}(?:{_COURTESY}(?:{_PAUSE}|\s{{1,5}}(?=(?:{_BEGINS})\b))"
    rf"|{GREETING}(?:,? @?{GREETED}){{0,3}}"
    rf"(?:(?:,? {_NAME})?{_PAUSE}|(?: {_NAME})?\s{{1,5}}(?=(?:{_BEGINS_GREETED})\b))"
    rf"|{_EXCUSE}{_PAUSE}|@?wikiwhy(?:{_PAUSE}|\s{{1,5}}(?=(?:{_BEGINS_GREETED})\b)))"
)

# Signs of mood. Others, such as a red circle or a tick, may be what a question is about.
_FACES = "\U0001f600-\U0001f64f\U0001f44a-\U0001f450\U0001f90c-\U0001f92f\U0001f970-\U0001f97a"
_PICTURES = f"\u2600-\u27bf\u2b50\U0001f300-\U0001faff{_FACES}"
_JOINED = "\ufe0f\u200d\U0001f3fb-\U0001f3ff"
_SMILEY = r"[:;]-?[)(DP]"
_SIGN = rf"(?:{_SHORTCODE}|{_SMILEY}|[{_PICTURES}{_JOINED}])"
_SAID_LAST = re.compile(
    rf"(?i)(?:(?<=[?.!])|,)(?:\s{{0,5}}{_SIGN}){{0,5}}\s{{1,5}}"
    rf"(?:(?:and |und )?(?:{_COURTESY}(?:,? {GREETED}|,\s{_NAME})?"
    rf"|{_REGARDS}(?:,?\s{_NAME}){{0,3}})(?:[\s.,!]|{_SIGN}){{0,20}}){{1,3}}$"
)
_MOST_AROUND, _LONGEST_LAST = 10, 200  # rounds, and characters at the end: no time is lost with texts of nothing else
_EMPHASIS = "*_~"  # Slack's marks around bold, italic and struck-through text
_ANY_SIGN = re.compile(_SIGN)
_SIGNS_FIRST = re.compile(
    rf"^(?:{_SIGN}\s{{0,5}}){{1,20}}(?=(?:{_BEGINS_GREETED}|{GREETING}|{_COURTESY})\b)", re.IGNORECASE
)
_SIGNS_LAST = re.compile(
    rf"(?:(?<=[?.!…])(?:\s{{0,5}}{_SIGN}){{1,20}}|\s{{1,5}}{_SMILEY}|\s{{0,5}}[{_FACES}{_JOINED}])$"
)


def has_words(text: str) -> bool:
    """Whether a text contains a letter or digit."""
    return any(character.isalnum() for character in text)


def is_acknowledgement(text: str) -> bool:
    """Whether a text is only an acknowledgement: thanks, agreement, an emoji."""
    said = NOISE.sub(" ", text)
    if "?" in said or "://" in text:
        return False
    words = list_words(said)
    known = ACKNOWLEDGES if _THANKS.isdisjoint(words) else ACKNOWLEDGES | _THANKS | _SAID_WITH_THANKS
    return all(word in known for word in words)


def is_thanks(text: str) -> bool:
    """Whether a text says only thanks."""
    return is_acknowledgement(text) and not _THANKS.isdisjoint(list_words(text))


def is_reaction(text: str) -> bool:
    """Whether a text only reacts to what was said before: "ok", "👍". A question mark alone does not."""
    return is_acknowledgement(text) and (has_words(text) or bool(_ANY_SIGN.search(text)))


def strip_courtesy(text: str) -> str:
    """Return a message without the words and signs around its question: "Hi! And in Germany? Thanks :)".

    A message of nothing else stays as it is.
    """
    rest = text.strip()
    for _ in range(_MOST_AROUND):
        before = rest
        if len(rest) > len(_EMPHASIS) and rest[0] == rest[-1] and rest[0] in _EMPHASIS:
            rest = rest[1:-1].strip()
        for pattern in (_SIGNS_FIRST, _SAID_FIRST):
            if (found := pattern.match(rest)) and has_words(rest[found.end() :]):
                rest = rest[found.end() :]
        for pattern in (_SIGNS_LAST, _SAID_LAST):
            if (found := pattern.search(rest, max(0, len(rest) - _LONGEST_LAST))) and has_words(rest[: found.start()]):
                rest = rest[: found.start()].rstrip()
        if rest == before:
            break
    if is_acknowledgement(text) or is_acknowledgement(rest):
        return text
    asked = rest.rstrip("?!")
    return f"{asked}?" if "?" in rest[len(asked) :] else rest
