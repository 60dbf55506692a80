"""A figure inside a notebook."""

from __future__ import annotations

from hashlib import sha256

__all__ = ["figure_svg"]


def figure_svg(source: str) -> str | None:
    """The compiled figure as SVG whose ids are its own on the page; nothing where it cannot be made. Never raises."""
    try:
        from tikzgen.tex.produce import Settings, open_workshop
        from tikzgen.tex.svg import unique_ids

        svg = open_workshop(("svg",), Settings(time_limit=20)).produce(source).files["svg"]
        return unique_ids(svg.decode("utf-8"), f"t{sha256(svg).hexdigest()[:10]}-")
    except Exception:
        return None
