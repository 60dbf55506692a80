"""From a figure to a scene: what stands where, in symbolic lengths."""

from __future__ import annotations

from tikzgen.layout.lay_out_figure import drawn, layout

__all__ = ["drawn", "layout"]
