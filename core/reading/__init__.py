"""Reading: answers computed from whole tables and lists, and from the facts of pages.

In: a question and its ranked evidences. For a question about rows, by module:

1. :mod:`relation` joins the pieces of each table and list (:mod:`rows`) into a relation, without its
   :mod:`totals`, and finds each :mod:`inline list <inline_lists>`; :mod:`values` reads cells.
2. :mod:`question` finds the operation (count, list, largest, sum, mean, compare, check), :mod:`limits`, and in a check
   the :mod:`quantifier` (any, all, other).
3. :mod:`binding` makes a :mod:`plan`: it binds the other words to cells (:mod:`conditions`, :mod:`exact_cells`,
   :mod:`light_values`), headers and the context, with :mod:`measure`, :mod:`refine` and :mod:`tasks`. :mod:`meaning`
   matches other words, and :mod:`translation` other languages, by vectors. :mod:`continued_tables` joins tables that
   continue each other, :mod:`several_verdicts` binds several columns of yes and no.
4. :mod:`safety` declines a plan that does not account for the question; :mod:`unknown_names` finds names that no row
   has. :mod:`plan_exclusion` leaves out plans that cannot be meant.
5. :mod:`distinct_values` counts and lists the values of a column that repeat; :mod:`legend` explains columns and codes.
6. :mod:`compute` applies the plan, with :mod:`arithmetic`, :mod:`checking` (yes or no), :mod:`quantified_verdicts` (yes
   or no from several rows), :mod:`state_verdicts` (from a state) and :mod:`cell` (one cell). :mod:`common_items` finds
   what two tables or lists share, :mod:`frequency` which of two things has most results, :mod:`elapsed_time` how long
   it took between two rows. :mod:`result_text` writes the result.

:mod:`schedule` answers what is at a time: :mod:`moments` finds the time in the question, :mod:`spans` that of the rows.

:mod:`direct_answers` needs no plan: a question about a page itself, which :mod:`page_question` recognises, is answered
from its :mod:`facts`, its headings (:mod:`outline`) or its :mod:`labelled_paragraphs`. :mod:`lookup` finds in a table
what a quoted sentence leaves out.

:mod:`additional_evidences` adds evidences that this needs, or that a language model needs, to the retrieved ones, and
:mod:`lists` the rest of lists that are quoted.

Out: a computed answer with its rows as citations, or None: the question is then answered from sentences.
"""
