"""Conversion factors between TeX points, inches, cm and PDF units."""

from __future__ import annotations

PT_PER_IN = 72.27
PT_PER_CM = PT_PER_IN / 2.54
CM_PER_PT = 2.54 / PT_PER_IN
PT_PER_BP = PT_PER_IN / 72
"""TeX's points in one PDF unit ("big point", 1/72 inch)."""
PAGE_LIMIT_CM = 23.0
"""cm: the text of a page."""
