"""Any .tex as it stands: tokens that leave nothing out, groups, facts with their spans, and edits of spans."""

from __future__ import annotations

from tikzgen.texfile.facts import Facts, scan
from tikzgen.texfile.text import Span

__all__ = ["Facts", "Span", "scan"]
