"""The name that was meant where TeX does not know one: a style, a node, a colour, a command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from tikzgen.base.suggest import nearest
from tikzgen.texfile import Facts, scan
from tikzgen.texfile.loops import node_names

# Keys of TikZ that figures use, beside their own styles.
_KEYS = (
    "above below left right above-left above-right anchor align arrows at auto bend-left bend-right centered circle "
    "clip color column-sep cycle dash-pattern dashed decorate decoration densely-dashed densely-dotted dotted double "
    "draw ellipse every-node every-path fill fill-opacity fit font inner-sep inner-xsep inner-ysep label "
    "line-cap line-join line-width loosely-dashed matrix midway minimum-height minimum-size minimum-width "
    "name near-end near-start node-distance node-font opacity outer-sep overlay path-picture pattern pos "
    "postaction preaction rectangle remember-picture rotate rounded-corners row-sep scale shape sharp-corners "
    "shift shorten-< shorten-> sloped solid swap text text-depth text-height text-opacity text-width "
    "thick thin transform-shape ultra-thick use-as-bounding-box very-thick very-thin xscale xshift yscale yshift"
)
# Commands of LaTeX that labels use, beside those of maths.
_COMMANDS = (
    "bfseries itshape rmfamily sffamily ttfamily scshape tiny scriptsize footnotesize small normalsize large Large "
    "textbf textit textrm textsf texttt textsc emph underline textcolor color raisebox rotatebox scalebox mbox "
    "hspace vspace rule quad qquad shortstack makebox parbox centering strut phantom draw fill path node coordinate "
    "foreach tikzset definecolor usepackage usetikzlibrary begin end"
)
_COLORS = (
    "black blue brown cyan darkgray gray green lightgray lime magenta olive orange pink purple red teal violet white "
    "yellow"
)


def _keys(facts: Facts) -> list[str]:
    return [*(style.name for style in facts.styles), *(key.replace("-", " ") for key in _KEYS.split())]


def _nodes(facts: Facts) -> list[str]:
    return [name for index in range(len(facts.nodes)) for name in node_names(facts, index)]


def _colors(facts: Facts) -> list[str]:
    return [*(color.name for color in facts.colors), *_COLORS.split()]


def _commands(facts: Facts) -> list[str]:
    from tikzgen.text.maths.maths_commands import known  # with pydantic, which no reader in a sandbox sees

    own = (definition.name.removeprefix("\\") for definition in facts.definitions)
    return [*own, *_COMMANDS.split(), *known()]


_SOUGHT: tuple[tuple[str, Callable[[Facts], Iterable[str]]], ...] = (
    (r"I do not know the key '/(?:tikz|pgf)/(?P<name>[^']+)'", _keys),
    (r"No shape named [`'](?P<name>[^']+)'", _nodes),
    (r"Undefined color [`'](?P<name>[^']+)'", _colors),
    (r"Undefined control sequence \\(?P<name>[A-Za-z]{2,})$", _commands),
)


def did_you_mean(message: str, source: str) -> str:
    """`did you mean "icon"?`, from the names that the figure has and those that LaTeX brings; nothing without one."""
    for pattern, names in _SOUGHT:
        if found := re.search(pattern, message):
            given, known = found["name"], list(names(scan(source)))
            near = nearest(given, known, cutoff=0.8) if given not in known else ""
            sign = "\\" if names is _commands else ""
            return f'did you mean "{sign}{near}"?' if near else ""
    return ""
