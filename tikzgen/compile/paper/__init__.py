"""Support for papers with figures: preambles, latexmkrc lines, bundles for arXiv and Overleaf."""

from __future__ import annotations

from tikzgen.compile.paper.bundling import Bundle, make_bundle
from tikzgen.compile.paper.figure_preamble import JoinedPreamble, preamble_of
from tikzgen.compile.paper.join_preambles import joined_preamble
from tikzgen.compile.paper.latexmkrc_lines import fragment

__all__ = [
    "Bundle",
    "JoinedPreamble",
    "fragment",
    "joined_preamble",
    "make_bundle",
    "preamble_of",
]
