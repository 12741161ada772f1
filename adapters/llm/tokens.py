"""Estimating the number of tokens of a text without the model's tokenizer."""

from __future__ import annotations

import math
import re

from core.model import Prompt

# Byte-pair vocabularies contain short words as a whole, split long ones, and newer ones split numbers into digits. An
# English vocabulary splits German words into more pieces than English words. The constants are for that case.
_PIECE = re.compile(r"[A-Za-z]+|[ \t]{2,}|\n+|[^\sA-Za-z]")
_WHOLE_WORD = 3
_LETTERS_A_TOKEN = 2.25
_LATIN_END = "\u024f"
_ACCENTED = 2.0  # tokens per letter, which splits its word in two
_OTHER_SCRIPT = 1.6  # tokens per character
_ROLE = 8  # tokens of a chat template around a message


def count_tokens(text: str) -> int:
    """Return an estimate: 1.0 to 1.7 times the tokens of SmolLM2 and Qwen2.5 for English and German text."""
    return math.ceil(sum(_estimate_tokens(piece) for piece in _PIECE.findall(text)))


def count_prompt_tokens(prompt: Prompt) -> int:
    """Return an estimate for a prompt, including the tokens around its messages."""
    return sum(count_tokens(message.text) + _ROLE for message in prompt.messages)


def _estimate_tokens(piece: str) -> float:
    if piece.isascii():
        return 1 + max(0, len(piece) - _WHOLE_WORD) / _LETTERS_A_TOKEN if piece.isalpha() else 1
    return _ACCENTED if piece <= _LATIN_END else _OTHER_SCRIPT
