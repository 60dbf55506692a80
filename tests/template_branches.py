"""Which branches of the templates were taken: the nodes of conditions and loops tell it while a figure is spelt."""

from __future__ import annotations

from typing import Any, TypeVar

from jinja2 import Environment, FileSystemLoader, StrictUndefined, nodes
from jinja2.visitor import NodeTransformer

from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.emit import environment as known

Branch = tuple[str, int, str]
"""A template, a line, and what is chosen there."""

_N = TypeVar("_N", bound=nodes.Node)


class Watched(Environment):
    """The environment of `tikzgen.emit.environment`, whose templates note in `taken` where they go."""

    def __init__(self) -> None:
        super().__init__(loader=FileSystemLoader(template_folder()), undefined=StrictUndefined, **known._SYNTAX)
        self.globals.update(known.make_environment().globals)
        self.globals["noted"] = self.note
        self.all: set[Branch] = set()
        self.taken: set[Branch] = set()

    def note(self, branch: Branch, value: Any = "") -> Any:
        self.taken.add(branch)
        return value

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        marker = _Marker(str(name), self.all)
        marker.visit(tree)
        return tree


class _Marker(NodeTransformer):
    """Puts a note into each branch."""

    def __init__(self, template: str, found: set[Branch]) -> None:
        self.template, self.found = template, found

    def visit_If(self, node: nodes.If) -> nodes.If:  # noqa: N802 (as Jinja has it)
        self._into(node.body, node, "if")
        if node.else_:
            self._into(node.else_, node, "else")
        return self.generic_visit(node)

    def visit_For(self, node: nodes.For) -> nodes.For:  # noqa: N802
        self._into(node.body, node, "for")
        return self.generic_visit(node)

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.CondExpr:  # noqa: N802
        self.generic_visit(node)
        node.expr1 = self._note(node, "then", node.expr1)
        if node.expr2 is not None:
            node.expr2 = self._note(node, "otherwise", node.expr2)
        return node

    def _into(self, body: list[nodes.Node], node: nodes.Node, what: str) -> None:
        body.insert(0, nodes.ExprStmt(self._note(node, what)).set_lineno(node.lineno))

    def _note(self, node: nodes.Node, what: str, *given: nodes.Expr) -> nodes.Expr:
        column = sum(branch[:2] == (self.template, node.lineno) for branch in self.found)
        branch = (self.template, node.lineno, f"{what} {column}")
        self.found.add(branch)
        told = [nodes.Const(branch), *given]
        return nodes.Call(nodes.Name("noted", "load"), told, [], None, None).set_lineno(node.lineno)
