"""Finds and removes sentences of pages that address a language model instead of people (indirect prompt injection).

Prompts mark sources as data, but small models follow such sentences all the same. So they are removed from prompts and
answers (cf. Greshake et al., 2023, arXiv:2302.12173).
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from core.evidence.split import split_sentences
from core.model import Context, Evidence, RankedEvidence
from core.text import LATIN_LOOKALIKES, normalize_unicode
from core.text_caches import cache_texts

LEFT_OUT = "[…]"

_MODEL = (
    r"(?:a\.?i\.?|k\.?i\.?|llms?|(?:large )?language models?|(?:ai |digital |virtual )?assistants?|chat ?bots?|"
    r"bots?|gpt\S{0,20}|copilot|sprachmodelle?|assistent(?:in|en)?|wikiwhy)"
)
_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|commands?|context|messages?|sources?|evidence|training|"
    r"anweisung(?:en)?|regeln?|vorgaben?|befehle?|quellen?|anleitung(?:en)?)"
)
_ORDERS = r"(?:instructions?|prompts?|directives?|anweisung(?:en)?|befehle?)"
_REPLY = r"(?:repl(?:y|ies)|responses?|answers?|outputs?|messages?|summar(?:y|ies)|antwort(?:en)?|ausgaben?)"

_PATTERNS = (
    # cancelling the model's instructions
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
    r"ab jetzt|ab sofort)\b|\b(?:jailbreak|dan mode|developer mode|do anything now)\b",
    # addressing it
    rf"(?:^|[.!?:\n(>*-]\s*)(?:dear|hey|hello|attention|note|notice|important|message|hinweis|achtung|wichtig|"
    rf"nachricht)[\s:,!]*(?:to|for|an|für)?\s*(?:the|any|all|every|die|das|den|alle|jede\w*)?\s*{_MODEL}\b",
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
    rf"beginne?n?|beende?n?)\b[^\n]{{0,160}}\b(?:your|every|each|any|all|deine\w*|ihre\w*|jede\w*)\s+{_REPLY}\b",
    rf"\b(?:your|deine|ihre)\s+{_REPLY}\b[^.\n]{{0,30}}\b(?:must|should|shall|has to|muss|soll\w*)\b",
    r"\b(?:do not|don't|never|nicht|niemals)\b[^.\n]{0,30}\b(?:answer|cite|mention|reveal|use|quote|beantworte\w*|"
    r"zitiere\w*)"
    r"\b[^.\n]{0,30}\b(?:the user|user's|this question|the question|any question|other sources?|the sources?|der frage|"
    r"die frage|den nutzer|die quellen?)\b",
    r"\b(?:say|write|output|print|state|claim|tell (?:the|every) (?:user|reader|person)s?|sage?|schreibe?|behaupte?)\b"
    r"[^.\n]{0,40}\b(?:instead of (?:the|an?|your) (?:answer|response)|anstatt (?:der|einer) antwort|no matter what|"
    r"regardless of (?:the|any) question|egal was)\b",
    r"\b(?:whatever|no matter what|regardless of what)\b[^.\n]{0,30}\b(?:the user|they|is asked|he or she|"
    r"user) ?(?:asks?|says?|wants?)?\b|\begal,? was\b[^.\n]{0,30}\bfrag\w+",
    # about the answer that is being written, and about who asks for it
    r"\b(?:answers?|antwort(?:en)?)\b[^.\n]{0,60}\b(?:must|should|shall|has to|have to|also|auch|muss|müssen|soll\w*)\b"
    r"[^.\n]{0,60}\b(?:name|mention|recommend|cite|includ|contain|add|link|begin|end|empf[eo]hl|erwähn|nenn)\w*",
    r"\b(?:if|when(?:ever)?|falls|wenn|sobald)\b[^.\n]{0,12}\b(?:(?:asked|gefragt)(?! (?:to|for)\b)|"
    r"(?:any(?:one|body)|some(?:one|body)|(?:the |an? )?(?:users?|readers?)|people|jemand|man|"
    r"(?:der |ein )?(?:nutzer|benutzer|leser))\b[^.\n]{0,12}\b(?:asks?|fragt))\b"
    r"[^\n]{0,80}[,:]\s*(?:then |please |bitte |dann )?"
    r"(?:say|answer|reply|respond|state|claim|sage?|antworte|behaupte)\b",
    r"\bbefore (?:you answer|answering) (?:me|this|the (?:question|user))\b",
    r"^\s*(?:answer|antwort)\s*:[^\n]*\[\d+\]",
    r"\b(?:suggest|propose|rewrite|rephrase|schlage?|formuliere)\b[^.\n]{0,30}\b(?:next|follow-up|last|nächste\w*|letzte\w*)"
    r" (?:question|frage)\b",
    rf"\b{_MODEL}\b[^.?!\n]{{0,20}}\b(?:must|should|shall|ha(?:s|ve) to|muss|müssen|soll\w*)\b[^.\n]{{0,60}}"
    rf"\b(?:not answer questions|(?:begin|start|end|close|finish|answer|reply|respond) (?:with|only|that)|say that)\b",
    r"\b(?:was|were|have been) (?:said|told|given) to you\b"
    r"|\b(?:oublie|ignore)z\b[^.\n]{0,30}\b(?:consignes|instructions)\b"
    r"|\b(?:olvida|ignora)\b[^.\n]{0,30}\binstrucciones\b|\b(?:dimentica|ignora)\b[^.\n]{0,30}\bistruzioni\b"
    r"|\b(?:vergeet|negeer)\b[^.\n]{0,30}\binstructies\b",
    # the tags of sources in our prompts, and those of chat templates
    r"<\s*source\s+number\s*=",
    r"<\|[^|>\n]{1,40}\|?>|\[/?inst\]|<</?sys>>|</?s>|<(?:start|end)_of_turn>|^#{2,}\s*(?:system|instruction|"
    r"assistant|user)\b\s*:?|^\s*(?:system|assistant)\s*:",
)
_AT_WORDS = "|".join(pattern for pattern in _PATTERNS if pattern.startswith(r"\b"))
_ELSEWHERE = "|".join(pattern for pattern in _PATTERNS if not pattern.startswith(r"\b"))
_ANY_PATTERN = rf"\b(?=\w)(?:{_AT_WORDS})|{_ELSEWHERE}"
"""Patterns in lower case: searching a lower-cased text is twice as fast as searching without regard to case.

Most begin at a word, which is looked for once and not by each of them: this takes a third of the time.
"""
_INSTRUCTION = re.compile(_ANY_PATTERN, re.IGNORECASE | re.MULTILINE)
_SMALL_INSTRUCTION = re.compile(_ANY_PATTERN, re.MULTILINE)


_TOGETHER = 4  # parts across which an instruction may extend
_MARKER = re.compile(r"^\s*(?:[-*•]|\d+\.|\[[ x]\]) ")


@cache_texts(10_000)
def is_instruction(sentence: str) -> bool:
    """Whether a sentence looks like an instruction to a language model, also in disguise."""
    plain = remove_disguises(sentence)
    if plain.isascii():  # for other letters, such as "ı", lower() and IGNORECASE differ
        return bool(_SMALL_INSTRUCTION.search(plain.lower()))
    return bool(_INSTRUCTION.search(plain))


def count_parts_before_instruction(parts: Sequence[str]) -> int:
    """Return the number of parts before the first instruction, which may extend over several parts.

    All later parts are taken as belonging to it, since nothing shows where an instruction ends.
    """
    end = next((at for at, part in enumerate(parts) if is_instruction(part)), len(parts))
    plain = [_MARKER.sub("", part) for part in parts[:end]]
    together = [at for at in range(end) if is_instruction(" ".join(plain[at : at + _TOGETHER]))]
    # The last window that contains the whole instruction begins with it.
    return next((at for at in together if at + 1 not in together), end)


_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")  # base64
_LETTERS_APART = re.compile(r"\b(?:[^\W\d_][ .·_-]){3,}[^\W\d_]\b")


def remove_disguises(text: str) -> str:
    """Return the text without invisible characters, look-alikes, spaced letters and base64."""
    visible = text
    if not text.isascii() and not text.isprintable():  # both have no such characters, which are slow to find one by one
        visible = "".join(character for character in text if unicodedata.category(character) not in {"Cf", "Co", "Cn"})
    # White space is collapsed, so that no pattern has to search long runs of it.
    lines = (" ".join(line.split()) for line in normalize_unicode(visible, "NFKC").splitlines())
    plain = "\n".join(line for line in lines if line).translate(LATIN_LOOKALIKES)
    plain = _ENCODED.sub(_decode, plain)
    return _LETTERS_APART.sub(lambda found: re.sub(r"\W|_", "", found.group()), plain)


def _decode(found: re.Match[str]) -> str:
    code = found.group().rstrip("=")
    try:
        text = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_").decode("ascii")
    except (binascii.Error, UnicodeDecodeError):
        return found.group()
    return text if text.isprintable() else found.group()


def strip_evidences(evidences: Sequence[RankedEvidence]) -> tuple[list[RankedEvidence], int]:
    """Return the evidences without sentences that address a model, and the number of sentences removed.

    Evidences without any other sentence are dropped; ranks and ids do not change.
    """
    kept: list[RankedEvidence] = []
    left_out = 0
    for ranked in evidences:
        evidence, count = strip_evidence(ranked.evidence)
        left_out += count
        if evidence.parts:
            kept.append(ranked if evidence is ranked.evidence else replace(ranked, evidence=evidence))
    return kept, left_out


def strip_text(text: str) -> tuple[str, int]:
    """Return a text up to the first sentence that addresses a model, and the number of sentences removed."""
    said = split_sentences(text)
    count = count_parts_before_instruction(said)
    if count == len(said):
        # Sentences end at line breaks, also within an instruction.
        return (LEFT_OUT, len(said)) if is_instruction(text) else (text, 0)
    return _cut(text, said, count), len(said) - count


def strip_name(title: str) -> str:
    """Return a page's title for use in a question, which a model takes for the words of a person."""
    return strip_text(title)[0].removesuffix(LEFT_OUT).strip(" .:,;-–") if is_instruction(title) else title


@cache_texts(4_096)  # the store returns the same object for the same evidence
def strip_evidence(evidence: Evidence) -> tuple[Evidence, int]:
    """Return an evidence without sentences that address a model, and the number of sentences removed from it."""
    parts = evidence.parts
    count = count_parts_before_instruction(parts)
    context, left_out = _strip_context(evidence.context)
    if count == len(parts) and context is evidence.context:
        return evidence, 0
    text = evidence.text if count == len(parts) else _cut(evidence.text, parts, count)
    same_section = context.heading_path == evidence.context.heading_path
    url = evidence.url if same_section else evidence.url.partition("#")[0]  # the anchor repeats the heading
    cut = replace(evidence, text=text, parts=parts[:count], rows=evidence.rows[:count], context=context, url=url)
    return cut, left_out + len(parts) - count


def _strip_context(context: Context) -> tuple[Context, int]:
    title, before, after = (strip_text(text) for text in (context.title, context.before, context.after))
    headings = [strip_text(heading) for heading in context.heading_path]
    path = tuple(heading[0] for heading in headings)
    cleaned = replace(context, title=title[0], heading_path=path, before=before[0], after=after[0])
    # Sentences before and after belong to neighbouring evidences, where they are counted.
    return (cleaned, title[1] + sum(heading[1] for heading in headings)) if cleaned != context else (context, 0)


def _cut(text: str, parts: Sequence[str], count: int) -> str:
    """Return the text up to the end of its first ``count`` parts."""
    end = 0
    for part in parts[:count]:
        end = max(end, text.find(part, end) + len(part))
    return f"{text[:end]} {LEFT_OUT}".strip()
