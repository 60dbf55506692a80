"""State of the keys in a picture, scope, path or node; an inner state begins as a copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tikzgen.base.plane import IDENTITY, PT_PER_CM, Matrix, Point
from tikzgen.base.record import NOTHING

Rgb = tuple[float, float, float]
"""A color, with each share from 0 to 1."""

Style = tuple[int, str]
"""A style: the number of its arguments, and its keys."""

_BLACK: Rgb = (0.0, 0.0, 0.0)


class State:
    """Values of the keys; lengths in pt. It is mutable, because keys change it one at a time."""

    color: Rgb = _BLACK
    draw_color: Rgb | None = None
    fill_color: Rgb | None = None
    draw: bool = False
    fill: bool = False
    line_width: float = 0.4
    inner: float = 0.0  # width of the space in a double line
    inner_color: Rgb | None = None  # color of that space
    decorated: bool = False  # whether it has waves
    waves: tuple[float, float] = (0.0, 0.0)  # length and height of a wave
    dash: tuple[float, ...] = ()
    cap: str = "butt"
    join: str = "miter"
    radius: float = 0.0
    tips: tuple[str, str] = ("", "")
    tip_length: float = 0.0
    tip_open: bool = False
    opacity: float = 1.0
    hidden: bool = False  # on another slide: invisible, but part of the size
    matrix: Matrix = IDENTITY
    x_vector: Point = (PT_PER_CM, 0.0)
    y_vector: Point = (0.0, PT_PER_CM)
    styles: Mapping[str, Style] = NOTHING
    framed: bool = False  # whether the picture has a background
    frame_sep: float = 0.0  # from the contents of the picture to the border of its background
    picture: str = ""  # drawn inside of the path, and clipped by it
    to_path: str = ""
    loop: bool = False  # `loop above` in place of another path
    bend: float | None = None  # angle of a curve to the left of the line between its ends
    inserted: str = ""  # additional path, from a style

    text_color: Rgb | None = None
    text_opacity: float | None = None
    node_font: str = ""
    font: str = ""
    inner_sep: str = ".3333em"
    outer_sep: float | None = None
    minimum_width: float = 0.0
    minimum_height: float = 0.0
    align: str = ""
    text_width: float | None = None
    text_height: str = ""
    text_depth: str = ""
    first: str = ""  # read by TeX before a label: margins

    # fields of a single node
    shape: Literal["rectangle", "circle", "coordinate"] = "rectangle"
    node_matrix: Matrix = IDENTITY
    anchor: str = "center"
    at: str = ""
    name: str = ""
    position: float | None = None  # share of a path's segment
    auto: str = ""
    sloped: bool = False
    below: str = ""
    fit: str = ""
    label: str = ""
    after: str = ""  # path that begins at the node

    def copy(self) -> State:
        new = State()
        new.__dict__.update(self.__dict__)
        return new

    def for_node(self) -> State:
        """Return the state of a node at its start: neither drawn nor filled, without keys of other nodes."""
        new = State()
        new.__dict__.update({key: value for key, value in self.__dict__.items() if key not in _NODE_KEYS})
        return new


_OF_ONE_NODE = """draw fill tips decorated picture to_path loop bend inserted shape node_matrix anchor at name position
auto sloped below fit label after text_width text_height text_depth first"""
_NODE_KEYS = frozenset(_OF_ONE_NODE.split())
