"""The benchmark of retrieval reads both formats of questions and changes settings by name."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.ranking import change, measure, read_wanted
from bot.wiring import Application
from core.retrieval.retriever import RetrievalSettings

EXAM = Path("benchmarks/questions/samples.json")


def test_the_answerable_questions_of_an_exam_are_asked_in_all_their_languages() -> None:
    answerable = [entry for entry in json.loads(EXAM.read_text("utf-8")) if entry["answerable"]]
    wanted = read_wanted(EXAM)
    assert len(wanted) == 2 * len(answerable)
    assert {each.language for each in wanted} == {"en", "de"}
    assert wanted[0].pages == frozenset(answerable[0]["page_ids"])


def test_conversations_are_asked_as_a_person_completed_them(tmp_path: Path) -> None:
    urls = ["https://x.org/wiki/spaces/A/pages/17/Trips", "https://x.org/wiki/spaces/A/pages/18/Other"]
    turn = {"q_en": "And who?", "q_de": "Und wer?", "completed_q_en": "Who approves trips?", "completed_q_de": "Wer?"}
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([{"conv_id": 1, "turns": [{**turn, "a_url": urls, "a": "Ann"}]}]), "utf-8")
    english, german = read_wanted(path)
    assert (english.language, english.question) == ("en", "Who approves trips?")
    assert german.question == "Wer?"
    assert english.pages == {"17", "18"}


def test_changes_have_the_types_of_the_settings() -> None:
    changed = change(RetrievalSettings(), "title_by_meaning=0 matched_candidates=20")
    assert (changed.title_by_meaning, changed.matched_candidates) == (0.0, 20)


async def test_the_rank_is_that_of_the_first_evidence_of_a_gold_page(sample_wiki: Application) -> None:
    ranks = await measure(sample_wiki.retriever, read_wanted(EXAM)[:2])
    assert sorted(ranks) == ["de", "en"]
    assert all(0 <= rank <= 10 for found in ranks.values() for rank in found)
