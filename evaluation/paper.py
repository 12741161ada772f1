"""What the RAGonite paper (Saha Roy et al., WSDM 2025) reports on all 600 questions of ConfQuestions.

P@1 and hit@10 compare URLs letter by letter. Only figures that could be checked are here; others show as a dash.
"""

from __future__ import annotations

P_AT_1 = {"human": 0.658, "system": 0.528}
"""By who completed the questions; the system's completions are by GPT-4o. Contextualised with ALL."""

HIT_AT_10 = {"system": 0.607}

ATTRIBUTION = {"clustered": 0.799, "naive": 0.772}
"""Table 3: attribution accuracy."""
