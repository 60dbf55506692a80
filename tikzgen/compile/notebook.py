"""A figure inside a notebook."""

from __future__ import annotations

__all__ = ["figure_svg"]


def figure_svg(source: str) -> str | None:
    """The compiled figure as SVG whose ids are its own on the page; nothing where it cannot be made. Never raises."""
    try:
        from tikzgen.compile.containment import cell_for
        from tikzgen.compile.produce import Settings, open_workshop

        cell = cell_for(source, "the figure", found=False)
        return open_workshop(("svg",), Settings(time_limit=20)).produce(source, cell=cell).files["svg"].decode("utf-8")
    except Exception:
        return None
