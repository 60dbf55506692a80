"""Import cycles between modules, including imports inside functions and imports for type checking.

`python tools/circles.py` prints every cycle with the imported names, and exits with 1 if it finds one.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

__all__ = ["circles", "imports", "imports_of"]

ROOT = Path(__file__).parent.parent


def module_name(file: Path) -> str:
    """Return the dotted name of a module: `tikzgen.model.figure` for `tikzgen/model/figure.py`."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports() -> dict[str, dict[str, list[str]]]:
    """Return, for each module, the tikzgen modules that it imports anywhere, with the imported names."""
    files = sorted((ROOT / "tikzgen").rglob("*.py"))
    return imports_of({module_name(file): ast.parse(file.read_text(encoding="utf-8")) for file in files})


def imports_of(trees: Mapping[str, ast.Module]) -> dict[str, dict[str, list[str]]]:
    """Return the imports between the modules of given syntax trees, by name."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, tree in trees.items():
        mine: dict[str, list[str]] = {}
        for target, taken in _named(tree):
            whole = f"{target}.{taken}"
            other = whole if whole in trees else target
            if other in trees and other != name:
                mine.setdefault(other, []).append(taken)
        found[name] = mine
    return found


def _named(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each imported module with the name that is imported from it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def circles(graph: dict[str, dict[str, list[str]]]) -> list[list[str]]:
    """Return the strongly connected components of more than one module.

    Tarjan's algorithm, without recursion.
    """
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for start in graph:
        if start in number:
            continue
        work = [(start, iter(graph[start]))]
        number[start] = low[start] = len(number)
        stack.append(start)
        while work:
            module, others = work[-1]
            for other in others:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    work.append((other, iter(graph[other])))
                    break
                if other in stack:
                    low[module] = min(low[module], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[module])
                if low[module] == number[module]:
                    circle = stack[stack.index(module) :]
                    del stack[stack.index(module) :]
                    if len(circle) > 1:
                        found.append(sorted(circle))
    return sorted(found, key=len)


def main() -> None:
    """Print the cycles."""
    graph = imports()
    found = circles(graph)
    for circle in found:
        print(f"a circle of {len(circle)} modules:")
        for module in circle:
            for other, names in sorted(graph[module].items()):
                if other in circle:
                    print(f"  {module} -> {other}: {', '.join(names)}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
