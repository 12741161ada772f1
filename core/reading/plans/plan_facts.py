"""What a plan accounts for: whether it has all names and conditions, and whether it names a row, a record or a cell."""

from __future__ import annotations

from collections.abc import Iterable

from core.reading.plans.conditions import Condition
from core.reading.plans.plan import Plan
from core.reading.questions.limits import SAYS_VERDICT, Comparison
from core.reading.relations.marks import is_blank
from core.reading.relations.relation import Relation
from core.reading.relations.rows import Row
from core.reading.words import fold_words, has_same_noun, split_words

ORDINALS = {
    name: str(number)
    for number, names in enumerate(
        (
            "third dritte dritten dritter",
            "fourth vierte vierten vierter",
            "fifth fünfte fünften fünfter",
            "sixth sechste sechsten sechster",
            "seventh siebte siebten siebter",
            "eighth achte achten achter",
            "ninth neunte neunten neunter",
            "tenth zehnte zehnten zehnter",
        ),
        start=3,
    )
    for name in names.split()
}
STRONG = 0.8  # strength of a condition with which the subject need not be bound, as in another language


def has_unbound_name(plan: Plan) -> bool:
    """Whether the question has a name that the relation does not have."""
    context = {word.folded for word in split_words(plan.relation.context)}
    ordinals = (ORDINALS[word.folded] for word in plan.unbound if word.folded in ORDINALS)
    return any(word.is_name for word in plan.unbound) or not context.issuperset(ordinals)


def is_named_by_heading(plan: Plan) -> bool:
    """Whether the last heading over a table or list has all words, at least two, for what is counted or listed."""
    heading = fold_words("".join(plan.relation.heading_path[-1:]))
    return len(plan.subject) > 1 and all(has_same_noun(word.folded, heading) for word in plan.subject)


def is_whole_cell(condition: Condition, rows: Iterable[Row]) -> bool:
    """Whether the value of a condition is the whole cell of one of the rows."""
    value = fold_words(condition.value)
    return any(fold_words(row.cells.get(condition.column, "")) == value for row in rows)


def has_all_conditions(plan: Plan) -> bool:
    """Whether the plan has a condition for each limit and for the negation of the question.

    If a light word may be a value ("does it own"), it also has any other one.
    """
    if not plan.conditions and any(not word.is_content for word in plan.unbound):
        return False
    limits = [condition for condition in plan.conditions if condition.limit]
    if len(limits) < len(plan.question.bounds):
        return False
    by_verdict = any(condition.comparison in SAYS_VERDICT for condition in plan.conditions)
    if by_verdict and (len(plan.unbound) > 1 or (plan.subject and plan.subject[-1] in plan.unbound)):
        return False
    if not _are_beside_partly_named(plan):
        return False
    if plan.question.negated is None:
        return True
    turned = [
        condition
        for condition in plan.conditions
        if condition.is_negated
        or condition.is_denial
        or condition.comparison in {Comparison.NEGATIVE, Comparison.MISSING}
    ]
    is_one = len({condition.value for condition in turned}) == len(turned[:1]) == 1
    return is_one and _is_bound_but_subject(plan) and not any(_is_unsure(plan, condition) for condition in turned)


def _are_beside_partly_named(plan: Plan) -> bool:
    """Whether unbound words are right beside the word that names a column of yes and no in part, if one is named so.

    "Air con" is "Air conditioning", but "access the office" is not "API access".
    """
    verdicts = {Comparison.POSITIVE, Comparison.NEGATIVE}
    named = [each.at for each in plan.conditions if each.comparison in verdicts and each.column not in plan.columns]
    words = plan.question.words
    return not named or all(any(abs(words.index(word) - at) == 1 for at in named) for word in plan.unbound)


def _is_bound_but_subject(plan: Plan) -> bool:
    """Whether all words are bound, or all but the noun for what is listed and one more, such as a verb.

    "Which machines were not bought from Dell" of a table with a column of vendors.
    """
    subject = {word.folded for word in plan.subject}
    chosen = [each for each in plan.conditions if not each.is_negated and each.strength >= STRONG]
    is_chosen = any({word.folded for word in split_words(each.value)} < subject for each in chosen)
    is_strong = all(each.strength >= STRONG for each in plan.conditions) and plan.relation.kind == "table"
    left = [word for word in plan.unbound if word != plan.subject[-1]]
    is_verb = len(left) <= 1 and all(word.text.islower() for word in left)
    return not plan.unbound or (is_chosen and not left) or (is_strong and is_verb)


def _is_unsure(plan: Plan, turned: Condition) -> bool:
    """Whether some cells of the negated column are blank. In a column of remarks, most are, and nothing is missing."""
    blank = sum(is_blank(row.cells.get(turned.column, "")) for row in plan.relation.rows)
    if turned.is_denial or (turned.is_negated and blank * 2 > len(plan.relation.rows)):
        return False
    return turned.comparison is not Comparison.MISSING and blank > 0


def names_each_row(relation: Relation, column: str) -> bool:
    """Whether a column beside a code has the names of the rows, as all its cells differ and have letters."""
    cells = [" ".join(cell.split()) for cell in relation.get_cells(column)]
    return all(cell[:1].isalpha() for cell in cells) and len(set(cells)) == len(cells) > 1


def names_counted(plan: Plan) -> bool:
    """Whether what is counted is the value of a condition on a column that names each row, as all cells differ."""
    asked_words = plan.question.words
    keys = [each for each in plan.conditions if not each.limit and not each.is_negated and _is_key(plan.relation, each)]
    return any(asked_words[at] == plan.subject[-1] for each in keys for at in each.bound if at < len(asked_words))


def _is_key(relation: Relation, condition: Condition) -> bool:
    cells = [" ".join(fold_words(cell)) for cell in relation.get_cells(condition.column)]
    return len(set(cells)) == len(cells) > 1


def names_record(plan: Plan) -> bool:
    """Whether the question says which record it is about, and not only which of its fields: "the owner of P-7"."""
    bound = (word for word in plan.question.needed if word not in plan.unbound)
    return bool(plan.conditions) or any(not has_same_noun(word.folded, plan.relation.headers) for word in bound)
