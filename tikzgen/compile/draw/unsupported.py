"""Errors for TeX that cannot be drawn here, with name and line."""

from __future__ import annotations

from tikzgen.base.errors import ExitStatus, TikzgenError, quote, shorten_for_message


class Unsupported(TikzgenError):
    """An element of a .tex that needs TeX; `what` names it, `line` is its line in the file, or None."""

    def __init__(self, what: str, line: int | None = None) -> None:
        self.what = what
        self.line = line
        place = f"line {line}: " if line else ""
        super().__init__(
            f"{place}{shorten_for_message(what)} cannot be drawn without TeX", hint="build it with an engine of TeX"
        )


class GlyphsMissing(Unsupported):
    """Characters of a label that no installed font has; a drawing would lack them."""

    exit_status = ExitStatus.LATEX

    def __init__(self, label: str, characters: str, line: int, hint: str) -> None:
        super().__init__(f"the label {label}", line)
        self.fact = f"label {quote(label)}: no outlines for {shorten_for_message(characters)}"
        TikzgenError.__init__(self, f"line {line}: {self.fact}", hint=hint)
