"""Pages that a reviewer rejects, each for one reason, made from pages without fault.

A kind of fault changes the .tex of a figure, once for each place at which the fault is visible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

Change = Callable[[str], Iterator[str]]


class Kind(NamedTuple):
    """A kind of fault: its name, the rule that must find it, and the changed sources of a figure."""

    name: str
    code: str
    change: Change


def each(pattern: str, after: str) -> Change:
    """Return a change of one occurrence of a pattern."""

    def change(source: str) -> Iterator[str]:
        for found in re.finditer(pattern, source, re.MULTILINE):
            yield source[: found.start()] + found.expand(after) + source[found.end() :]

    return change


def every(pattern: str, after: str) -> Change:
    """Return a change of all occurrences of a pattern."""

    def change(source: str) -> Iterator[str]:
        text, count = re.subn(pattern, after, source, flags=re.MULTILINE)
        if count:
            yield text

    return change


def with_options(what: str, more: str) -> Change:
    """Return a change that adds options to one statement."""
    return each(rf"({what}[^\]]*)\]", rf"\g<1>, {more}]")


def _find_end(source: str) -> int:
    """Return the place of the end of the picture."""
    return source.rindex("\\end{tikzpicture}", 0, source.index("\\end{document}"))


def with_remark(source: str) -> Iterator[str]:
    """Yield the figure with a remark far from a node to which a line leads."""
    for name in dict.fromkeys(re.findall(r"^ +(?:\\node\[[^\n]*\] )?\(([a-z]\w*)\) at ", source, re.MULTILINE)):
        end = _find_end(source)
        line = rf"  \draw[line width=0.3pt] ({name}.south) -- ++(4.2,-3.4) node[anchor=west] {{a remark}};"
        yield f"{source[:end]}{line}\n{source[end:]}"


_FLOW = re.compile(r"^  \\draw\[([^\]]*)\] (\((?:\[[^\]]*\])?(\w+)(?:-label)?\.(\w+)\))([^;]*;)", re.MULTILINE)


def with_exchanged_ends(source: str) -> Iterator[str]:
    """Yield the figure with the beginnings of two of its flows exchanged."""
    flows = [found for found in _FLOW.finditer(source) if "|" not in found[5]]
    for one, other in combinations(flows, 2):
        if one.group(1, 3, 4) == other.group(1, 3, 4) and _differ(one[2], other[2]) > _SEEN_CM:
            between = source[one.end(2) : other.start(2)]
            yield f"{source[: one.start(2)]}{other[2]}{between}{one[2]}{source[other.end(2) :]}"


_SEEN_CM = 0.25


def _differ(one: str, other: str) -> float:
    numbers = [re.search(r"-?\d+\.\d+(?=\)\*1cm|cm)", end) for end in (one, other)]
    first, second = (float(found[0]) if found else 0.0 for found in numbers)
    return abs(first - second)


def with_node_off_axis(source: str) -> Iterator[str]:
    """Yield the figure with a node moved that has one straight flow."""
    body = source[source.index("\\begin{document}") : _find_end(source)]
    statements = re.findall(r"\\draw\[[^;]*;", body)
    for name in dict.fromkeys(re.findall(r"\((\w+)\) at \(", body)):
        own = [text for text in statements if re.search(rf"\b{name}(?:-label)?\.", text)]
        ends = re.findall(r"\((?:\[[^\]]*\])?(\w+)(?:-label)?\.(\w+)\)", own[0]) if len(own) == 1 else []
        alone = [end for end in ends if len(re.findall(rf"\b{end[0]}(?:-label)?\.{end[1]}\b", body)) == 1]
        if len(alone) != 2 or "|" in own[0] or "\\foreach" in body:
            continue
        side = next(side for node, side in alone if node == name)
        x, y = (0.3, 0.0) if side in ("north", "south") else (0.0, 0.3)
        yield re.sub(rf"\({name}\) at \(", f"({name}) at ([shift={{({x},{y})}}]", source)


def with_small_panel(source: str) -> Iterator[str]:
    """Yield the figure with the labels of lanes of its last panel in small type."""
    before, mark, panel = source.rpartition("  % --- panel")
    if mark and panel.count("\\node[slbl, anchor=east]") > 1:
        small = r"\\node[slbl, font=\\sffamily\\fontsize{6}{7}\\selectfont, anchor=east]"
        yield before + mark + re.sub(r"\\node\[slbl, anchor=east\]", small, panel)


def with_larger_box(source: str) -> Iterator[str]:
    """Yield the figure with one of several workers in a larger box."""
    if source.count("\\node[worker") > 2:
        yield from with_options(r"\\node\[worker", "minimum width=3.4cm, minimum height=2.2cm")(source)


_FLOWS = r"\\draw\[(?:data|act|wts|grad|msg|ctrl|network|nvlink)\b"
_LABEL = r"\\node\[slbl\b"
_TITLE = r"\\node\[heading\b"
_PHASE = r"^(    (?!idle|bubble)[\w-]+ phase/\.style=\{fill=)(\w+)![^,}\n]*"
_TONE = r"tone/\.style=\{draw=[^,]*, fill=[^}]*\}"

KINDS = [
    Kind("fill like the background", "TG332", each(_PHASE, r"\g<1>\g<2>!7!paper")),
    Kind("boxes like the background", "TG332", every(_TONE, "tone/.style={draw=none, fill=#1!4!paper}")),
    Kind("label upside down", "TG330", with_options(_LABEL, "rotate=180")),
    Kind("tilted label", "TG330", with_options(_LABEL, "rotate=14")),
    Kind("tilted title", "TG330", with_options(_TITLE, "rotate=8")),
    Kind("title off center", "TG331", with_options(_TITLE, "xshift=1.1cm")),
    Kind("thicker link", "TG334", with_options(_FLOWS, "line width=2.4pt")),
    Kind("thinner link", "TG334", with_options(_FLOWS, "line width=0.4pt")),
    Kind("larger head", "TG334", with_options(_FLOWS, ">={Stealth[length=4mm]}")),
    Kind("fine dashes", "TG333", with_options(_FLOWS, "dash pattern=on 0.4pt off 0.4pt")),
    Kind("italic label", "TG335", with_options(_LABEL, r"font=\\itshape")),
    Kind("label with serifs", "TG335", with_options(_LABEL, r"font=\\rmfamily")),
    Kind("panel in small type", "TG328", with_small_panel),
    Kind("larger box", "TG336", with_larger_box),
    Kind("needless crossing", "TG337", with_exchanged_ends),
    Kind("node off its axis", "TG338", with_node_off_axis),
    Kind("long leader line", "TG339", with_remark),
    Kind("frame twice its content", "TG340", each(r"fit=\{\((\w+)\)", r"fit={(\g<1>) ([yshift=-9cm]\g<1>.south)")),
]
