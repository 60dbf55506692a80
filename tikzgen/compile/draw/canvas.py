"""State of a drawing: the items drawn so far, and the macros, colors and nodes of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, Protocol, TypeAlias

from tikzgen.base.plane import Matrix, Point
from tikzgen.base.record import Record
from tikzgen.base.stock_colors import STOCK
from tikzgen.compile.draw.gaps import FAILURES, Gaps
from tikzgen.compile.draw.node_borders import COMPASS, NodeBorder
from tikzgen.compile.draw.option_lists import is_escaped, read_bracket
from tikzgen.compile.draw.output.set_text import Ink, TypesetText
from tikzgen.compile.draw.state import Rgb, State
from tikzgen.compile.draw.strokes import PathStep
from tikzgen.compile.draw.unsupported import Unsupported

_STEP_LIMIT = 2_000_000
NODE_COST = 60
PATH_COST = 20
WAVE_COST = 20
KEY_COST = 4
"""Steps that a node, a path and a key count as: that long they take."""
_TEXT_CHARS = 200_000  # characters of expanded macros
_NESTING_LIMIT = 40  # nested groups and macros
_MACRO = re.compile(r"\\([A-Za-z]+)( ?)")

Macro = tuple[int, str]
"""How many arguments a macro takes (one at most), and its text."""


class Stroke(Record):
    """Style of a line; lengths in pt."""

    color: Rgb
    width: float
    dash: tuple[float, ...] = ()
    cap: str = "butt"
    join: str = "miter"


class PaintedPath(Record):
    """A path, filled, drawn or both.

    `hatch` is the single stroke that the lines of a hatch replace, with its path.
    """

    path: tuple[PathStep, ...]
    fill: Rgb | None = None
    stroke: Stroke | None = None
    opacity: float = 1.0
    hatch: tuple[tuple[PathStep, ...], Stroke] | None = None


class TextOnCanvas(Record):
    """A label, and the map from its coordinates to the picture."""

    text: TypesetText
    matrix: Matrix
    color: Rgb
    opacity: float = 1.0

    @property
    def ink(self) -> tuple[Ink, ...]:
        """Its characters and rules with their positions in the label."""
        return self.text.ink


class Clipped(Record):
    """Items that are visible only inside a path."""

    path: tuple[PathStep, ...]
    items: tuple[Item, ...]


class Shifted(Record):
    """A picture inside a label."""

    by: Point
    items: tuple[Item, ...]


class NodeFacts(Record):
    """A node: its name, its border, and the width, height and depth of its label in pt."""

    name: str
    shape: NodeBorder
    text: tuple[float, float, float] = (0.0, 0.0, 0.0)
    separation: str = ""

    @property
    def border(self) -> tuple[Point, ...]:
        """Its anchors, counterclockwise from the east; a coordinate has one point."""
        return tuple(map(self.shape.anchor, COMPASS)) if self.shape.kind != "coordinate" else (self.shape.centre,)


class DrawnGroup(Record):
    """Items that belong together, and their line in the file: a node, path, label, or picture in a node."""

    kind: Literal["node", "path", "picture", "text"]
    line: int
    items: tuple[Item, ...]
    node: NodeFacts | None = None
    box: tuple[float, float, float, float] | None = None  # only of a picture


Item: TypeAlias = PaintedPath | TextOnCanvas | Clipped | Shifted | DrawnGroup


class Interpreter(Protocol):
    """Protocol of an interpreter for TikZ inside of TikZ."""

    def run_in_scope(self, text: str, state: State) -> None: ...

    def run_picture(self, text: str, state: State) -> None: ...


class Canvas:
    """A picture while it is drawn. `scaled` states whether the file loads AMS packages.

    Of its `steps` on slides, only `step` is drawn; 0 draws every step. With `gaps`, the picture may be partial: they
    collect its gaps.
    """

    def __init__(self, *, scaled: bool, step: int, gaps: Gaps | None = None) -> None:
        self.scaled = scaled
        self.gaps = gaps
        self.source: Callable[[], str] = str  # source text of the statement that is drawn now
        self.step, self.steps = step, 1
        self.macros: dict[str, Macro] = {}
        self._expanded: dict[str, str] = {}  # results of `expand`
        self.colors: dict[str, Rgb] = dict(STOCK)
        self.mixed: dict[str, Rgb] = {}
        self.nodes: dict[str, NodeBorder] = {}
        self.items: list[Item] = []
        self.box: tuple[float, float, float, float] | None = None
        self.clips: list[tuple[float, float, float, float]] = []
        self.depth = 0
        self.interpreter: Interpreter | None = None
        self.line: Callable[[], int] = int  # line of the file that is drawn now
        self._steps = 0

    def join_items(self, kind: Literal["node", "path", "text"], begin: int, node: NodeFacts | None = None) -> None:
        """Combine all items from the index `begin` on into one group."""
        self.items[begin:] = [DrawnGroup(kind, self.line(), tuple(self.items[begin:]), node)]

    # -- limits ------------------------------------------------------------------------------------------------

    def count_steps(self, steps: int = 1) -> None:
        """Count work; raise `Unsupported` above the limit."""
        self._steps += steps
        if self._steps > _STEP_LIMIT:
            raise Unsupported(f"a picture of more than {_STEP_LIMIT} steps")

    def leave_out(self, error: Exception) -> None:
        """Record the current statement as a gap of a partial picture; raise the error if it must be exact."""
        if self.gaps is None:
            raise error
        self.gaps.add(self.line(), self.source(), error)

    @contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Restore the picture if drawing inside fails, and raise the error."""
        items, count, depth, box = self.items, len(self.items), self.depth, self.box
        clips, nodes, macros = [*self.clips], dict(self.nodes), dict(self.macros)
        try:
            yield
        except FAILURES:
            self.items, self.depth, self.box = items, depth, box
            del self.items[count:]
            self.clips, self.nodes, self.macros = clips, nodes, macros
            self._expanded.clear()
            raise

    def enter(self) -> None:
        self.depth += 1
        if self.depth > _NESTING_LIMIT:
            raise Unsupported(f"what is nested more than {_NESTING_LIMIT} deep")

    def leave(self) -> None:
        self.depth -= 1

    @contextmanager
    def collect_items(self) -> Iterator[list[Item]]:
        """Collect the items that are drawn inside separately."""
        items, self.items = self.items, []
        yield self.items
        self.items = items

    @contextmanager
    def name_node(self, name: str, shape: NodeBorder) -> Iterator[None]:
        """Give a node a name inside; restore another node of that name afterwards."""
        before, self.nodes[name] = self.nodes.get(name), shape
        yield
        if before is not None:
            self.nodes[name] = before

    # -- macros ------------------------------------------------------------------------------------------------

    def define(self, name: str, body: str, arity: int = 0) -> None:
        self.macros[name] = (arity, body)
        self._expanded.clear()

    @contextmanager
    def own_macros(self) -> Iterator[None]:
        """Discard the macros that are defined inside."""
        before = dict(self.macros)
        yield
        self.macros = before
        self._expanded.clear()

    def expand(self, text: str) -> str:
        """Return a string with the file's macros replaced; other commands stay."""
        if "\\" not in text:
            return text
        if (known := self._expanded.get(text)) is None:
            known = self._expanded[text] = self._expand(text, 0)
        return known

    def _expand(self, text: str, depth: int) -> str:
        if depth > _NESTING_LIMIT:
            raise Unsupported("a macro that contains itself")
        parts: list[str] = []
        at = 0
        while (found := _MACRO.search(text, at)) is not None:
            begin = found.start()
            if is_escaped(text, begin):
                parts.append(text[at : begin + 1])
                at = begin + 1
                continue
            macro = self.macros.get(found[1])
            if macro is None:
                parts.append(text[at : found.end()])
                at = found.end()
                continue
            parts.append(text[at:begin])
            at = found.end()
            arity, body = macro
            if arity:
                if text[at : at + 1] != "{":
                    raise Unsupported(f"\\{found[1]} without its argument in braces")
                argument, at = read_bracket(text, at)
                body = body.replace("#1", argument)
            self.count_steps()
            parts.append(self._expand(body, depth + 1))
            if sum(map(len, parts)) > _TEXT_CHARS:
                raise Unsupported(f"macros for more than {_TEXT_CHARS} characters")
        parts.append(text[at:])
        return "".join(parts)

    # -- the picture's box -------------------------------------------------------------------------------------

    def enlarge_picture(self, points: Sequence[Point], by: float = 0.0) -> None:
        """Enlarge the picture to contain some points, `by` pt around them; clipped points are ignored."""
        if self.clips or not points:
            return
        xs, ys = [x for x, _ in points], [y for _, y in points]
        left, bottom, right, top = min(xs) - by, min(ys) - by, max(xs) + by, max(ys) + by
        if self.box is not None:
            left, bottom = min(left, self.box[0]), min(bottom, self.box[1])
            right, top = max(right, self.box[2]), max(top, self.box[3])
        self.box = (left, bottom, right, top)
