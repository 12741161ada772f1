"""Decide whether a message is meant for the bot: answer it, stay silent, or ignore it.

In a thread where the bot has answered, a message without a mention is classified by its form, in English and German:
its first words, the person it addresses, a question mark at its end. If the form is inconclusive, the bot stays silent:
a wrong silence costs the user a mention, a wrong answer interrupts a conversation between people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from core.languages import Language, detect_catalogue, is_clear_by_letters, is_language_clear
from core.model import Question
from core.ports.chat import IncomingMessage, ThreadMessage
from core.text import QUESTION_WORDS, list_words, split_set
from core.wording.courtesy import (
    ACKNOWLEDGES,
    GREETED,
    GREETING,
    NOISE,
    has_words,
    is_acknowledgement,
    is_reaction,
    is_thanks,
)

Decision = Literal["ask", "help", "thanks", "listen", "ignore"]
"""What to do with a message.

- ask: answer it.
- help: it calls the bot without a question for the wiki; show how to ask.
- thanks: it only thanks the bot, in a direct message or with a mention outside of its threads.
- listen: people talk in a thread where the bot has answered; stay silent, and store the message for the history.
- ignore: it does not concern the bot.
"""

FollowUps = Literal["thread", "mention"]
"""thread: in a thread where the bot has answered, follow-ups need no mention. mention: they always need one."""


def decide(
    message: IncomingMessage, takes_part: bool, follow_ups: FollowUps, since: Sequence[ThreadMessage] = ()
) -> Decision:
    """Decide what to do with a message.

    ``takes_part``: whether the bot has posted in this thread, or lately in this direct conversation. ``since``: the
    messages between the bot's last answer and this message; they show whom this message addresses.
    """
    if is_thanks(message.text) and (message.place.direct or (message.mentioned and not takes_part)):
        return "thanks"
    if message.mentioned or message.place.direct:
        if has_question(message.text):
            return "ask"
        return "listen" if takes_part and is_reaction(message.text) and not calls_for_help(message.text) else "help"
    if not (takes_part and message.reply):
        return "ignore"
    if follow_ups == "mention" or message.to_others or _has_other_speaker(message, since):
        return "listen"
    return "ask" if is_question(message.text) else "listen"


def has_question(text: str) -> bool:
    """Whether a text that is meant for the bot asks the wiki something.

    It does not if it has no words, calls for help, or only thanks or agrees.
    """
    return has_words(text) and not calls_for_help(text) and not is_acknowledgement(text)


def _has_other_speaker(message: IncomingMessage, since: Sequence[ThreadMessage]) -> bool:
    """Whether somebody else has written since the bot's last answer, so that this message probably replies to them."""
    return any(other.user != message.user and not is_acknowledgement(other.text) for other in since)


_UNTIL = split_set("bis seit ab für until since from for by")
_AUXILIARIES = split_set(
    """is are was were do does did can could should would will may must has have isn't aren't don't doesn't can't
    ist sind war waren kann können könnte könnten darf dürfen dürfte soll sollte muss müssen gibt gilt gelten hat haben
    wird werden bekomme bekommt bekommen brauche braucht brauchen zählt zählen geht gehört gehören reicht steht stehen
    kostet kosten kommt fällt trifft betrifft bleibt heißt"""
)
_SUBJECTS = split_set(
    """i we you they he she it this that these those there the a an my our your their his her all each every some any
    ich wir man er sie es das die der dies diese dieses dieser dies ein eine einer eines mein meine unser unsere alle
    jeder jede jedes da dort hier auch noch dafür dazu"""
)
_PLAIN_SUBJECTS = split_set(
    "is are do does did sind gelten zählen bekommen brauchen gilt zählt kostet kosten gibt reicht"
)
"""After these words a noun without an article also begins a question: "are dogs allowed", "gelten Züge auch"."""
_NO_SUBJECTS = split_set(
    """not no be been fine good ok okay great nice right wrong it that seit ab nicht gut so schon auch erst nur bis
    leider wohl aber by for about like just really still only probably"""
)
_IMPERATIVES = split_set(
    "explain show list describe compare summarise summarize erkläre erklär zeig zeige nenne beschreibe"
)
_TELL_VERBS = split_set("tell give sag sage gib")
_TO_ME = split_set("me us mir uns")
_EXCLAIMS = split_set("a an nice great cool schön gesagt toll nett für immer ever knows weiß erwartet auch so mess")
_OPENERS = split_set(
    """thanks thank thx ty cheers ok okay k ah oh aha hm hmm hmmm hi hey hello cool great super perfect nice good right
    sorry please well also so yes no yep nope yeah sure understood interesting actually btw alright wait awesome but
    danke dankeschön vielen dank gut prima toll alles klar verstehe verstanden interessant achso ach übrigens hallo moin
    bitte ja nein na aber genau stimmt dann entschuldigung schade"""
)
_CONTINUES = split_set("and or und oder")
_WHAT_ABOUT = re.compile(r"^(what|how) about\b|^was ist mit\b|^wie (steht|sieht) es\b|^(und )?wenn ich\b|^what if\b")
_STATES = split_set(
    """i we he she it they you that this then thanks thank also so ich wir er sie es du ihr das dann danke dies jetzt
    now here hier"""
)
_MOST_CONTINUED = 6  # words: a longer continuation without a question mark is usually a statement

_WIKI_TASKS = split_set("know tell explain show list say give summarise summarize describe find help compare look")
_ASKED_OF_YOU = split_set(
    """sagen erklären zeigen auflisten nennen zusammenfassen beschreiben weißt geben finden suchen vergleichen"""
)
_OPINION = re.compile(
    r"\b(do|did|would|what do|what did) (you|y'all|you all|you guys) (think|agree|feel|remember|mind|prefer|like|want"
    r"|see|hear|get|check|ask|book)\b|\b(are|were|aren't|have|haven't) you\b|\b(can|could|would|will) you\b"
    r"|\b(should|shall) we\b|\bwe (talk|discuss|meet|chat)\b|\b(sollen|wollen|sollten|wollten) wir\b"
)
_GENERIC_YOU = re.compile(r"\b(can|could|would|will) you (book|use|take the|travel|fly|stay|go|get|rent|buy|drive)\b")
_ANYBODY = re.compile(r"\b(anyone|anybody|someone|somebody|everyone|everybody|jemand|irgendwer|irgendjemand)\b")
_KNOWS = re.compile(r"\b(knows?|weiß|wissen|kennt)\b")
_DU = re.compile(r"\b(du|ihr|dir|dich|euch)\b")
_REACTS = split_set("really seriously huh hm hmm wow lol haha wtf right ok okay echt wirklich ernsthaft gell ne")

_NAMED_FIRST = re.compile(rf"^(?:(?i:{GREETING}),? )?([A-ZÄÖÜ][\w-]+), *\w")
_OUR_NAME = re.compile(r"(?i)@?\bwikiwhy\b")  # typed, and not chosen from the list of people
_NAMED_LAST = re.compile(r", *[A-ZÄÖÜ][\w-]+ *[?!.]*$")
_AT_SOMEBODY = re.compile(r"(?:^|\s)@\w")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": "'"})

_GREETING = rf"{GREETING}(?: {GREETED})*"
_ABOUT_THE_BOT = (
    r"(?:please |bitte )?(?:help|hilfe)(?: (?:me|please|bitte))*"
    r"|(?:who|what) are you|are you (?:a |an )?(?:bot|robot|human|person|ai)|how do you work|how does this bot work"
    r"|what do you do|what (?:else )?can you do(?: for (?:me|us))?|what (?:else )?can i ask(?: you)?"
    r"|(?:how )?can you help(?: (?:me|us))?"
    r"|wer bist du|wer sind sie|was (?:bist|machst) du|bist du (?:ein |eine )?(?:bot|roboter|mensch|ki)"
    r"|wie funktionierst du|wie funktioniert dieser bot|was kann ich (?:dich |sie |hier )?(?:alles )?fragen"
    r"|was (?:kannst du|können sie)(?: (?:denn|so|alles|eigentlich|noch|für (?:mich|uns)|tun))*"
    r"|(?:kannst du|können sie) (?:mir|uns) (?:bitte )?helfen"
)
_CALLS_FOR_HELP = re.compile(rf"(?:{_GREETING})|(?:{_GREETING} )?(?:{_ABOUT_THE_BOT})")

_SMALL_TALK: Mapping[Language, frozenset[str]] = {
    "en": split_set(
        "hello good morning afternoon evening day there everyone everybody thanks thank thx ty cheers please"
    ),
    "de": split_set(
        """hallo moin servus guten morgen tag abend grüß zusammen danke dank dankeschön vielen bitte hilfe roboter
        mensch ki"""
    ),
}
"""Words of greetings, thanks and calls for help that only one language has."""


def is_question(text: str) -> bool:
    """Whether a text reads like a question to the bot, or a continuation of one."""
    said = NOISE.sub(" ", text.translate(_APOSTROPHES)).strip()
    if not list_words(said) or is_acknowledgement(text) or _addresses_somebody(said):
        return False
    if "?" in said:
        return not _asks_people(said.lower())
    return any(_is_question_sentence(sentence) for sentence in re.split(r"[.!\n]+\s*", said))


def calls_for_help(text: str) -> bool:
    """Whether a text is only a greeting, or asks what the bot is or can do; the help answers that, not the wiki."""
    said = " ".join(list_words(NOISE.sub(" ", text)))
    return bool(said) and "://" not in text and bool(_CALLS_FOR_HELP.fullmatch(said))


def find_language(text: str) -> Language | None:
    """Return the language of a text to the bot, or None if the text does not tell, such as "Hi", a name or a sign.

    Then the language of the person's client decides (:meth:`ChatService.find_language`).
    """
    if is_language_clear(text, 1) or is_clear_by_letters(text):
        return detect_catalogue(text)
    counts = {language: sum(word in known for word in list_words(text)) for language, known in _SMALL_TALK.items()}
    if counts["en"] == counts["de"]:
        return None
    return "en" if counts["en"] > counts["de"] else "de"


def _addresses_somebody(said: str) -> bool:
    """Whether a text addresses a person by name."""
    said = _OUR_NAME.sub("bot", said)
    first = _NAMED_FIRST.match(said)
    is_name = first and not re.fullmatch(GREETED, first[1].lower())
    named = (
        first
        and is_name
        and first[1].lower() not in _OPENERS | QUESTION_WORDS | _AUXILIARIES | _CONTINUES | ACKNOWLEDGES
    )
    return bool(named or _NAMED_LAST.search(said) or _AT_SOMEBODY.search(said))


def _asks_people(said: str) -> bool:
    """Whether a question asks people what they think, did or will do, which no wiki can answer."""
    inside = list_words(said)
    if all(word in _REACTS | _OPENERS for word in inside):
        return True
    if _ANYBODY.search(said):
        return not _KNOWS.search(said)
    if _DU.search(said):
        return not any(word in _ASKED_OF_YOU for word in inside)
    if not _OPINION.search(said) or _GENERIC_YOU.search(said):
        return False
    asked = re.search(r"\byou (?:please |maybe |also )?(\w+)( (?:a )?look)?", said)
    return not (asked and asked[1] in _WIKI_TASKS and not asked[2])


def _is_question_sentence(sentence: str) -> bool:
    """Whether a sentence without a question mark has the word order of a question, or continues one."""
    rest = sentence.lower().replace(",", " ").split()
    begins = next((at for at, word in enumerate(rest) if word.strip(":;–-") not in _OPENERS), len(rest))
    rest = rest[begins:]
    if not rest:
        return False
    first, second, *_ = *rest, "", ""
    if first in _CONTINUES:
        follows = _has_question_order(second, rest[2] if len(rest) > 2 else "", len(rest) - 1)
        return follows or (bool(second) and second not in _STATES and len(rest) <= _MOST_CONTINUED)
    if _WHAT_ABOUT.search(" ".join(rest)):
        return True
    return _has_question_order(first, second, len(rest))


def _has_question_order(first: str, second: str, length: int) -> bool:
    if first in _IMPERATIVES:
        return True
    if first in _TELL_VERBS:
        return second in _TO_ME
    if first.partition("'")[0] in QUESTION_WORDS and "'" in first:  # what's: the verb is in it
        return second not in {"up", "new"}
    if first in _UNTIL and second in QUESTION_WORDS:
        return True
    if first in QUESTION_WORDS:
        return second not in _SUBJECTS | _EXCLAIMS or first in {"why", "warum", "wieso"}
    if first not in _AUXILIARIES:
        return False
    if first in {"have", "has"} and second in {"a", "an"}:  # a nice weekend
        return False
    return second in _SUBJECTS or (first in _PLAIN_SUBJECTS and length > 2 and second not in _NO_SUBJECTS)


def keep_language(question: Question, language: Language) -> Question:
    """Return the question with the language of the person's client, if its words do not tell."""
    if question.language == language or find_language(question.as_asked):
        return question
    return replace(question, kept_language=language)
