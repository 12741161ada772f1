"""Measures against values worked out by hand."""

from core.model import NOT_FOUND, Answer, Citation, Question, RankedEvidence, Scope, Turn
from evaluation.measures import Judged, judge
from evaluation.questions import GoldQuestion
from evaluation.run import Evaluation
from tests.core.answering.examples import evidence

URL = "https://w/pages/{}/Title"


def gold(*pages: int, language: str = "en", turn: int = 1, answer: str = "", source: str = "table") -> GoldQuestion:
    return GoldQuestion(
        conversation="1",
        turn=turn,
        language=language,  # type: ignore[arg-type]
        as_asked="And the price?",
        human_completed="What is the price of the bell?",
        gold_urls=tuple(URL.format(page) for page in pages),
        gold_answer=answer,
        labels=(("source", source),),
    )


def turn(*pages: int, answer: str = "It is 40 euros.", cited: int = 0, url: str = URL) -> Turn:
    """A turn that found evidences of these pages, and cites the first or ``cited``."""
    found = [evidence("text", page_id=str(page)) for page in pages]
    ranked = tuple(
        RankedEvidence(_at(item, f"{url.format(item.page_id)}#heading"), rank, 1 / rank)
        for rank, item in enumerate(found, start=1)
    )
    answered = answer != NOT_FOUND
    number = cited or (pages[0] if pages else 0)
    citation = Citation(1, "e", str(number), "", "", url.format(number) + "#heading", "passage", "text")
    made = Answer(answer, answered, (citation,) if answered else ())
    return Turn("t", "c", "", Question("q", "q"), ranked, made, Scope(), {}, {})


def _at(item, url):  # type: ignore[no-untyped-def]
    from dataclasses import replace

    return replace(item, url=url)


def evaluation(*pairs: tuple[GoldQuestion, Turn]) -> dict[str, object]:
    return Evaluation(tuple(judge(question, asked) for question, asked in pairs)).summary()


def judged(question: GoldQuestion, asked: Turn) -> Judged:
    return judge(question, asked)


def test_the_rank_is_that_of_the_first_evidence_of_any_gold_page() -> None:
    assert judged(gold(3, 4), turn(1, 2, 4, 3)).rank == 3
    assert judged(gold(3), turn(1, 2)).rank is None
    assert judged(gold(3), turn()).rank is None


def test_pages_are_the_same_by_number_though_their_urls_differ_in_punctuation() -> None:
    item = judged(gold(3), turn(3, url="https://w/pages/{}/Title,+the+second"))
    assert item.rank == 1
    assert not item.literal_first
    assert judged(gold(3), turn(3)).literal_first


def test_measures_of_four_questions() -> None:
    """Ranks 1, 2, none, 11: P@1 1/4, hit@10 2/4, MRR@10 (1 + 1/2) / 4."""
    summary = evaluation(
        (gold(1), turn(1)),
        (gold(1), turn(2, 1)),
        (gold(1), turn(2, 3)),
        (gold(1), turn(*range(2, 12), 1)),
    )
    assert summary["questions"] == 4
    assert summary["p_at_1"] == summary["p_at_1_literal"] == 0.25
    assert summary["hit_at_10"] == 0.5
    assert summary["mrr_at_10"] == 0.375


def test_questions_that_the_wiki_does_not_answer_count_for_refusal_only() -> None:
    summary = evaluation(
        (gold(1), turn(1)),
        (gold(), turn(2, answer=NOT_FOUND)),
        (gold(), turn(2, answer=NOT_FOUND)),
        (gold(language="de"), turn(2)),
    )
    assert summary["questions"] == 4
    assert summary["p_at_1"] == 1.0
    answers = summary["answer"]
    assert isinstance(answers, dict)
    assert answers["refused"] == 0.0
    assert answers["unanswerable"]["questions"] == 3
    assert answers["unanswerable"]["refused"] == 0.6667
    assert answers["unanswerable"]["by"]["language"] == {"de": 0.0, "en": 1.0}


def test_breakdowns_by_language_source_and_turn_in_natural_order() -> None:
    by = evaluation(
        (gold(1, turn=10), turn(1)),
        (gold(1, turn=2, language="de"), turn(2)),
        (gold(1, turn=2, source="list"), turn(2, 1, answer=NOT_FOUND)),
    )["by"]
    assert isinstance(by, dict)
    assert by["language"]["en"] == {"questions": 2, "p_at_1": 0.5, "hit_at_10": 1.0, "refused": 0.5}
    assert by["language"]["de"]["p_at_1"] == 0.0
    assert set(by["source"]) == {"table", "list"}
    assert list(by["turn"]) == ["2", "10"]


def test_answers_are_measured_by_their_first_citation_and_the_gold_answers_words() -> None:
    """Of "40 euros net": "40" and "euros" are in the answer, "net" is not; a refusal has none of its two words."""
    answers = evaluation(
        (gold(1, answer="40 euros net"), turn(1)),
        (gold(1, answer="40 euros"), turn(1, answer=NOT_FOUND)),
        (gold(1), turn(1, 2, cited=2)),
    )["answer"]
    assert isinstance(answers, dict)
    assert answers["refused"] == 0.3333
    assert answers["answered"] == 0.6667
    assert answers["cited_gold"] == 0.5
    assert answers["contains_gold_words"] == 0.3333


def test_words_of_the_question_are_no_answer() -> None:
    answers = evaluation((gold(1, answer="price of the bell: 40"), turn(1, answer="The price of the bell.")))["answer"]
    assert isinstance(answers, dict)
    assert answers["contains_gold_words"] == 0.0


def test_an_empty_set_has_all_figures() -> None:
    summary = evaluation()
    assert summary["questions"] == summary["p_at_1"] == summary["hit_at_10"] == summary["mrr_at_10"] == 0
    assert summary["by"] == {}
