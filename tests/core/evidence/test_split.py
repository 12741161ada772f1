"""Sentence boundaries and cutting of long texts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evidence.split import cut, group_lengths, split_part, split_sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["It works.", "Does it?", "Yes!", "Good."],
        ["Use e.g. Redis or etc. Postgres.", "Then stop."],
        ["Dr. Smith met Mr. Bond.", "They talked."],
        ["Upgrade to v1.2.3 now.", "Version 2.0 follows."],
        ["See https://x.org/a.b?c=D for more.", "Fine."],
        ["Wir treffen uns am 3. Mai in Bonn.", "Danach essen wir."],
        ["Das gilt z. B. für Hamburg, d. h. im Norden.", "Und ggf. Bremen."],
        ["Siehe Nr. 5 und Abb. 3 oben.", "Ende."],
        ["Die Antwort ist no.", "Then we go on."],
        ['Er sagte: "Nein."', "Dann ging er."],
        ["Öffnen Sie das Tor.", "Überall gilt das.", "„Ja.“", "(Nein.)"],
        ["A. Meier kommt.", "B. Huber auch."],
        ["line one", "line two."],
        ["Warte …", "Dann los."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(parts: list[str]) -> None:
    separator = "\n" if parts == ["line one", "line two."] else " "
    assert split_sentences(separator.join(parts)) == parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "承認が必要です。承認者は課長です！誰ですか？水野です。",
            ["承認が必要です。", "承認者は課長です！", "誰ですか？", "水野です。"],
        ),
        ("「はい。」と答える。次は人事へ。", ["「はい。」と答える。", "次は人事へ。"]),
        ("由经理审批。超过五千元怎么办？“找总监。”", ["由经理审批。", "超过五千元怎么办？", "“找总监。”"]),
        ("¿Quién aprueba? ¡Nadie! Ver la pág. 3.", ["¿Quién aprueba?", "¡Nadie!", "Ver la pág. 3."]),
        ("Mme. Faucheux signe. M. Petit aussi.", ["Mme. Faucheux signe.", "M. Petit aussi."]),
    ],
)
def test_sentences_of_other_languages(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


def test_fenced_code_stays_whole() -> None:
    assert split_sentences("Run. This:\n```sh\na. B\n\nc\n```\nDone. Yes.") == [
        "Run.",
        "This:",
        "```sh\na. B\n\nc\n```",
        "Done.",
        "Yes.",
    ]


prose = st.text(st.sampled_from("aB 1.?!…„“()`\n\u00a0äÖß漢🙂"), max_size=120)


@given(prose)
def test_sentences_rejoin_to_the_text(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@given(st.lists(prose.filter(str.strip), max_size=12), st.integers(5, 60))
def test_packing_loses_nothing_keeps_order_and_the_limit(parts: list[str], limit: int) -> None:
    pieces = [piece for part in parts for piece in split_part(part, limit)]
    groups = [[pieces[at] for at in group] for group in group_lengths([len(piece) for piece in pieces], limit)]
    assert all(sum(map(len, group)) + len(group) - 1 <= limit for group in groups if "```" not in "".join(group))
    if not any("```" in part for part in parts):
        assert "".join("".join(piece for group in groups for piece in group).split()) == "".join("".join(parts).split())


@given(st.lists(st.text(st.sampled_from("ab ;{}\n"), max_size=40), max_size=20), st.integers(40, 90))
def test_fences_stay_balanced_and_code_complete_when_cut(code_lines: list[str], limit: int) -> None:
    body = "\n".join(code_lines).strip("\n")
    text = f"Run this:\n```java\n{body}\n```\nThen that."
    pieces = cut(text, limit)
    assert all(len(re.findall("(?m)^```", piece)) % 2 == 0 for piece in pieces)
    assert all(len(piece) <= limit for piece in pieces)
    told = "".join(line for piece in pieces for line in piece.split("\n") if not line.startswith("```"))
    assert "".join(told.split()) == "".join(f"Run this:{body}Then that.".split())


def test_a_long_text_is_cut_at_the_best_boundary() -> None:
    assert cut("one two three. four five six seven", 20) == ["one two three.", "four five six seven"]
    assert cut("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


def test_groups_fill_up_to_the_limit() -> None:
    assert [list(group) for group in group_lengths([4, 5, 1, 30, 2], 10)] == [[0, 1], [2], [3], [4]]
    assert group_lengths([], 10) == []
