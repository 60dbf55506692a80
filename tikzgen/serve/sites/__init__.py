"""Figures in pages of others: a directive for Sphinx and MyST, a plugin for MkDocs, a filter for Quarto and pandoc, and
the cell magic of Jupyter. All draw without TeX, and a figure that cannot be drawn fails the build.
"""

from __future__ import annotations

from pathlib import Path

FILTER = Path(__file__).with_name("tikzgen.lua")
"""The filter for Quarto and pandoc, to be copied beside a page."""
