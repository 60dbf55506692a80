r"""What a figure's preamble loads and defines, and so what `\input` under the `standalone` package takes from it;
and the lines of a latexmkrc that render the specs that changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from tikzgen.base.errors import Place, Problem, SpecError, TikzgenError
from tikzgen.base.record import Record
from tikzgen.paper.housing import is_moved
from tikzgen.paper.statements import Statement, entries, statements
from tikzgen.specfile.source import SUFFIXES
from tikzgen.texfile.code import Code
from tikzgen.tikz.environment import fill


class Rule(Record):
    """A spec's path, and the path of its figure without a suffix, both as strings in Perl."""

    path: str
    stem: str


def fragment(specs: Sequence[str]) -> str:
    """The lines for these specs, whose paths are those seen from the paper's folder.

    Each figure stands beside its spec. Other files with these suffixes are left alone. Raises `TikzgenError` for a file
    that is no spec by its name, and for two specs of one figure.
    """
    paths = list(dict.fromkeys(PurePath(spec) for spec in specs))
    owners: dict[PurePath, PurePath] = {}
    for path in paths:
        if path.suffix not in SUFFIXES:
            hint = f"name specs, which end in {', '.join(SUFFIXES)}"
            raise TikzgenError(f"{path}: latexmk has nothing to render it from", hint=hint)
        owner = owners.setdefault(path.with_suffix(""), path)
        if owner != path:
            raise TikzgenError(f"{owner} and {path} would both become {path.with_suffix('.tex')}", hint="rename one")
    rules = [Rule(_perl(path.as_posix()), _perl(path.with_suffix("").as_posix())) for path in paths]
    suffixes = sorted({path.suffix[1:] for path in paths})
    return fill(
        "latexmkrc.j2", rules=rules, suffixes=suffixes, example=" ".join(paths[0].with_suffix("").as_posix().split())
    )


def _perl(text: str) -> str:
    """A string in single quotes, where only these and backslashes are special."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


# Packages that shape a page of its own; in a paper they would reshape the paper's pages.
_FOR_THE_PAGE = {"geometry", "preview"}
# Options of a class that xcolor takes as its own.
_COLOR_SETS = {"dvipsnames", "svgnames", "x11names", "table"}
# What a paper does not miss.
_NEEDLESS = {"makeatletter", "makeatother", "pagestyle", "thispagestyle", "standaloneconfig", "PreviewEnvironment"}
_LIBRARIES = {"usetikzlibrary", "usepgflibrary", "usepgfplotslibrary"}
_COLORS = {"definecolor", "providecolor", "colorlet"}
_CHINESE = re.compile(r"\{(CJKutf8|xeCJK|luatexja(-fontspec)?)\}")
_WAY_OUT = "move it into the picture, or include the PDF"
_MOVED = "`tikzgen bundle` moves it into the figure; or include the PDF"


class Loaded(Record):
    """A package and its options, in order."""

    name: str
    options: tuple[str, ...] = ()


class Preamble(Record):
    r"""What figures load and define, without repetition.

    `libraries` are pairs of a command (`usetikzlibrary`) and what it loads; `colors` pairs of a name and the whole
    definition; `chinese` tells whether the fonts for Chinese are set up, for each engine; `lost` says what else stands
    in the preamble: `\input` drops it, and the figure may need it.
    """

    packages: tuple[Loaded, ...] = ()
    libraries: tuple[tuple[str, tuple[str, ...]], ...] = ()
    colors: tuple[tuple[str, str], ...] = ()
    chinese: bool = False
    lost: tuple[Problem, ...] = ()


def preamble_of(text: str, name: str) -> Preamble:
    r"""Read what stands before `\begin{document}`; `name` is the file's in messages, and has no part in the result.

    Raises `SpecError` for a text that is no LaTeX document.
    """
    begin = Code.read(text).mask.find("\\begin{document}")
    if begin < 0:
        message = "has no \\begin{document}, so it does not say which packages it needs"
        hint = "render it with tikzgen, or make it a standalone document"
        raise SpecError([Problem(message, place=Place(name), hint=hint)])
    packages: dict[str, tuple[str, ...]] = {}
    libraries: dict[str, dict[str, None]] = {}
    colors: dict[str, str] = {}
    chinese = False
    lost = []
    for one in statements(text[:begin]):
        for package in _packages(one):
            packages[package.name] = tuple(dict.fromkeys((*packages.get(package.name, ()), *package.options)))
        if one.command in _LIBRARIES:
            # either kind of bracket is allowed
            libraries.setdefault(one.command, {}).update(dict.fromkeys(entries(one.arguments[0][1:-1])))
        elif one.command in _COLORS and one.required:
            colors[one.required[0]] = _definition(one)
        elif one.command == "if" and _CHINESE.search(one.arguments[0]):
            chinese = True
        elif one.command not in _KNOWN:
            lost.append(_lost(one, name))
    if chinese:
        packages.pop("iftex", None)  # it comes with the fonts
    return Preamble(
        packages=tuple(Loaded(package, options) for package, options in packages.items()),
        libraries=tuple((command, tuple(names)) for command, names in libraries.items()),
        colors=tuple(colors.items()),
        chinese=chinese,
        lost=tuple(lost),
    )


_LOADING = {"usepackage", "RequirePackage"}
_KNOWN = _LOADING | _LIBRARIES | _COLORS | _NEEDLESS | {"documentclass", "PassOptionsToPackage"}


def _packages(one: Statement) -> list[Loaded]:
    """The packages that a statement loads."""
    if one.command == "documentclass":
        options = entries(one.options)
        sets = tuple(option for option in options if option in _COLOR_SETS)
        return [Loaded("xcolor", sets)] * bool(sets) + [Loaded("tikz")] * ("tikz" in options)
    if one.command in _LOADING and one.required:
        names = [name for name in entries(one.required[0]) if name not in _FOR_THE_PAGE]
        return [Loaded(name, entries(one.options)) for name in names]
    if one.command == "PassOptionsToPackage" and len(one.required) > 1:
        return [Loaded(one.required[1], entries(one.required[0]))]
    return []


def _definition(one: Statement) -> str:
    """A colour's definition in one spelling, so that equal ones look equal."""
    definition = f"\\{one.command}" + "".join("".join(argument.split()) for argument in one.arguments)
    return re.sub(r"(?<=\{HTML\})\{\w+\}", lambda found: found[0].upper(), definition)


def _lost(one: Statement, name: str) -> Problem:
    defined = one.required[0] if one.required and one.required[0].startswith("\\") else ""
    what = one.arguments[0].split("\n")[0].strip() if one.command == "if" else f"\\{one.command}"
    message = f"{what}{defined} stands in the preamble, which \\input drops"
    return Problem(message, place=Place(name, one.line), hint=_MOVED if is_moved(one) else _WAY_OUT)


_AS_PDF = "include one of them as PDF"


def union(figures: Sequence[tuple[str, Preamble]]) -> Preamble:
    r"""The union of `(name, preamble)` pairs; names stand in messages.

    Packages keep the order of the figures that load them, for some must come before others; libraries are sorted.
    Raises `SpecError` where two figures load a package with options that exclude each other, or define a colour
    differently: whichever came last would win in both.
    """
    libraries: dict[str, set[str]] = {}
    for _, figure in figures:
        for command, names in figure.libraries:
            libraries.setdefault(command, set()).update(names)
    options = _options(figures)
    return Preamble(
        packages=tuple(Loaded(name, options[name]) for name in _in_order([figure.packages for _, figure in figures])),
        libraries=tuple((command, tuple(sorted(names))) for command, names in libraries.items()),
        colors=_all_colors(figures),
        chinese=any(figure.chinese for _, figure in figures),
        lost=tuple(problem for _, figure in figures for problem in figure.lost),
    )


def _options(figures: Sequence[tuple[str, Preamble]]) -> dict[str, tuple[str, ...]]:
    """Every package with the options that any figure gives it."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for figure, preamble in figures:
        for package in preamble.packages:
            options = found.setdefault(package.name, {})
            for option in package.options:
                key = option.partition("=")[0].strip()
                before, owner = options.setdefault(key, (option, figure))
                if before != option:
                    message = f"{owner} loads {package.name} with the option {before}, {figure} with {option}"
                    raise SpecError([Problem(message, hint=f"give both the same, or {_AS_PDF}")])
    return {package: tuple(option for option, _ in options.values()) for package, options in found.items()}


def _all_colors(figures: Sequence[tuple[str, Preamble]]) -> tuple[tuple[str, str], ...]:
    found: dict[str, tuple[str, str]] = {}
    for figure, preamble in figures:
        for color, definition in preamble.colors:
            before, owner = found.setdefault(color, (definition, figure))
            if before != definition:
                message = f"{owner} and {figure} define the colour {color} differently in their preambles"
                raise SpecError([Problem(message, hint=_AS_PDF)])
    return tuple((color, definition) for color, (definition, _) in found.items())


def _in_order(lists: Sequence[Sequence[Loaded]]) -> list[str]:
    """All names, each after those that stand before it in some list; where lists disagree, the first one counts."""
    before: dict[str, set[str]] = {}
    for packages in lists:
        for index, package in enumerate(packages):
            before.setdefault(package.name, set()).update(other.name for other in packages[:index])
    ordered: list[str] = []
    while left := [name for name in before if name not in ordered]:
        ordered.append(next((name for name in left if before[name] <= set(ordered)), left[0]))
    return ordered
