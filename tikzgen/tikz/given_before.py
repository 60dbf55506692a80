"""The options that a figure was rendered with, as its file records them."""

from __future__ import annotations

from pathlib import Path

from tikzgen.base.errors import TikzgenError
from tikzgen.base.files import read_bounded
from tikzgen.specfile.house_style import SHIPPED, STYLE
from tikzgen.specfile.parse_text import parse
from tikzgen.tikz.embedded_spec import identity_of, unseal


def given_before(tex: Path) -> list[str]:
    """The options that a figure was rendered with, as it records them; none where there is no such figure.

    A house style counts where it ships, or is a file below the folder that this runs in.
    """
    try:
        found = unseal(read_bounded(tex, plain=True).decode("utf-8", "replace"))
        identity = identity_of(parse(found, str(tex)).data) if found else None
    except (OSError, TikzgenError):
        return []
    given = identity.given if identity else ()
    return [each for each in given if not each.startswith(STYLE) or _is_near(each.removeprefix(STYLE))]


def _is_near(style: str) -> bool:
    return style in (*SHIPPED, "none") or Path(style).resolve().is_relative_to(Path.cwd())
