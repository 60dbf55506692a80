"""What cannot be drawn without TeX, told by name and line."""

from __future__ import annotations

from tikzgen.base.errors import TikzgenError, shortened


class Unsupported(TikzgenError):
    """Something in a .tex that is not drawn here; `what` names it, `line` is that of the file, once it is known."""

    def __init__(self, what: str, line: int | None = None) -> None:
        self.what = what
        self.line = line
        place = f"line {line}: " if line else ""
        super().__init__(f"{place}{shortened(what)} cannot be drawn without TeX", hint="build it with an engine of TeX")
