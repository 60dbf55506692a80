r"""Preambles of figures: packages and definitions, which `\input` drops under `standalone`."""

from __future__ import annotations

import re

from tikzgen.base.errors import Place, Problem, SpecError
from tikzgen.base.record import Record
from tikzgen.compile.paper.foreign_in_group import is_moved
from tikzgen.compile.paper.statements import PreambleCommand, read_commands, split_entries
from tikzgen.texfile import Code

# Packages that shape a page; in a paper, they would change the pages of the paper.
_FOR_THE_PAGE = {"geometry", "preview"}
# Options of a class that xcolor uses.
_COLOR_SETS = {"dvipsnames", "svgnames", "x11names", "table"}
# Commands that a paper does not need.
_NEEDLESS = {"makeatletter", "makeatother", "pagestyle", "thispagestyle", "standaloneconfig", "PreviewEnvironment"}
_LIBRARIES = {"usetikzlibrary", "usepgflibrary", "usepgfplotslibrary"}
_COLORS = {"definecolor", "providecolor", "colorlet"}
_CHINESE = re.compile(r"\{(CJKutf8|xeCJK|luatexja(-fontspec)?)\}")
_WAY_OUT = "move it into the picture, or include the PDF"
_MOVED_HINT = "`tikzgen bundle` moves it into the figure; or include the PDF"


class PackageWithOptions(Record):
    """A package and its options, in order."""

    name: str
    options: tuple[str, ...] = ()


class JoinedPreamble(Record):
    r"""Packages, libraries and colors of figures, without repetition.

    `libraries` are pairs of a command (`usetikzlibrary`) and the libraries that it loads. `colors` are pairs of a name
    and its definition. `chinese` states whether the fonts for Chinese are set up, for each engine. `lost` lists other
    statements of the preamble: `\input` drops them, and the figure may need them.
    """

    packages: tuple[PackageWithOptions, ...] = ()
    libraries: tuple[tuple[str, tuple[str, ...]], ...] = ()
    colors: tuple[tuple[str, str], ...] = ()
    chinese: bool = False
    lost: tuple[Problem, ...] = ()


def preamble_of(text: str, name: str) -> JoinedPreamble:
    r"""Read the preamble of a figure; `name` is the name of its file, for messages only.

    Raise `SpecError` for a source without `\begin{document}`.
    """
    begin = Code.read_source(text).mask.find("\\begin{document}")
    if begin < 0:
        message = "has no \\begin{document}, so it does not say which packages it needs"
        hint = "render it with tikzgen, or make it a standalone document"
        raise SpecError([Problem(message, place=Place(name), hint=hint)])
    packages: dict[str, tuple[str, ...]] = {}
    libraries: dict[str, dict[str, None]] = {}
    colors: dict[str, str] = {}
    chinese = False
    lost = []
    for one in read_commands(text[:begin]):
        for package in _list_loaded_packages(one):
            packages[package.name] = tuple(dict.fromkeys((*packages.get(package.name, ()), *package.options)))
        if one.command in _LIBRARIES:
            # Braces and brackets are both allowed.
            libraries.setdefault(one.command, {}).update(dict.fromkeys(split_entries(one.arguments[0][1:-1])))
        elif one.command in _COLORS and one.required_arguments:
            colors[one.required_arguments[0]] = _normalize_definition(one)
        elif one.command == "if" and _CHINESE.search(one.arguments[0]):
            chinese = True
        elif one.command not in _KNOWN_COMMANDS:
            lost.append(_note_dropped(one, name))
    if chinese:
        packages.pop("iftex", None)  # the fonts load it
    return JoinedPreamble(
        packages=tuple(PackageWithOptions(package, options) for package, options in packages.items()),
        libraries=tuple((command, tuple(names)) for command, names in libraries.items()),
        colors=tuple(colors.items()),
        chinese=chinese,
        lost=tuple(lost),
    )


_LOADING = {"usepackage", "RequirePackage"}
_KNOWN_COMMANDS = _LOADING | _LIBRARIES | _COLORS | _NEEDLESS | {"documentclass", "PassOptionsToPackage"}


def _list_loaded_packages(one: PreambleCommand) -> list[PackageWithOptions]:
    """Return the packages that a statement loads."""
    if one.command == "documentclass":
        options = split_entries(one.options)
        sets = tuple(option for option in options if option in _COLOR_SETS)
        return [PackageWithOptions("xcolor", sets)] * bool(sets) + [PackageWithOptions("tikz")] * ("tikz" in options)
    if one.command in _LOADING and one.required_arguments:
        names = [name for name in split_entries(one.required_arguments[0]) if name not in _FOR_THE_PAGE]
        return [PackageWithOptions(name, split_entries(one.options)) for name in names]
    if one.command == "PassOptionsToPackage" and len(one.required_arguments) > 1:
        return [PackageWithOptions(one.required_arguments[1], split_entries(one.required_arguments[0]))]
    return []


def _normalize_definition(one: PreambleCommand) -> str:
    """Return a color definition in a normal form, so that equal definitions compare equal."""
    definition = f"\\{one.command}" + "".join("".join(argument.split()) for argument in one.arguments)
    return re.sub(r"(?<=\{HTML\})\{\w+\}", lambda found: found[0].upper(), definition)


def _note_dropped(one: PreambleCommand, name: str) -> Problem:
    defined = one.required_arguments[0] if one.required_arguments and one.required_arguments[0].startswith("\\") else ""
    what = one.arguments[0].split("\n")[0].strip() if one.command == "if" else f"\\{one.command}"
    message = f"{what}{defined} stands in the preamble, which \\input drops"
    return Problem(message, place=Place(name, one.line), hint=_MOVED_HINT if is_moved(one) else _WAY_OUT)
