import json
from typing import Any

import httpx2
import openai
import pytest

from adapters.llm.stream_reader import read_response, remove_thinking


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


@pytest.mark.parametrize(
    "odd",
    [None, [], 7, {}, {"choices": None}, {"choices": {}}, {"choices": [None]}, {"choices": [{"delta": None}]},
     {"choices": [{"delta": {"content": [1]}, "finish_reason": 7}], "usage": "none"}],
)  # fmt: skip
async def test_chunks_without_text_are_passed_over(odd: Any) -> None:
    chunks = [odd, {"choices": [{"delta": {"content": "Ada."}}]}, odd, {"choices": [{"finish_reason": "stop"}]}, odd]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    response = httpx2.Response(200, text=body, headers={"content-type": "text/event-stream"})
    client = openai.AsyncOpenAI(api_key="none", base_url="http://localhost")
    stream = openai.AsyncStream[object](cast_to=object, response=response, client=client)
    written = await read_response(stream, None)
    assert (written.text, written.finish_reason, written.usage) == ("Ada.", "stop", None)
