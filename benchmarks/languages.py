"""Other languages than English and German: detection, and questions about pages in French, Spanish and Japanese.

`python -m benchmarks.languages [--data-dir DIR] [--answers FILE.tsv]`

For each language it prints the share of short questions whose language is detected, and for the exam about
`samples/languages` the share of questions with the right page first and of questions answered right.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.exam import main as take_exam
from core.languages import detect_language

QUESTIONS = Path("benchmarks/questions/languages")
DOCUMENTS = Path("samples/languages/documents")


def measure_detection(questions: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return for each language the share of its questions whose language is detected."""
    return {
        language: sum(detect_language(question) == language for question in own) / len(own)
        for language, own in questions.items()
    }


def main(arguments: list[str]) -> int:
    """Print the shares."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.languages", description=__doc__)
    parser.add_argument("--data-dir", default="data")
    parser.add_argument("--answers", help="a file of tab-separated values, to read every answer")
    options = parser.parse_args(arguments)
    questions = json.loads((QUESTIONS / "detection.json").read_text("utf-8"))
    for language, share in measure_detection(questions).items():
        print(f"{'detected':28} {language}  {share:.3f} of {len(questions[language])}")
    answers = ["--answers", options.answers] if options.answers else []
    return take_exam([str(QUESTIONS / "questions.json"), str(DOCUMENTS), "--data-dir", options.data_dir, *answers])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
