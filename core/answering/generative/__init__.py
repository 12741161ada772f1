"""The generative answerer: a language model writes the answer, and each statement is checked (RAGonite, section 4).

In: a question and its ranked evidences. Steps, by module:

1. :mod:`answerer` runs the steps, asks the model a second time after an unusable answer or a refusal, and falls back.
2. :mod:`extractive_answer` makes the extractive answer, computed or quoted, a section of its own.
3. :mod:`prompt_sections` fits the sections that the model reads into the prompt; :mod:`writing` writes their tables
   and lists.
4. :mod:`cleaning` makes plain text of the model's output, without its markup, mentions and addresses.
5. :mod:`citations` finds the citations in it; :mod:`statements` splits it and finds refusals and defects.
6. :mod:`support` finds the evidences that support each statement, and composes the answer with these citations.

Out: an answer by the model whose citations were checked, the fallback's answer with a notice, or "not found".
"""
