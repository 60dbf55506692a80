"""Figures in pages: extensions for Sphinx, MyST, MkDocs, Quarto, pandoc and Jupyter.

All of them draw without TeX. A figure that cannot be drawn fails the build.
"""

from __future__ import annotations

from pathlib import Path

FILTER = Path(__file__).with_name("tikzgen.lua")
"""Filter for Quarto and pandoc, to copy into the folder of a page."""
