"""From a figure to a scene: what stands where, in symbolic lengths."""

from __future__ import annotations

from tikzgen.layout.lay_out_figure import choose_form, layout

__all__ = ["choose_form", "layout"]
