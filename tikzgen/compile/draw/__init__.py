"""Pictures without TeX of the files that tikzgen writes: the .tex in, SVG out.

Unknown TeX raises `Unsupported` with its line: a picture is either exact or missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.compile.draw.canvas import Clipped as Clipped
    from tikzgen.compile.draw.canvas import DrawnGroup as DrawnGroup
    from tikzgen.compile.draw.canvas import Item as Item
    from tikzgen.compile.draw.canvas import NodeFacts as NodeFacts
    from tikzgen.compile.draw.canvas import PaintedPath as PaintedPath
    from tikzgen.compile.draw.canvas import Shifted as Shifted
    from tikzgen.compile.draw.canvas import TextOnCanvas as TextOnCanvas
    from tikzgen.compile.draw.draw_tex import draw as draw
    from tikzgen.compile.draw.output.letters import text_of_ink as text_of_ink
    from tikzgen.compile.draw.output.load_outlines import path_of as path_of
    from tikzgen.compile.draw.output.write_svg import make_mimebundle as make_mimebundle
    from tikzgen.compile.draw.output.write_svg import path_data as path_data
    from tikzgen.compile.draw.state import Rgb as Rgb
    from tikzgen.compile.draw.strokes import PathStep as PathStep
    from tikzgen.compile.draw.unsupported import GlyphsMissing as GlyphsMissing
    from tikzgen.compile.draw.unsupported import Unsupported as Unsupported
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "canvas": "Clipped DrawnGroup Item NodeFacts PaintedPath Shifted TextOnCanvas",
            "draw_tex": "draw",
            "output.letters": "text_of_ink",
            "output.load_outlines": "path_of",
            "output.write_svg": "make_mimebundle path_data",
            "state": "Rgb",
            "strokes": "PathStep",
            "unsupported": "GlyphsMissing Unsupported",
        },
    )
