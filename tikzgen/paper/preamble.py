r"""The lines that a paper's preamble needs so that figures can be `\input`: the union of what they load."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tikzgen.errors import Problem, SpecError

__all__ = ["Preamble", "merged", "preamble_of"]

_PACKAGE = re.compile(r"\\usepackage(\[[^\]]*\])?\{([^}]*)\}")
_LIBRARY = re.compile(r"\\usetikzlibrary\{([^}]*)\}")
_COLOR = re.compile(r"\\definecolor\{([^}]*)\}\{([^}]*)\}\{([^}]*)\}")
_CJK = ("CJKutf8", "xeCJK", "luatexja-fontspec")


@dataclass(frozen=True, slots=True)
class Preamble:
    """What figures load, without repetition: packages with their options, TikZ libraries, colours, Chinese fonts."""

    packages: tuple[str, ...]
    libraries: tuple[str, ...]
    colors: tuple[tuple[str, str], ...]
    cjk: bool


def preamble_of(text: str, name: str) -> Preamble:
    r"""Read what stands between `\documentclass` and `\begin{document}`; `name` is for messages."""
    head, begin, _ = text.partition("\\begin{document}")
    if not begin:
        message = "has no \\begin{document}, so it is no standalone figure"
        raise SpecError([Problem(f"{name}: {message}", hint="render it with tikzgen")])
    head = re.sub(r"(?<!\\)%.*", "", head)
    packages: dict[str, None] = {}
    for options, names in _PACKAGE.findall(head):
        for package in (part.strip() for part in names.split(",")):
            packages[f"{options}{{{package}}}"] = None
    cjk = "{CJKutf8}" in packages
    if cjk:
        packages = {entry: None for entry in packages if entry.strip("{}") not in (*_CJK, "iftex")}
    libraries = dict.fromkeys(part.strip() for names in _LIBRARY.findall(head) for part in names.split(","))
    colors = {color: f"{{{model}}}{{{value}}}" for color, model, value in _COLOR.findall(head)}
    return Preamble(tuple(packages), tuple(libraries), tuple(colors.items()), cjk)


def merged(figures: Iterable[tuple[str, Preamble]]) -> Preamble:
    """The union in order; a colour that two figures define differently is refused, for neither could be right."""
    packages: dict[str, None] = {"{standalone}": None}
    libraries: dict[str, None] = {}
    colors: dict[str, tuple[str, str]] = {}
    cjk = False
    for name, one in figures:
        packages.update(dict.fromkeys(one.packages))
        libraries.update(dict.fromkeys(one.libraries))
        cjk = cjk or one.cjk
        for color, value in one.colors:
            before, owner = colors.setdefault(color, (value, name))
            if before != value:
                message = f"{owner} and {name} define the colour {color} differently in their preambles"
                raise SpecError([Problem(message, hint="include one of them as PDF")])
    return Preamble(tuple(packages), tuple(libraries), tuple((c, v) for c, (v, _) in colors.items()), cjk)
