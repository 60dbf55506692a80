"""Support for papers with figures: preambles, latexmkrc lines, bundles for arXiv and Overleaf."""

from __future__ import annotations

from tikzgen.compile.paper.bundling import Bundle, make_bundle
from tikzgen.compile.paper.figure_preamble import JoinedPreamble, preamble_of
from tikzgen.compile.paper.join_preambles import joined_preamble
from tikzgen.compile.paper.latexmkrc_lines import make_latexmkrc_lines
from tikzgen.compile.paper.statements import PreambleCommand, read_commands, split_entries

__all__ = [
    "Bundle",
    "JoinedPreamble",
    "PreambleCommand",
    "joined_preamble",
    "make_bundle",
    "make_latexmkrc_lines",
    "preamble_of",
    "read_commands",
    "split_entries",
]
