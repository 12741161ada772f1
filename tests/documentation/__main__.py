"""Writes the generated parts of the documentation: ``python -m tests.documentation``, same as ``make docs``."""

from __future__ import annotations

from tests.documentation.generated import DOCS, GENERATED

if __name__ == "__main__":
    for name, content in GENERATED.items():
        (DOCS / name).write_text(content(), "utf-8")
