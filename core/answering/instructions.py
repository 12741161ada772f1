"""Sentences of pages that talk to a language model instead of to people (indirect prompt injection).

They are left out of prompts. What delimits sources and says that they are data holds without this; but small models
obey all the same, so what no reader misses does not get there (cf. Greshake et al., 2023, arXiv:2302.12173).
"""

from __future__ import annotations

import re

LEFT_OUT = "[…]"

_MODEL = (
    r"(?:a\.?i\.?|k\.?i\.?|llms?|(?:large )?language models?|(?:ai |digital |virtual )?assistants?|chat ?bots?|"
    r"bots?|gpt\S*"
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
    rf"\b(?:any|all|every|each|jede\w*|alle)\s+{_MODEL}\b[^.\n]{{0,40}}\b(?:must|should|shall|has to|have to|muss|"
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
    # the marks of chat templates
    r"<\|[^|>\n]{1,40}\|?>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|^#{2,}\s*(?:system|instruction|"
    r"assistant|user)\b\s*:?"
    r"|^\s*(?:system|assistant)\s*:",
)
_INSTRUCTION = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE | re.MULTILINE)


def talks_to_a_model(sentence: str) -> bool:
    """Whether a sentence reads as an instruction to a language model."""
    return bool(_INSTRUCTION.search(sentence))
