"""A .tex as notebooks show it: drawn, and its text; or the reason why not, before the text."""

from __future__ import annotations

from tikzgen.drawing.draw_tex import draw
from tikzgen.drawing.refused import Unsupported
from tikzgen.drawing.write_svg import to_svg


def mimebundle(source: str) -> dict[str, str]:
    """What `_repr_mimebundle_` gives; never raises."""
    try:
        return {"image/svg+xml": to_svg(draw(source)), "text/plain": source}
    except Unsupported as error:
        return {"text/plain": f"% no picture: {' '.join(str(error).split())}\n{source}"}
