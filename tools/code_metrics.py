"""Measure the structure of the code: `python tools/code_metrics.py` prints each metric with its budget.

The budgets are in tools/code_budget.json. They may only fall: `--lower` writes the current values if they are lower.
`--list METRIC` prints the counted places, one per line. The code is neither imported nor run.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from circles import imports_of

ROOT = Path(__file__).parent.parent
BUDGET = ROOT / "tools" / "code_budget.json"
VERBS = frozenset((ROOT / "tools" / "verbs.txt").read_text(encoding="utf-8").split())
"""Actions that are enough as the name of a function."""
PARTICIPLE = re.compile(
    r"\w{3,}(ed|ing)|beaten|begun|bound|brought|broken|built|chosen|cut|drawn|fed|found|given|held|hidden|kept|known|laid"
    r"|led|left|lost|made|meant|met|put|read|run|said|sent|set|shown|sold|sought|spelt|spent|split|spun|taken|told|torn"
    r"|won|written"
)
UNIT = re.compile(
    r"_(PT|CM|MM|EM|IN|PX|BP|SP|DPI|DEGREES|SECONDS|MS|NS|BYTES|MIB|LINES|CHARS|CHARACTERS|SHARE|RATIO|FACTOR|COUNT|LIMIT|COST"
    r"|WEIGHT|ENTITIES|NODES|FLOWS|CELLS|SPANS|ITEMS|TRIES|ROUNDS|STEPS|DEPTH|DIGITS|VERSION|FORMAT|LEVELS|PIECES)$"
    r"|^_?(MAX|MIN|MOST|LEAST)_\w+"
)
UNIT_IN_COMMENT = re.compile(
    r"\b(cm|mm|pt|em|sp|bp|px|degrees?|seconds?|ms|bytes|MiB|lines|characters|share|ratio|times|per|of the|percent)\b"
)
CLOSED_SETS = (
    {"pdf", "png", "svg", "tex"},
    {"topology", "timeline", "spacetime"},
    {"north", "south", "east", "west", "above", "below", "left", "right"},
    {"pdflatex", "xelatex", "lualatex", "tectonic"},
    {"circle", "diamond", "cylinder", "cloud", "rounded", "pill", "card", "icon", "text", "box"},
)


class Module:
    """A module of the package: its path, dotted name, package below the root, text, syntax tree and nodes."""

    def __init__(self, path: Path, root: Path) -> None:
        inside = path.relative_to(root)
        self.path = inside.as_posix()
        self.name = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
        self.package = inside.parts[1] if len(inside.parts) > 2 else ""
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.nodes = list(ast.walk(self.tree))


def read_modules(root: Path) -> list[Module]:
    """Read all modules below `root`/tikzgen."""
    return [Module(path, root) for path in sorted((root / "tikzgen").rglob("*.py"))]


def long_modules(modules: list[Module]) -> Iterator[str]:
    """Yield modules of more than 400 lines."""
    for module in modules:
        if (count := len(module.text.splitlines())) > 400:
            yield f"{module.path}: {count} lines"


def large_folders(modules: list[Module]) -> Iterator[str]:
    """Yield folders of more than 20 modules, `__init__` not counted."""
    folders = Counter(module.path.rpartition("/")[0] for module in modules if not module.path.endswith("__init__.py"))
    yield from (f"{folder}: {count} modules" for folder, count in folders.items() if count > 20)


def surface(modules: list[Module]) -> Iterator[str]:
    """Yield modules that other packages import."""
    package_of = {module.name: module.package for module in modules}
    graph = imports_of({module.name: module.tree for module in modules})
    imported = {(name, other) for name, others in graph.items() for other in others}
    yield from sorted({other for name, other in imported if package_of[name] != package_of[other]})


def shared_class_names(modules: list[Module]) -> Iterator[str]:
    """Yield public class names that are defined more than once."""
    places = defaultdict(list)
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module.path)
    yield from (f"{name}: {', '.join(paths)}" for name, paths in sorted(places.items()) if len(paths) > 1)


def is_participle(name: str) -> bool:
    """Return whether a function name is one participle, such as `drawn` or `_resolved`."""
    word = name.strip("_")
    return "_" not in word and PARTICIPLE.fullmatch(word) is not None


def participles(modules: list[Module]) -> Iterator[str]:
    """Yield functions whose name is one participle."""
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_participle(node.name):
                yield f"{module.path}:{node.lineno} {node.name}"


def noun_functions(modules: list[Module]) -> Iterator[str]:
    """Yield functions whose one-word name is not an action, except properties."""
    for module in modules:
        for node in module.nodes:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("__"):
                continue
            word = node.name.strip("_")
            if word and "_" not in word and word not in VERBS and not is_property(node):
                yield f"{module.path}:{node.lineno} {node.name}"


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is a property."""
    names = {getattr(each, "id", getattr(each, "attr", "")) for each in node.decorator_list}
    return bool(names & {"property", "cached_property", "computed_field"})


def shared_function_names(modules: list[Module]) -> Iterator[str]:
    """Yield names of module-level functions that five modules or more define."""
    places = defaultdict(set)
    for module in modules:
        for node in module.tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                places[node.name.strip("_")].add(module.path)
    names = ((name, paths) for name, paths in sorted(places.items()) if len(paths) >= 5 and name != "command")
    yield from (f"{name}: {', '.join(sorted(paths))}" for name, paths in names)


def is_numeric(node: ast.expr | None) -> bool:
    """Return whether a value consists of numbers only."""
    match node:
        case ast.Constant(value=value):
            return type(value) in (int, float)
        case ast.UnaryOp(operand=operand):
            return is_numeric(operand)
        case ast.BinOp(left=left, right=right):
            return is_numeric(left) and is_numeric(right)
        case ast.Tuple(elts=elements):
            return bool(elements) and all(map(is_numeric, elements))
    return False


def constants_without_unit(modules: list[Module]) -> Iterator[str]:
    """Yield module-level numbers without a unit in the name, the comment or the docstring below."""
    for module in modules:
        lines = module.text.splitlines()
        for number, node in enumerate(module.tree.body):
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            if not targets or not isinstance(node, ast.Assign | ast.AnnAssign) or not is_numeric(node.value):
                continue
            comment = lines[(node.end_lineno or node.lineno) - 1].partition("#")[2]
            below = module.tree.body[number + 1] if number + 1 < len(module.tree.body) else None
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                comment += str(below.value.value)
            for name in (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)):
                if not UNIT.search(name) and not UNIT_IN_COMMENT.search(comment):
                    yield f"{module.path}:{node.lineno} {name}"


def silent_chains(modules: list[Module]) -> Iterator[str]:
    """Yield functions that compare a name with members of a closed set and treat all others as the last."""
    for module in modules:
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from (f"{module.path}:{node.lineno} {node.name}: {name}" for name in chained_names(node))


def chained_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the names that a function compares with two members of a closed set.

    Return no names if the chain ends in an error.
    """
    if isinstance(function.body[-1], ast.Raise):
        return []
    compared = defaultdict(set)
    for test in [each.test for each in ast.walk(function) if isinstance(each, ast.If | ast.IfExp)]:
        for node in ast.walk(test):
            if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.In):
                right = node.comparators[0]
                values = getattr(right, "elts", [right])
                words = {
                    each.value for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
                compared[ast.unparse(node.left)] |= words
    found = [
        name
        for name, words in compared.items()
        if any(len(words & members) > 1 and words <= members for members in CLOSED_SETS)
    ]
    return found if found and "assert_never" not in ast.unparse(function) else []


def repeated_defaults(modules: list[Module]) -> Iterator[str]:
    """Yield numbers other than 0 and 1 that are the default of one parameter or field in several places."""
    places = defaultdict(list)
    for module in modules:
        for name, value, line in defaults_of(module.nodes):
            if isinstance(value, ast.Constant) and type(value.value) in (int, float) and abs(value.value) not in (0, 1):
                places[name, float(value.value)].append(f"{module.path}:{line}")
    yield from (f"{name}={value:g}: {', '.join(found)}" for (name, value), found in places.items() if len(found) > 1)


def defaults_of(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr, int]]:
    """Yield name, value and line of the defaults of parameters and fields."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            plain = zip(reversed(node.args.args), reversed(node.args.defaults), strict=False)
            pairs = [*plain, *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
            yield from ((argument.arg, value, node.lineno) for argument, value in pairs if value is not None)
        elif isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and field.value:
                    yield field.target.id, field.value, field.lineno


METRICS: Mapping[str, Callable[[list[Module]], Iterator[str]]] = {
    "modules over 400 lines": long_modules,
    "folders over 20 modules": large_folders,
    "modules that other packages import": surface,
    "shared class names": shared_class_names,
    "functions named by a participle": participles,
    "functions named by a noun": noun_functions,
    "function names in five modules": shared_function_names,
    "constants without a unit": constants_without_unit,
    "silent chains": silent_chains,
    "repeated defaults": repeated_defaults,
}


def measure_code(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the findings of each metric."""
    modules = read_modules(root)
    return {name: list(find(modules)) for name, find in METRICS.items()}


def main(words: list[str]) -> int:
    """Print the metrics; return 1 if one is over its budget."""
    found = measure_code()
    if words[:1] == ["--list"]:
        print("\n".join(found[words[1]]))
        return 0
    budget: dict[str, int] = json.loads(BUDGET.read_text(encoding="utf-8"))
    if words == ["--lower"]:
        budget = {name: min(budget.get(name, len(each)), len(each)) for name, each in found.items()}
        BUDGET.write_text(json.dumps(budget, indent=2) + "\n", encoding="utf-8")
    for name, each in found.items():
        print(f"{len(each):6} {budget[name]:6}  {name}")
    return int(any(len(each) > budget[name] for name, each in found.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
