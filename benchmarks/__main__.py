"""``python -m benchmarks``: measure all figures, the quick ones first."""

from benchmarks import (
    answering,
    attribution,
    confluence,
    demo,
    evaluation,
    explain,
    extraction,
    model,
    retrieval,
    slack,
    stability,
    streaming,
    sync,
    teams,
)
from benchmarks.child import WORK
from benchmarks.report import main

if __name__ == "__main__":
    groups = (
        extraction,
        sync,
        retrieval,
        answering,
        explain,
        demo,
        evaluation,
        attribution,
        streaming,
        model,
        stability,
        confluence,
        slack,
        teams,
    )
    main(*(group.measure for group in groups), written=WORK.with_suffix(".json"))
