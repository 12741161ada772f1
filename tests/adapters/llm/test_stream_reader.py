import pytest

from adapters.llm.stream_reader import remove_thinking


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", ""),
        ("<", ""),
        ("<thi", ""),
        ("\n<think>", ""),
        ("<think>hm", ""),
        ("<think>hm</think>", ""),
        ("<think>hm</think>\n\nAda.", "Ada."),
        ("<think></think>Ada.", "Ada."),
        ("hm</think>\nAda.", "Ada."),
        ("Ada.", "Ada."),
        ("<b>Ada.", "<b>Ada."),
        ("  Ada. ", "Ada. "),
        ("Write <think>…</think> around it.", "Write <think>…</think> around it."),
    ],
)
def test_what_a_model_thinks_is_no_answer(text: str, answer: str) -> None:
    assert remove_thinking(text) == answer
