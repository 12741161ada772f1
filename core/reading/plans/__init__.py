"""Binds a question to relations: a :mod:`.plan` has an operation, columns and conditions.

1. :mod:`.binding` makes the plans of a question, one for each relation, and orders them by their fit. Tables that
   continue each other are one (:mod:`.continued_tables`), and so are task lists (:mod:`.tasks`).
2. :mod:`.plan_conditions` chooses the conditions. :mod:`.conditions` binds words to cells, with :mod:`.exact_cells` and
   :mod:`.light_values` for cells that need care. :mod:`.meaning` and :mod:`.translation` match other words and
   languages by vectors, :mod:`.initials` short names.
3. :mod:`.measure`, :mod:`.distinct_columns`, :mod:`.result_columns` and :mod:`.several_verdicts` find columns, and
   :mod:`.refine` adds them, and conditions on them with :mod:`.given` and :mod:`.negation`.
4. :mod:`.plan_facts` says what a plan accounts for. :mod:`.safety` declines one that does not account for the question,
   :mod:`.plan_exclusion` one that cannot be meant, :mod:`.phrase_safety` one of a phrase that does not mean its rows.
   :mod:`.unknown_names` finds names that no row has.
5. :mod:`.plan_trace` writes a plan for the trace.
"""
