"""What a paper's configuration may say: for all of its figures, unless a spec says it itself, and for all runs."""

from typing import Literal

from tikzgen.model.base import Language, Part
from tikzgen.model.options import Font, Spacing
from tikzgen.model.widths import Height, Width


class PaperConfig(Part):
    """`tikzgen.toml`, or `[tool.tikzgen]` in a pyproject.toml."""

    width: Width | None = None
    """The figures' width."""
    height: Height | None = None
    """The figures' height at most."""
    palette: Literal["light", "dark"] | None = None
    """For white paper, or for dark slides."""
    style: str | None = None
    """A house style: `default`, `plain`, `vivid` or `none`, or a file, as seen from the configuration's folder."""
    language: Language | None = None
    """The language of the figures' texts."""
    font: Font | None = None
    """Type family and size."""
    spacing: Spacing | None = None
    """Distances; null ones are computed."""
    engine: Literal["pdflatex", "xelatex", "lualatex", "tectonic", "none"] | None = None
    """What sets figures; none draws them without TeX."""
