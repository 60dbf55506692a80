"""Nodes: their keys and labels, their sizes, and the drawing of them."""

from __future__ import annotations

import re
from math import hypot

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import IDENTITY, Point, compose_matrices, compute_bounding_box, map_point, shift
from tikzgen.compile.draw.canvas import NODE_COST, Canvas, DrawnGroup, NodeFacts, Shifted, TextOnCanvas
from tikzgen.compile.draw.colors_lengths_fonts import read_length, select_fonts
from tikzgen.compile.draw.coordinates import locate_node, locate_point
from tikzgen.compile.draw.node_borders import NodeBorder, make_coordinate_node
from tikzgen.compile.draw.option_lists import read_bracket, skip_blanks
from tikzgen.compile.draw.output.painting import paint
from tikzgen.compile.draw.output.set_text import TypesetText, set_text
from tikzgen.compile.draw.state import Rgb, State
from tikzgen.compile.draw.strokes import make_ellipse, make_rectangle
from tikzgen.compile.draw.tikz_keys import apply, apply_brackets
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.text.metrics import LabelFont, TextBox

_SP = 65_536  # scaled points per pt
_PICTURE = r"\begin{tikzpicture}"
_OF_NODE = re.compile(r"(.+?) of (.+)", re.DOTALL)
_LABEL = pattern_of(r"\[(.*)\]\s*([a-z ]+?)\s*:(.*)", re.DOTALL)
_SIDES = {"below": ("south", "north"), "above": ("north", "south")}
_NAMED_NODE = pattern_of(r"\s*\\node[^;]*?\(([A-Za-z][\w.-]*)\)\s*at\s*")
_MARK_COLOR: Rgb = (0.77, 0.0, 0.23)  # share of red, green and blue
_MARK_FILL: Rgb = (1.0, 0.957, 0.965)  # share of red, green and blue
_MARK_FONT = LabelFont(family="sans", size=8)  # pt
"""Colors and font of marks in a partial picture."""
_LABEL_LINE_PT = 0.4  # pt: line width of the path, not of the node


def read_node(canvas: Canvas, state: State, text: str, at: int, word: str) -> tuple[int, State, str]:
    """Read a node after its word; return the end position, the node's state and its label."""
    own = state.for_node()
    if word == "coordinate":
        own.shape = "coordinate"
        own.radius = 0.0
    while True:
        at = skip_blanks(text, at)
        sign = text[at : at + 1]
        if sign == "[":
            at = apply_brackets(canvas, own, text, at, node=True)
        elif sign == "(" and not own.name:
            name, at = read_bracket(text, at)
            own.name = " ".join(canvas.expand(name).split())
        elif text.startswith("at", at):
            own.at, at = read_bracket(text, skip_blanks(text, at + 2))
        elif sign == "{" and word == "node":
            source, at = read_bracket(text, at)
            return at, own, source
        elif word == "coordinate":
            return at, own, ""
        else:
            raise Unsupported(f"a node without text before {text[at : at + 20]!r}")


def place_node(canvas: Canvas, own: State, source: str, where: Point) -> None:
    """Place a node at a point, and draw it."""
    canvas.count_steps(NODE_COST)
    if own.at:
        where = locate_point(canvas, own, own.at)
    if own.shape == "coordinate":
        if own.name:
            canvas.nodes[own.name] = make_coordinate_node(where)
        canvas.join_items("node", len(canvas.items), NodeFacts(own.name, make_coordinate_node(where)))
        return
    canvas.enter()
    box, content = _make_content(canvas, own, source)
    sep = read_length(canvas, own.inner_sep, own)
    outer = own.line_width / 2 if own.outer_sep is None else own.outer_sep
    half_width, half_height = box.width / 2 + sep, box.total / 2 + sep
    if own.fit:
        where, half_width, half_height = _fit_node(canvas, own, sep)
    half_width, half_height = max(half_width, own.minimum_width / 2), max(half_height, own.minimum_height / 2)
    if own.shape == "circle":
        half_width = half_height = max(_compute_circle_radius(box, sep), own.minimum_width / 2, own.minimum_height / 2)
    if own.below:
        where = _place_below(canvas, own)
    base = box.depth - box.total / 2
    about = NodeBorder(own.shape, IDENTITY, half_width, half_height, outer, base)
    x, y = about.locate_anchor(own.anchor)
    matrix = compose_matrices(compose_matrices(shift(-x, -y), own.node_matrix), shift(*where))
    shape = NodeBorder(own.shape, matrix, half_width, half_height, outer, base)
    if own.name:
        canvas.nodes[own.name] = shape
    begin = len(canvas.items)
    _draw(canvas, own, shape)
    _write(canvas, own, shape, box.width, content)
    text = (box.width, box.height, box.depth)
    if own.fit:  # the area of the fitted nodes counts as the label
        text = (2 * (half_width - sep), half_height - sep, half_height - sep)
    canvas.join_items("node", begin, NodeFacts(own.name, shape, text, own.inner_sep))
    if own.label:
        _add_label(canvas, own, shape)
    if own.after:
        _go_on(canvas, own, shape)
    canvas.leave()


def _compute_circle_radius(box: TextBox, sep: float) -> float:
    """Return the radius of a circle around a label, with pgf's rounding to 255ths."""
    across, up = box.width / 2 + sep, box.total / 2 + sep
    far = hypot(across, up)
    share = int(_SP * max(across, up) / far) // 255 if far else 0
    return 256 * max(across, up) / share if share else max(across, up)


def _make_content(canvas: Canvas, own: State, source: str) -> tuple[TextBox, TypesetText | Shifted]:
    """Return the box of a node's label, and the label, or the picture in its place."""
    text = canvas.expand(source).lstrip()
    content: TypesetText | Shifted
    if _PICTURE in text:
        content, box = _draw_inner_picture(canvas, own, text)
    else:
        if own.text_width is not None and own.align != "center":
            raise Unsupported("text width without align=center")
        side = next((side for side in ("left", "right") if rf"\{side}skip=0pt plus" in own.first), "")
        trim = not own.align or r"\\" in text
        try:
            content = set_text(text, *select_fonts(own), canvas.scaled, own.text_width, trim=trim, margin=side)
        except Unsupported as error:
            canvas.leave_out(error)
            content = set_text(_name_line(canvas), _MARK_FONT, 0.0, canvas.scaled, trim=True)
        if content.lines > 1 and not own.align:
            raise Unsupported("a line break without align=center")
        box = content.box
    if own.text_height or own.text_depth:
        height = read_length(canvas, own.text_height, own) if own.text_height else box.height
        depth = read_length(canvas, own.text_depth, own) if own.text_depth else box.depth
        box = TextBox(box.width, height, depth, 0.0, box.parts)
    return box, content


def draw_mark(canvas: Canvas, state: State, source: str) -> None:
    """Draw a dashed box with the line in place of a node that needs TeX, so that flows find its name.

    Ignore other statements, and nodes without a known position.
    """
    found = _NAMED_NODE.match(source)
    if found is None:
        return
    own = state.for_node()
    own.name, own.at = found[1], read_bracket(source, found.end())[0]
    own.node_font, own.font, own.inner_sep = r"\sffamily\scriptsize", "", "4pt"
    own.draw, own.draw_color, own.dash, own.line_width = True, _MARK_COLOR, (2.0, 2.0), 0.8
    own.text_color, own.fill, own.fill_color = _MARK_COLOR, True, _MARK_FILL
    place_node(canvas, own, _name_line(canvas), (0.0, 0.0))


def _name_line(canvas: Canvas) -> str:
    return f"line {canvas.line()}"


def _draw_inner_picture(canvas: Canvas, own: State, text: str) -> tuple[Shifted, TextBox]:
    """Draw a picture inside of a label separately; return it with its box."""
    assert canvas.interpreter is not None
    end = text.find(r"\end{tikzpicture}")
    if not text.startswith(_PICTURE) or text[end:].strip() != r"\end{tikzpicture}":
        raise Unsupported("a picture next to text")
    whole, clips, nodes = canvas.box, canvas.clips, dict(canvas.nodes)
    canvas.box, canvas.clips = None, []
    state = State()
    state.color, state.opacity, state.text_opacity = (
        own.text_color or own.color,
        _choose_text_opacity(own),
        own.text_opacity,
    )
    apply(canvas, state, own.styles.get("every picture", (0, ""))[1])
    with canvas.collect_items() as items:
        canvas.interpreter.run_picture(text[len(_PICTURE) : end], state)
    inner = DrawnGroup("picture", canvas.line(), tuple(items), box=canvas.box)
    left, bottom, right, top = canvas.box or (0.0, 0.0, 0.0, 0.0)
    canvas.box, canvas.clips, canvas.nodes = whole, clips, nodes
    return Shifted((-left, -bottom), (inner,)), TextBox(right - left, top - bottom, 0.0, 0.0, ())


def _choose_text_opacity(own: State) -> float:
    """Return the opacity of a node's label."""
    return own.opacity if own.text_opacity is None else own.text_opacity


def _fit_node(canvas: Canvas, own: State, sep: float) -> tuple[Point, float, float]:
    """Return a node around others: its center, half its width and half its height."""
    points: list[Point] = []
    at, text = 0, canvas.expand(own.fit)
    while (at := skip_blanks(text, at)) < len(text):
        name, at = read_bracket(text, at)
        point, node = locate_node(canvas, own, name.strip())
        points += [node.anchor(side) for side in ("west", "east", "north", "south")] if node else [point]
    left, bottom, right, top = compute_bounding_box(points)
    return ((left + right) / 2, (bottom + top) / 2), (right - left) / 2 + sep, (top - bottom) / 2 + sep


def _place_below(canvas: Canvas, own: State) -> Point:
    found = _OF_NODE.fullmatch(own.below)
    if found is None:
        raise Unsupported(f"below={own.below}")
    node = canvas.nodes.get(canvas.expand(found[2]).strip())
    if node is None:
        raise Unsupported(f"the node {found[2]!r}, which is not defined before,")
    own.anchor = "north"
    x, y = node.anchor("south")
    return x, y - read_length(canvas, found[1])


def _draw(canvas: Canvas, own: State, shape: NodeBorder) -> None:
    """Draw the border and the background of the node."""
    width, height = shape.half_width, shape.half_height
    path = (
        make_ellipse((0.0, 0.0), width, width)
        if shape.kind == "circle"
        else make_rectangle((-width, -height), (width, height), own.radius)
    )
    if own.draw or own.fill or own.picture:
        paint(canvas, [step.map_by(shape.matrix) for step in path], own)
    else:
        canvas.enlarge_picture([map_point(point, shape.matrix) for step in path for point in step.points])


def _write(canvas: Canvas, own: State, shape: NodeBorder, width: float, content: TypesetText | Shifted) -> None:
    """Draw the label of the node."""
    if own.hidden:
        return
    corner = (-width / 2, shape.base)
    if isinstance(content, Shifted):
        if own.node_matrix != IDENTITY:
            raise Unsupported("a picture that is turned")
        x, y = map_point(corner, shape.matrix)
        if content.items:
            canvas.items.append(Shifted((x + content.by[0], y + content.by[1]), content.items))
    elif content.ink:
        canvas.count_steps(len(content.ink))
        matrix = compose_matrices(shift(*corner), shape.matrix)
        canvas.items.append(TextOnCanvas(content, matrix, own.text_color or own.color, _choose_text_opacity(own)))


def _add_label(canvas: Canvas, own: State, shape: NodeBorder) -> None:
    found = _LABEL.fullmatch(own.label.strip())
    if found is None:
        raise Unsupported(f"label={own.label}")
    at, anchor = _SIDES.get(found[2], (found[2], "center"))
    label = own.for_node()
    label.text_color, label.line_width, label.dash, label.radius = None, _LABEL_LINE_PT, (), 0.0
    label.minimum_width = label.minimum_height = 0.0
    label.inner_sep = State.inner_sep
    label.anchor = anchor
    apply(canvas, label, found[1], node=True)
    if label.anchor == "center":
        raise Unsupported(f"label={own.label} without an anchor")
    place_node(canvas, label, found[3], shape.anchor(at))


def _go_on(canvas: Canvas, own: State, shape: NodeBorder) -> None:
    r"""Run the code that a style adds after a node, whose name is `\tikzlastnode`."""
    assert canvas.interpreter is not None
    state = own.for_node()
    state.dash, state.line_width, state.picture, state.radius = (), _LABEL_LINE_PT, "", 0.0
    found = re.match(r"\s*\\pgfextra\{\\let\\([A-Za-z]+)=\\tikzlastnode\}", own.after)
    text = own.after[found.end() :] if found else own.after
    if found:
        canvas.define(found[1], "tikzlastnode")
    with canvas.name_node("tikzlastnode", shape):
        canvas.interpreter.run_in_scope(rf"\path {text};", state)
