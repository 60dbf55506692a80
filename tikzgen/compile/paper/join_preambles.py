"""The common preamble of several figures, with packages in an order that fits all of them."""

from __future__ import annotations

from collections.abc import Sequence

from tikzgen.base.errors import Problem, SpecError
from tikzgen.compile.paper.figure_preamble import JoinedPreamble, PackageWithOptions

_AS_PDF = "include one of them as PDF"


def joined_preamble(figures: Sequence[tuple[str, JoinedPreamble]]) -> JoinedPreamble:
    r"""Return the union of preambles in pairs `(name, preamble)`; names appear in messages.

    Packages keep the order of the figures that load them, because some must precede others. Libraries are sorted.
    Raise `SpecError` if two figures load a package with conflicting options, or define a color differently: the last
    definition would affect both.
    """
    libraries: dict[str, set[str]] = {}
    for _, figure in figures:
        for command, names in figure.libraries:
            libraries.setdefault(command, set()).update(names)
    options = _merge_options(figures)
    return JoinedPreamble(
        packages=tuple(
            PackageWithOptions(name, options[name]) for name in _in_order([figure.packages for _, figure in figures])
        ),
        libraries=tuple((command, tuple(sorted(names))) for command, names in libraries.items()),
        colors=_all_colors(figures),
        chinese=any(figure.chinese for _, figure in figures),
        lost=tuple(problem for _, figure in figures for problem in figure.lost),
    )


def _merge_options(figures: Sequence[tuple[str, JoinedPreamble]]) -> dict[str, tuple[str, ...]]:
    """Return every package with the options of all figures; raise `SpecError` for conflicting options."""
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


def _all_colors(figures: Sequence[tuple[str, JoinedPreamble]]) -> tuple[tuple[str, str], ...]:
    found: dict[str, tuple[str, str]] = {}
    for figure, preamble in figures:
        for color, definition in preamble.colors:
            before, owner = found.setdefault(color, (definition, figure))
            if before != definition:
                message = f"{owner} and {figure} define the colour {color} differently in their preambles"
                raise SpecError([Problem(message, hint=_AS_PDF)])
    return tuple((color, definition) for color, (definition, _) in found.items())


def _in_order(lists: Sequence[Sequence[PackageWithOptions]]) -> list[str]:
    """Return all names, each after its predecessors in any list; if lists conflict, the first one counts."""
    before: dict[str, set[str]] = {}
    for packages in lists:
        for index, package in enumerate(packages):
            before.setdefault(package.name, set()).update(other.name for other in packages[:index])
    ordered: list[str] = []
    while left := [name for name in before if name not in ordered]:
        ordered.append(next((name for name in left if before[name] <= set(ordered)), left[0]))
    return ordered
