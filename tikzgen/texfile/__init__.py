"""Any .tex as it stands: tokens that leave nothing out, groups, facts with their spans, and edits of spans."""

from __future__ import annotations

from tikzgen.texfile.scan_source import Facts, scan
from tikzgen.texfile.source_text import TextSpan

__all__ = ["Facts", "TextSpan", "scan"]
