"""A plan is shown as SQL."""

from __future__ import annotations

import pytest

from tests.core.reading.tables import MACHINES, compute, evidences
from tests.core.reading.test_operations import BELLS, PAGES


@pytest.mark.parametrize(
    ("question", "content", "sql"),
    [
        (
            "How many machines have an F for S3?",
            MACHINES,
            'SELECT COUNT(*) FROM "Machines on page Tower" WHERE "S3 P/F" = \'F\'',
        ),
        (
            "Which machines do not have build 1630?",
            MACHINES,
            'SELECT "Vendor", "Build" FROM "Machines on page Tower" WHERE NOT "Build" LIKE \'%1630%\'',
        ),
        (
            "How many different vendors are on the list of machines?",
            MACHINES,
            'SELECT COUNT(DISTINCT "Vendor") FROM "Machines on page Tower"',
        ),
        (
            "Which vendors do not have build 1630?",
            MACHINES,
            'SELECT DISTINCT "Vendor" FROM "Machines on page Tower" WHERE "Vendor" NOT IN '
            '(SELECT "Vendor" FROM "Machines on page Tower" WHERE ("Build" LIKE \'%1630%\'))',
        ),
        (
            "What's the heaviest bell?",
            BELLS,
            'SELECT "Bell", "Weight" FROM "Bells on page Tower" ORDER BY "Weight" DESC LIMIT 1',
        ),
        (
            "Does the Gelderland have a motor?",
            BELLS,
            'SELECT "Bell", "Motor" FROM "Bells on page Tower" WHERE "Bell" LIKE \'%Gelderland%\'',
        ),
        (
            "Night pages from January to March in total?",
            PAGES,
            'SELECT SUM("Night") FROM "Pages per month on page Tower" WHERE "Month" BETWEEN \'January\' AND \'March\'',
        ),
        (
            "Which bells have a weight below 1,000 kg?",
            BELLS,
            'SELECT "Bell", "Weight" FROM "Bells on page Tower" WHERE "Weight" < \'1,000 kg\'',
        ),
    ],
)
def test_the_plan_is_one_statement(question: str, content: str, sql: str) -> None:
    computed = compute(question, evidences(content, "Tower"))
    assert computed is not None
    assert computed.traced.sql == sql
    assert computed.traced.rows == len(computed.result.rows)


def test_quotation_marks_of_a_page_do_not_end_a_name_or_a_value() -> None:
    rows = "<tr><td>A1</td><td>yes</td></tr><tr><td>B2</td><td>no</td></tr>"
    table = f'<table><tr><th>Na"me</th><th>Motor</th></tr>{rows}</table>'
    computed = compute("Does A1 have a motor?", evidences(table, "Tower's"))
    assert computed is not None
    assert 'SELECT "Na""me", "Motor" FROM "Tower\'s"' in computed.traced.sql
