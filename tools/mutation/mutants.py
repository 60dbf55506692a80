"""The changes that a Python file or a template allows; each is one span of bytes and its replacement."""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

_SWAPPED_COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
}
_SWAPPED_ARITHMETIC = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: (r"\*\*", "*"),
}
_TYPE_NAMES = {"TypeVar", "ParamSpec", "NewType"}
_REMOVED = (ast.AugAssign, ast.Raise, ast.Continue, ast.Break, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    operator: str
    line: int
    start: int
    end: int
    replacement: str
    scope: tuple[str, ...] | None = None
    """Names that the code defines at import; None inside a function."""

    @property
    def id(self) -> str:
        key = f"{self.path}:{self.operator}:{self.start}:{self.end}:{self.replacement}"
        return hashlib.sha256(key.encode()).hexdigest()[:12]

    @property
    def package(self) -> str:
        """Return the package of the file; a module at the top of tikzgen has the package `top`."""
        folders = self.path.split("/")
        if folders[-1] == "model/looks/icons.py" or folders[:2] == ["templates", "icons"]:
            return "icons"
        if folders[0] == "templates":
            return "templates"
        return folders[1] if len(folders) > 2 else "top"

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.replacement.encode() + source[self.end :]

    def diff(self, source: bytes) -> str:
        """Return the change as diff lines without context."""
        old, new = source.decode().splitlines(), self.apply(source).decode().splitlines()
        lines = difflib.unified_diff(old, new, lineterm="", n=0)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


def find_mutants(path: str, source: bytes) -> list[Mutant]:
    """Return all changes of a file. A few do not compile: see `compiles`."""
    if path.endswith(".j2"):
        return list(_find_in_template(path, source))
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return finder.found


def compiles(mutant: Mutant, source: bytes) -> bool:
    """Return whether a changed Python file is still one; templates are not compiled here."""
    if mutant.path.endswith(".j2"):
        return True
    try:
        ast.parse(mutant.apply(source))
    except (SyntaxError, ValueError):
        return False
    return True


def _find_in_template(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield changes of a template: remove a line of output, or add one to a number.

    The first comment of an icon is included, because it declares the size.
    """
    visible = source
    if not path.startswith("templates/icons/"):
        visible = re.sub(rb"<#.*?#>", lambda comment: re.sub(rb"[^\n]", b" ", comment[0]), source, flags=re.DOTALL)
    start = 0
    for number, line in enumerate(visible.splitlines(keepends=True), start=1):
        end = start + len(line)
        if line.strip() and not line.lstrip().startswith((b"<%", b"<#", b"-#>", b"%")):
            yield Mutant(path, "template line", number, start, end, "", ())
        for digits in re.finditer(rb"(?<![\w#.])\d+(?:\.\d+)?", line.split(b" % ")[0]):
            value = digits[0].decode()
            changed = str(int(value) + 1) if value.isdigit() else f"{float(value) + 1:g}"
            yield Mutant(path, "template number", number, start + digits.start(), start + digits.end(), changed, ())
        start = end


class _Finder(ast.NodeVisitor):
    """Collects the changes of a Python file."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source = path, source
        self.found: list[Mutant] = []
        self.functions = 0
        self.names: tuple[str, ...] = ()
        self.line_starts = [0]
        for line in source.splitlines(keepends=True):
            self.line_starts.append(self.line_starts[-1] + len(line))

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        outer, self.names = self.names, (*self.names, node.name)
        for part in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if part is not None:
                self.visit(part)
        self.functions += 1
        for statement in node.body:
            self.visit(statement)
        self.functions -= 1
        self.names = outer

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 (name of ast)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.functions += 1
        self.visit(node.body)
        self.functions -= 1

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, self.names = self.names, (*self.names, node.name)
        for part in [*node.decorator_list, *node.keywords, *node.body]:
            self.visit(part)
        self.names = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._add(node, "removed statement", "pass")
        outer = self.names
        if not self.functions:
            bound = [each.id for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
            if "__all__" in bound:
                return
            self.names = (*self.names, *bound)
        for part in [*node.targets, node.value]:
            self.visit(part)
        self.names = outer

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        outer = self.names
        if not self.functions and isinstance(node.target, ast.Name):
            self.names = (*self.names, node.target.id)
        self._visit_type(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        self.names = outer

    def visit_Subscript(self, node: ast.Subscript) -> None:
        name = node.value.id if isinstance(node.value, ast.Name) else ""
        if not self.functions and name and (name[0].isupper() or name in ("list", "dict", "tuple", "set", "type")):
            self._visit_type(node)
        else:
            self.generic_visit(node)

    def _visit_type(self, node: ast.expr) -> None:
        """Visit the calls in a type, such as `Field(ge=1)`; changes of other parts have no effect or fail at import."""
        if isinstance(node, ast.Call):
            self.visit(node)
            return
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._visit_type(part)

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._negate(node.test)
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    def _negate(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Constant):
            self._add(test, "negated condition", f"(not ({self._text(test)}))")

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1:
            self._swap(node, [node.left, node.comparators[0]], _SWAPPED_COMPARISONS[type(node.ops[0])], "comparison")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self._swap(node, node.values, words, "and/or")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        spelled = any(isinstance(side, ast.JoinedStr) or _is_text(side) for side in (node.left, node.right))
        if type(node.op) in _SWAPPED_ARITHMETIC and not spelled:
            self._swap(node, [node.left, node.right], _SWAPPED_ARITHMETIC[type(node.op)], "arithmetic")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in _SWAPPED_ARITHMETIC and not (isinstance(node.value, ast.JoinedStr) or _is_text(node.value)):
            self._swap(node, [node.target, node.value], _SWAPPED_ARITHMETIC[type(node.op)], "arithmetic")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self._add(node.value, "returned None", "None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node.value, ast.Call):
            self._add(node, "removed statement", "pass")
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "strict":  # `zip(strict=True)` states a fact
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if not (isinstance(node.func, ast.Name) and node.func.id in _TYPE_NAMES):
            self.generic_visit(node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        changed = ast.JoinedStr([ast.Constant("XX"), *node.values])
        try:
            self._add(node, "string", ast.unparse(changed))
        except ValueError:
            return  # its quotes cannot be nested before Python 3.12

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self._add(node, "boolean", str(not value))
        elif isinstance(value, int | float):
            for other in dict.fromkeys((value + 1, value - 1, type(value)(0))):
                if other != value:
                    self._add(node, "number", repr(other) if other >= 0 else f"({other!r})")
        elif isinstance(value, str):
            self._add(node, "string", repr(f"XX{value}"))

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _REMOVED):
            self._add(node, "removed statement", "pass")
        super().generic_visit(node)

    def _swap(self, node: ast.expr | ast.stmt, parts: list[ast.expr], words: tuple[str, str], operator: str) -> None:
        """Replace the operator between each two parts."""
        text, end = b"", self._span(parts[0])[0]
        for part, following in zip(parts, [*parts[1:], None], strict=True):
            start, stop = self._span(part)
            text += self.source[start:stop]
            end = stop
            if following is not None:
                between = self.source[stop : self._span(following)[0]].decode()
                text += re.sub(words[0], words[1], between, count=1).encode()
        self._add_span(self._span(parts[0])[0], end, node.lineno, operator, text.decode())

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self.source[start:end].decode()

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.line_starts[node.lineno - 1] + node.col_offset
        return start, self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def _add(self, node: ast.expr | ast.stmt, operator: str, replacement: str) -> None:
        self._add_span(*self._span(node), node.lineno, operator, replacement)

    def _add_span(self, start: int, end: int, line: int, operator: str, replacement: str) -> None:
        scope = None if self.functions else self.names
        self.found.append(Mutant(self.path, operator, line, start, end, replacement, scope))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
