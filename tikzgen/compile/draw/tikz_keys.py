"""TikZ keys that tikzgen's files use, and the styles that the files define."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from zlib import crc32

from tikzgen.base.patterns import pattern_of
from tikzgen.base.plane import IDENTITY, compose_matrices
from tikzgen.base.record import NOTHING
from tikzgen.compile.draw.canvas import KEY_COST, Canvas
from tikzgen.compile.draw.colors_lengths_fonts import color, number, read_length
from tikzgen.compile.draw.coordinates import TRANSFORMATIONS, read_local_point, read_transformation
from tikzgen.compile.draw.option_lists import Option, parse_options, read_bracket, without_braces
from tikzgen.compile.draw.state import State
from tikzgen.compile.draw.unsupported import Unsupported
from tikzgen.compile.draw.waves import DECLARED_SEED

_WORDS = {
    "line cap": "cap",
    "line join": "join",
    "anchor": "anchor",
    "name": "name",
    "node font": "node_font",
    "font": "font",
    "fit": "fit",
    "label": "label",
    "path picture": "picture",
    "to path": "to_path",
    "append after command": "after",
    "insert path": "inserted",
    "below": "below",
    "text height": "text_height",
    "text depth": "text_depth",
    "inner sep": "inner_sep",
    "execute at begin node": "first",
}
_LENGTHS: Mapping[str, tuple[str, ...]] = {
    "line width": ("line_width",),
    "outer sep": ("outer_sep",),
    "minimum width": ("minimum_width",),
    "double distance": ("inner",),
    "minimum height": ("minimum_height",),
    "text width": ("text_width",),
    "inner frame sep": ("frame_sep",),
    "minimum size": ("minimum_width", "minimum_height"),
}
_COLORS = {"double": "inner_color", "text": "text_color"}
_SHARES = {"opacity": "opacity", "text opacity": "text_opacity"}
_FIXED_KEYS: Mapping[str, Mapping[str, Any]] = {
    "solid": {"dash": ()},
    "dashed": {"dash": (3.0, 3.0)},
    "densely dashed": {"dash": (3.0, 2.0)},
    "loosely dashed": {"dash": (3.0, 6.0)},
    "midway": {"position": 0.5},
    "near start": {"position": 0.25},
    "near end": {"position": 0.75},
    "at start": {"position": 0.0},
    "at end": {"position": 1.0},
    "circle": {"shape": "circle"},
    "rectangle": {"shape": "rectangle"},
    "sharp corners": {"radius": 0.0},
    "sloped": {"sloped": True},
    "reset cm": {"matrix": IDENTITY},
    "show background rectangle": {"framed": True},
    "loop above": {"loop": True},
}
"""Keys whose settings do not depend on a value."""
_DEFAULTS = r"""arrows=-, auto=false, align=none, sloped=false, outer sep=0.5\pgflinewidth, text=, text opacity=,
text width=, tips=on draw, shorten >=0pt, shorten <=0pt, dash phase=0pt, miter limit=10, bend angle=30, looseness=1,
shape=rectangle, label distance=0pt, name prefix=, name suffix=, on grid=false, node distance=1cm, baseline=default,
trim left=default, trim right=default, /utils/exec=\pgfsetlayers{background,main}"""
_UNSET: Mapping[Option, Mapping[str, Any]] = {
    **dict.fromkeys(parse_options(_DEFAULTS), NOTHING),
    ("arrows", "-"): {"tips": ("", "")},
    ("auto", "false"): {"auto": ""},
    ("align", "none"): {"align": ""},
    ("sloped", "false"): {"sloped": False},
    ("outer sep", r"0.5\pgflinewidth"): {"outer_sep": None},
    ("text", ""): {"text_color": None},
    ("text opacity", ""): {"text_opacity": None},
    ("text width", ""): {"text_width": None},
}
"""Values that TikZ begins with, of keys that are drawn with no other value or read otherwise."""
_UNUSED_STYLES = re.compile(r"every (?!picture$)")
"""Names of styles that TikZ applies to every path or node, and that this drawing does not apply."""
_FIRST_STYLES = ("", "draw", "draw=none, fill=none")
"""Values that TikZ begins with, of these styles."""
_DOTS = {"dotted": 2.0, "densely dotted": 1.0, "loosely dotted": 4.0}
_TIPS = re.compile(r"(\|?<?)-(>?\|?)")
TIPS = ("Stealth", "Straight Barb")
"""Heads of arrows, with a length."""
_TIP = re.compile(rf"\{{?({'|'.join(TIPS)})\[length=([^\],]+)\]\}}?")
_STYLE = re.compile(r"(.+?)/\.style(?: (\d) args| n args)?")
_SETTER = pattern_of(r"\s*\\pgfmathsetmacro\\([A-Za-z]+)")
_BEAMER = r"\ifcsname beamer@slideinframe"  # code without effect outside of Beamer
_SLIDES = re.compile(r"\\alt<(\d{1,4})(-?)(\d{0,4})>")
_STYLE_LIMIT = 30  # nested styles
_WAVES = r"\pgfdeclaredecoration{waves}"  # declaration of waves
_SHORTEST_PT = 0.5  # pt, of a wave


def apply(canvas: Canvas, state: State, text: str, *, node: bool = False, depth: int = 0) -> None:
    """Set the keys of an option list; in the list of a node, transformations move the node."""
    if depth > _STYLE_LIMIT:
        raise Unsupported("a style that contains itself")
    for key, value in parse_options(text):
        canvas.count_steps(KEY_COST)
        if key.startswith("\\"):  # the variable of a loop, such as the name of a style
            key = canvas.expand(key).strip()
        style = state.styles.get(key)
        if style is not None:
            apply(canvas, state, _fill_style(key, style[0], style[1], value or ""), node=node, depth=depth + 1)
        else:
            try:
                _set_key(canvas, state, (key, value), node, depth)
            except Unsupported as error:
                canvas.leave_out(error)


def apply_brackets(canvas: Canvas, state: State, text: str, at: int, *, node: bool = False) -> int:
    """Set the options in brackets at a position, if any; return the position after them."""
    if text[at : at + 1] == "[":
        given, at = read_bracket(text, at)
        apply(canvas, state, given, node=node)
    return at


def _fill_style(key: str, arity: int, body: str, value: str) -> str:
    """Return the keys of a style with its arguments filled in."""
    if arity == 1:
        return body.replace("#1", value)
    at = 0
    for place in range(arity):
        if value[at : at + 1] == "{":
            argument, at = read_bracket(value, at)
        else:
            argument, at = value[at : at + 1], at + 1
        if not argument:
            raise Unsupported(f"{key!r} with fewer than {arity} arguments")
        body = body.replace(f"#{place + 1}", argument)
    return body


def _set_key(canvas: Canvas, state: State, option: Option, node: bool, depth: int) -> None:
    key, value = option
    if (fixed := _FIXED_KEYS.get(key)) is not None or (fixed := _UNSET.get(option)) is not None:
        state.__dict__.update(fixed)
    elif (simple := _SIMPLE.get(key)) is not None:
        simple(canvas, state, key, _require_value(key, value))
    elif (action := _ACTIONS.get(key)) is not None:
        action(canvas, state, value)
    elif key in _DOTS:
        state.dash = (state.line_width, _DOTS[key])
    elif (moves := read_transformation(canvas, state, key, value)) is not None:
        if node:
            state.node_matrix = compose_matrices(moves, state.node_matrix)
        else:
            state.matrix = compose_matrices(moves, state.matrix)
    elif (tips := _TIPS.fullmatch(key)) is not None:
        state.tips = (tips[1], tips[2])
    elif value is None and key.split("!")[0].strip() in canvas.colors:
        state.color = state.draw_color = state.fill_color = color(canvas, key, state)
    elif key.endswith("/.try"):
        if key[:-5] in state.styles:
            apply(canvas, state, key[:-5], node=node, depth=depth + 1)
    elif (defined := _STYLE.fullmatch(key)) is not None:
        _define(state, defined, value or "")
    elif key.endswith("/.append style"):
        name = key.removesuffix("/.append style")
        arity, body = state.styles.get(name, (0, ""))
        state.styles = {**state.styles, name: (arity, f"{body}, {value}")}
    else:
        raise Unsupported(f"the key {key!r}")


def _set_word(canvas: Canvas, state: State, key: str, value: str) -> None:
    setattr(state, _WORDS[key], value)


def _set_length(canvas: Canvas, state: State, key: str, value: str) -> None:
    found = read_length(canvas, value, state, inside=key == "text width")
    state.__dict__.update(dict.fromkeys(_LENGTHS[key], found))


def _set_color(canvas: Canvas, state: State, key: str, value: str) -> None:
    setattr(state, _COLORS[key], color(canvas, value, state))


def _set_share(canvas: Canvas, state: State, key: str, value: str) -> None:
    setattr(state, _SHARES[key], min(1.0, max(0.0, number(canvas, value)[0])))


def _set_vector(canvas: Canvas, state: State, key: str, value: str) -> None:
    if value.startswith("("):
        vector = read_local_point(canvas, state, read_bracket(value, 0)[0])
    else:
        far = read_length(canvas, value, state)
        vector = (far, 0.0) if key == "x" else (0.0, far)
    setattr(state, f"{key}_vector", vector)


_Simple = Callable[[Canvas, State, str, str], None]
_SIMPLE: dict[str, _Simple] = {
    **dict.fromkeys(_WORDS, _set_word),
    **dict.fromkeys(_LENGTHS, _set_length),
    **dict.fromkeys(_COLORS, _set_color),
    **dict.fromkeys(_SHARES, _set_share),
    **dict.fromkeys("xy", _set_vector),
}
"""Keys whose value becomes a field of the state."""


def _require_value(key: str, value: str | None) -> str:
    if value is None:
        raise Unsupported(f"the key {key!r} without a value")
    return value


def _define(state: State, found: re.Match[str], value: str) -> None:
    name = found[1].strip()
    if _UNUSED_STYLES.match(name) and value not in _FIRST_STYLES:
        raise Unsupported(f"the style {name!r}")
    if found[2]:
        arity = int(found[2])
    elif found[0].endswith("n args"):
        count, end = read_bracket(value, 0)
        arity, value = int(count), without_braces(value[end:])
    else:
        arity = 1 if "#1" in value else 0
    state.styles = {**state.styles, name: (arity, value)}


def _draw(canvas: Canvas, state: State, value: str | None) -> None:
    state.draw = value != "none"
    if value not in (None, "none"):
        state.draw_color = color(canvas, value or "", state)


def _fill(canvas: Canvas, state: State, value: str | None) -> None:
    value = canvas.expand(value) if value else value
    state.fill = value != "none"
    if value not in (None, "none"):
        state.fill_color = color(canvas, value or "", state)


def _set_decorated(canvas: Canvas, state: State, value: str | None) -> None:
    state.decorated = value != "false"


def _set_waves(canvas: Canvas, state: State, value: str | None) -> None:
    """Set waves, the only decoration, which the file itself declares."""
    given = dict(parse_options(_require_value("decoration", value)))
    if given.keys() != {"waves", "amplitude", "segment length"}:
        raise Unsupported(f"the decoration {value!r}")
    long, high = (read_length(canvas, given[key] or "", state) for key in ("segment length", "amplitude"))
    if long < _SHORTEST_PT:
        raise Unsupported(f"waves of {given['segment length']}")
    state.waves = long, high


def _set_dash_pattern(canvas: Canvas, state: State, value: str | None) -> None:
    found = re.findall(r"(on|off)\s+(.+?)(?=\s+o[nf]|$)", _require_value("dash pattern", value))
    if [way for way, _ in found] != ["on", "off"] * (len(found) // 2) or not found:
        raise Unsupported(f"the dash pattern {value!r}")
    state.dash = tuple(read_length(canvas, text, state) for _, text in found)


def _round(canvas: Canvas, state: State, value: str | None) -> None:
    state.radius = 4.0 if value is None else read_length(canvas, value, state)


def _set_position(canvas: Canvas, state: State, value: str | None) -> None:
    text = without_braces(_require_value("at", value))
    if not text.startswith("("):
        raise Unsupported(f"at={text}")
    state.at = read_bracket(text, 0)[0]


def _align(canvas: Canvas, state: State, value: str | None) -> None:
    if value != "center":
        raise Unsupported(f"align={value}")
    state.align = "center"


def _set_tip(canvas: Canvas, state: State, value: str | None) -> None:
    found = _TIP.fullmatch(_require_value(">", value))
    if found is None:
        raise Unsupported(f"the tip {value!r}")
    state.tip_length, state.tip_open = read_length(canvas, found[2]), found[1] == "Straight Barb"


def _position(canvas: Canvas, state: State, value: str | None) -> None:
    state.position = number(canvas, _require_value("pos", value))[0]


def _set_auto_side(canvas: Canvas, state: State, value: str | None) -> None:
    if value not in (None, "left", "right"):
        raise Unsupported(f"auto={value}")
    state.auto = value or "left"


def _swap(canvas: Canvas, state: State, value: str | None) -> None:
    state.auto = "right" if state.auto == "left" else "left"


def _set_bend(canvas: Canvas, state: State, value: str | None) -> None:
    state.bend = number(canvas, _require_value("bend left", value))[0]


def _run_utils_exec(canvas: Canvas, state: State, value: str | None) -> None:
    r"""Run `/utils/exec`: numbers that are computed once, and code for Beamer only."""
    text = _require_value("/utils/exec", value)
    if text.startswith(_BEAMER):
        if (shown := _SLIDES.search(text)) is not None:
            _show(canvas, state, int(shown[1]), int(shown[3] or (0 if shown[2] else shown[1])))
        return
    if text.startswith(_WAVES) and crc32("".join(text.split()).encode()) == DECLARED_SEED:
        return
    at = 0
    while (found := _SETTER.match(text, at)) is not None:
        term, at = read_bracket(text, found.end())
        canvas.define(found[1], f"{number(canvas, term)[0]:.5f}")
    if text[at:].strip():
        raise Unsupported(f"/utils/exec={text[at:]}")


def _show(canvas: Canvas, state: State, first: int, last: int) -> None:
    """Show the following elements from one slide on, up to another slide unless it is 0."""
    canvas.steps = max(canvas.steps, first, last + 1 if last else 0)
    if canvas.step and not (first <= canvas.step and (not last or canvas.step <= last)):
        state.hidden = True


_ACTIONS: Mapping[str, Callable[[Canvas, State, str | None], None]] = {
    "draw": _draw,
    "fill": _fill,
    "fill/.expand once": _fill,
    "decorate": _set_decorated,
    "decoration": _set_waves,
    "dash pattern": _set_dash_pattern,
    "rounded corners": _round,
    "at": _set_position,
    "align": _align,
    ">": _set_tip,
    "pos": _position,
    "auto": _set_auto_side,
    "swap": _swap,
    "bend left": _set_bend,
    "/utils/exec": _run_utils_exec,
}
_TIKZGENS_KEYS = {"fill/.expand once", "/utils/exec"}
"""Keys of which only the values in tikzgen's files are read."""
KEYS = tuple(sorted({*_FIXED_KEYS, *_SIMPLE, *_ACTIONS, *_DOTS, *TRANSFORMATIONS} - _TIKZGENS_KEYS))
"""All other keys."""
