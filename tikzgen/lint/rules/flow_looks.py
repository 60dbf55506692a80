"""Rule on distinguishable flow kinds of a spec: TG126."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tikzgen.base.errors import quote
from tikzgen.lint.check_figure import FigureColors
from tikzgen.lint.registry import Broken, Severity, rule
from tikzgen.model.content import Content
from tikzgen.model.looks import OwnColor
from tikzgen.model.looks.vision import EYES, color_of_hex, compute_difference, join_eyes, mix_colors

_LEAST_DIFFERENCE = 5.0  # CIELAB
_INK = 0.8  # share of the color in a flow, as templates/styles.tex.j2 mixes it


@rule("TG126", "flow kinds with custom colors are distinguishable", Severity.WARNING)
def _alike_flows(subject: FigureColors) -> Iterator[Broken]:
    figure = subject.figure
    colors = {name: color_of_hex(value) for name, value in figure.colors(figure.palette).items()}
    kinds = dict.fromkeys(kind for _, _, part in figure.parts(Content) for kind, _ in part.flow_kinds())
    for one, other in combinations(kinds, 2):
        mine, yours = figure.kind(one), figure.kind(other)
        own = [kind for kind, look in ((one, mine), (other, yours)) if isinstance(look.color, OwnColor)]
        if not own or (mine.dash, mine.line) != (yours.dash, yours.line):
            continue
        first, second = (mix_colors(colors[look.color], colors["ink"], _INK) for look in (mine, yours))
        eyes = [each for each in EYES if compute_difference(first, second, each) < _LEAST_DIFFERENCE]
        if eyes:
            whose = "" if len(eyes) == len(EYES) else f" {join_eyes(eyes)}"
            message = f"flows of the kinds {quote(one)} and {quote(other)} look the same{whose}"
            hint = f"another color, or kinds: {{{own[-1]}: {{dash: dashed}}}}"
            yield Broken(subject.place_of("kinds", own[-1]), message, hint)
