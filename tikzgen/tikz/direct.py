"""The environment of our own templates: they are part of the program, so no guard stands between them and the scene."""

from __future__ import annotations

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef

__all__ = ["Direct"]


class _Generator(CodeGenerator):
    """Writes `item.x` and `corner(x, y)` as Python has them, where Jinja asks its environment each time."""

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 (as Jinja has it)
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        if forward_caller or node.dyn_args is not None or node.dyn_kwargs is not None:
            super().visit_Call(node, frame, forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """A macro is its function: ours have no defaults and are always given all their arguments."""
        self.write("macro")


class Direct(Environment):
    """Jinja's environment for templates that need no sandbox."""

    code_generator_class = _Generator
