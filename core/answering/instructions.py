"""Sentences of pages that talk to a language model instead of to people (indirect prompt injection).

They are left out of prompts and of answers. What delimits sources and says that they are data holds without this; but
small models obey all the same, so what no reader misses does not get there (cf. Greshake et al., 2023,
arXiv:2302.12173).
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from core.text import LATIN_LOOKALIKES, normalize_unicode

LEFT_OUT = "[…]"

_MODEL = (
    r"(?:a\.?i\.?|k\.?i\.?|llms?|(?:large )?language models?|(?:ai |digital |virtual )?assistants?|chat ?bots?|"
    r"bots?|gpt\S{0,20}"
    r"|copilot|sprachmodelle?|assistent(?:in|en)?|wikiwhy)"
)
_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|context|messages?|sources?|evidence|training|"
    r"anweisung(?:en)?|regeln?|vorgaben?|befehle?|quellen?|anleitung(?:en)?)"
)
_ORDERS = r"(?:instructions?|prompts?|directives?|anweisung(?:en)?|befehle?)"
_REPLY = r"(?:repl(?:y|ies)|responses?|answers?|outputs?|messages?|summar(?:y|ies)|antwort(?:en)?|ausgaben?)"

_PATTERNS = (
    # setting aside what the model was told
    rf"\b(?:ignor\w*|disregard|forget|override|bypass|overlook|discard|vergiss|vergessen sie|missachte\w*|verwirf)\b"
    rf"[^.\n]{{0,60}}\b(?:previous|prior|above|earlier|other|all|any|your|system|these|the|bisherig\w*|vorherig\w*|"
    rf"obig\w*|alle\w*|deine|ihre)\b[^.\n]{{0,40}}\b{_RULES}\b",
    rf"\b(?:new|updated|real|actual|hidden|secret|system|developer|neue|geheime|wahre)\s+{_ORDERS}\b\s*(?::|are\b|"
    rf"is\b|follow)",
    r"\b(?:system|developer) (?:override|instructions?)\b",
    r"\b(?:reveal|print|repeat|show|leak|output|verrate|zeige)\b[^.\n]{0,40}\b(?:your|deine[nrm]?)\b[^.\n]{0,20}"
    r"\b(?:prompt|instructions?|rules?|anweisung(?:en)?)\b",
    # giving it another role
    r"\byou(?: are|'re| will be) now\b[^.\n]{0,30}\b(?:assistants?|bots?|ai|models?|pirate|persona|character|dan|"
    r"unrestricted|"
    r"(?:developer|debug|god|admin|unsafe) mode)\b|\bfrom now on\b[^.\n]{0,12}\byou (?:are|will|must|only|always)\b"
    r"|\b(?:pretend|act as if|roleplay|role-play)\b[^.\n]{0,30}\b(?:you|as|to be)\b|\bdu bist (?:jetzt|nun|"
    r"ab jetzt|ab sofort)\b"
    r"|\b(?:jailbreak|DAN mode|developer mode|do anything now)\b",
    # speaking to it
    rf"(?:^|[.!?:\n(>*-]\s*)(?:dear|hey|hello|attention|note|notice|important|message|hinweis|achtung|wichtig|"
    rf"nachricht)"
    rf"[\s:,!]*(?:to|for|an|für)?\s*(?:the|any|all|every|die|das|den|alle|jede\w*)?\s*{_MODEL}\b",
    rf"\b(?:if|when|while|wenn|falls|sobald)\b[^.\n]{{0,20}}\b(?:you|du|sie)\b[^.\n]{{0,20}}"
    rf"\b(?:are|bist|sind|ein|an?)\b\s*(?:an?|ein\w*)?\s*{_MODEL}\b",
    rf"(?:^|[.!?:\n]\s*){_MODEL}\s*[,:!]\s*\w+",
    rf"\b(?:as|als)\s+(?:an?|eine?)\s+{_MODEL}\s*,?\s*(?:you|du|sie)\b",
    rf"\b(?:any|all|every|each|jede\w*|alle)\s+{_MODEL}\b[^.?!\n]{{0,40}}\b(?:must|should|shall|has to|have to|muss|"
    rf"soll\w*)\b",
    # dictating what it writes
    r"\b(?:reply|respond|answer|antworte(?:n sie)?)\b[^.\n]{0,20}\b(?:only|exactly|solely|always|instead|nur|immer|"
    r"ausschließlich|stattdessen)\b[^.\n]{0,20}(?:\b(?:with|by|mit)\b|[:\"“„'])",
    rf"\b(?:include|add|insert|append|embed|put|place|begin|start|end|finish|prefix|füge\w*|schreibe?n?|setze?n?|"
    rf"beginne?n?|"
    rf"beende?n?)\b[^\n]{{0,160}}\b(?:your|every|each|any|all|deine\w*|ihre\w*|jede\w*)\s+{_REPLY}\b",
    rf"\b(?:your|deine|ihre)\s+{_REPLY}\b[^.\n]{{0,30}}\b(?:must|should|shall|has to|muss|soll\w*)\b",
    r"\b(?:do not|don't|never|nicht|niemals)\b[^.\n]{0,30}\b(?:answer|cite|mention|reveal|use|quote|beantworte\w*|"
    r"zitiere\w*)"
    r"\b[^.\n]{0,30}\b(?:the user|user's|this question|the question|any question|other sources?|the sources?|der frage|"
    r"die frage|den nutzer|die quellen?)\b",
    r"\b(?:say|write|output|print|state|claim|tell (?:the|every) (?:user|reader|person)s?|sage?|schreibe?|behaupte?)\b"
    r"[^.\n]{0,40}\b(?:instead of (?:the|an?|your) (?:answer|response)|anstatt (?:der|einer) antwort|no matter what|"
    r"regardless of (?:the|any) question|egal was)\b",
    r"\b(?:whatever|no matter what|regardless of what)\b[^.\n]{0,30}\b(?:the user|they|is asked|he or she|"
    r"user) ?(?:asks?|says?|wants?)?\b"
    r"|\begal,? was\b[^.\n]{0,30}\bfrag\w+",
    # talking about the answer that is being written, and about who asks for it
    r"\b(?:answers?|antwort(?:en)?)\b[^.\n]{0,60}\b(?:must|should|shall|has to|have to|also|auch|muss|müssen|soll\w*)\b"
    r"[^.\n]{0,60}\b(?:name|mention|recommend|cite|includ|contain|add|link|begin|end|empf[eo]hl|erwähn|nenn)\w*",
    r"\b(?:if|when(?:ever)?|falls|wenn|sobald)\b[^.\n]{0,12}\b(?:(?:asked|gefragt)(?! (?:to|for)\b)|"
    r"(?:any(?:one|body)|some(?:one|body)|(?:the |an? )?(?:users?|readers?)|people|jemand|man|"
    r"(?:der |ein )?(?:nutzer|benutzer|leser))\b[^.\n]{0,12}\b(?:asks?|fragt))\b"
    r"[^\n]{0,80}[,:]\s*(?:then |please |bitte |dann )?"
    r"(?:say|answer|reply|respond|state|claim|sage?|antworte|behaupte)\b",
    r"\bbefore (?:you answer|answering) (?:me|this|the (?:question|user))\b|^\s*(?:answer|antwort)\s*:[^\n]*\[\d+\]",
    r"\b(?:suggest|propose|rewrite|rephrase|schlage?|formuliere)\b[^.\n]{0,30}\b(?:next|follow-up|last|nächste\w*|letzte\w*)"
    r" (?:question|frage)\b",
    rf"\b{_MODEL}\b[^.?!\n]{{0,20}}\b(?:must|should|shall|ha(?:s|ve) to|muss|müssen|soll\w*)\b[^.\n]{{0,60}}"
    rf"\b(?:not answer questions|(?:begin|start|end|close|finish|answer|reply|respond) (?:with|only|that)|say that)\b",
    r"\b(?:was|were|have been) (?:said|told|given) to you\b"
    r"|\b(?:oublie|ignore)z\b[^.\n]{0,30}\b(?:consignes|instructions)\b"
    r"|\b(?:olvida|ignora)\b[^.\n]{0,30}\binstrucciones\b|\b(?:dimentica|ignora)\b[^.\n]{0,30}\bistruzioni\b"
    r"|\b(?:vergeet|negeer)\b[^.\n]{0,30}\binstructies\b",
    # the marks of sources in our prompts, and those of chat templates
    r"<\s*source\s+number\s*=",
    r"<\|[^|>\n]{1,40}\|?>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|^#{2,}\s*(?:system|instruction|"
    r"assistant|user)\b\s*:?"
    r"|^\s*(?:system|assistant)\s*:",
)
_INSTRUCTION = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE | re.MULTILINE)


_TOGETHER = 4  # parts, over which one instruction may be spread
_MARKER = re.compile(r"^\s*(?:[-*•]|\d+\.|\[[ x]\]) ")


@lru_cache(maxsize=10_000)
def talks_to_a_model(sentence: str) -> bool:
    """Whether a sentence reads as an instruction to a language model, also in disguise."""
    return bool(_INSTRUCTION.search(remove_disguises(sentence)))


def count_before(parts: Sequence[str]) -> int:
    """How many parts of a text stand before the first that talks to a model, alone or with those after it.

    What follows belongs to it: nothing tells where an instruction ends.
    """
    end = next((at for at, part in enumerate(parts) if talks_to_a_model(part)), len(parts))
    plain = [_MARKER.sub("", part) for part in parts[:end]]
    together = [at for at in range(end) if talks_to_a_model(" ".join(plain[at : at + _TOGETHER]))]
    # Of the windows that have it all, the last one begins with it.
    return next((at for at in together if at + 1 not in together), end)


_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")  # base64
_LETTERS_APART = re.compile(r"\b(?:[^\W\d_][ .·_-]){3,}[^\W\d_]\b")


def remove_disguises(text: str) -> str:
    """The text as it is meant: nothing invisible, look-alikes replaced, letters joined, base64 decoded."""
    visible = "".join(character for character in text if unicodedata.category(character) not in {"Cf", "Co", "Cn"})
    # White space folded: a pattern that looks for some of it never looks through much of it.
    lines = (" ".join(line.split()) for line in normalize_unicode(visible, "NFKC").splitlines())
    plain = "\n".join(line for line in lines if line).translate(LATIN_LOOKALIKES)
    plain = _ENCODED.sub(_decoded, plain)
    return _LETTERS_APART.sub(lambda found: re.sub(r"\W|_", "", found.group()), plain)


def _decoded(found: re.Match[str]) -> str:
    code = found.group().rstrip("=")
    try:
        text = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_").decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return found.group()
    return text if text.isprintable() else found.group()
