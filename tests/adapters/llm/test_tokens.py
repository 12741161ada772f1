"""The estimate against token counts of llama.cpp's /tokenize with SmolLM2 (an English vocabulary) and Qwen2.5."""

import pytest

from adapters.llm.tokens import count_tokens

COUNTED = [
    (
        "To request holidays, open the HR portal and choose Absences. Your manager approves them "
        "within three working days; until then they count as requested. Holidays that are left "
        "over expire at the end of March.",
        43,
        41,
    ),
    (
        "Urlaub wird im Personalportal unter Abwesenheiten beantragt. Die Führungskraft genehmigt "
        "ihn binnen drei Arbeitstagen; übrig gebliebene Urlaubstage verfallen Ende März des "
        "Folgejahres.",
        73,
        50,
    ),
    (
        "Row 3 in Table 1: Country is Netherlands, Hotel limit per night is 180 €, Breakfast is "
        "included, Approved by is J. Meier, Date is 2026-01-15, IP is 10.32.1.255.",
        64,
        64,
    ),
    (
        "def total(rows: list[Row]) -> float:\n    return sum(row.amount * RATES[row.currency] for "
        "row in rows if row.state != 'draft')\n",
        40,
        33,
    ),
    (
        "https://hollerbell.example/wiki/spaces/BER/pages/3145729/B%C3%BCrohandbuch+Berlin#Schl%C3%BCssel-und-Zugang",
        53,
        43,
    ),
]


@pytest.mark.parametrize(("text", "english_vocabulary", "large_vocabulary"), COUNTED)
def test_the_estimate_is_rather_too_high_and_not_wild(
    text: str, english_vocabulary: int, large_vocabulary: int
) -> None:
    assert 0.95 * max(english_vocabulary, large_vocabulary) <= count_tokens(text) <= 2 * large_vocabulary
