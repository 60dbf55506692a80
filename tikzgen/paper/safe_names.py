"""File names that arXiv, Overleaf, Windows and TeX all take."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from tikzgen.base.errors import TikzgenError

__all__ = ["PDFS", "PREAMBLE", "README", "refuse_twins", "safe_name"]

PREAMBLE = "figures-preamble.tex"
README = "README.txt"
PDFS = "pdf"
"""The folder of the PDFs: arXiv takes a PDF beside a .tex of its name for TeX's output, and removes it."""


def safe_name(name: str) -> str:
    """The name in ASCII letters, digits, `-`, `_` and `+`, beginning with a letter or digit.

    arXiv takes no other letters, and graphicx reads what follows a dot as a suffix. Accents are dropped.

    >>> safe_name("Übersicht (v2.1)")
    'Ubersicht-v2-1'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_+]+", "-", plain).strip("-_+") or "figure"


def refuse_twins(names: Iterable[tuple[str, str]]) -> None:
    """Refuse two figures under one name, in pairs `(what the user called it, safe name)`.

    Upper and lower case do not tell files apart everywhere.
    """
    owners = {name.removesuffix(".tex").lower(): "the bundle's own file" for name in (PREAMBLE,)}
    for figure, name in names:
        owner = owners.setdefault(name.lower(), figure)
        if owner != figure:
            raise TikzgenError(f"{owner} and {figure} would both become {name}.tex", hint="rename one of them")
