"""Which styles and libraries a scene needs: only what its items use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tikzgen.layout.drawn_kinds import kind_of
from tikzgen.layout.items import Caption, Item, Scope, shade
from tikzgen.layout.scene import Style
from tikzgen.model.content import Content
from tikzgen.model.figure import Figure
from tikzgen.model.look import Phase

__all__ = ["styles"]

# The order in which styles stand in a file, for those that need no facts. A kind of part may have more of its own.
_PLAIN = (
    "bow",
    *("icon", "slbl", "strong", "worker", "server", "source", "box", "cell", "tone", "omitted", "omitted level"),
    "group",
    *("highlighted", "failed", "idle", "stepmark"),
    *("span", "flatspan", "fused", "flatfused", "bubble", "numeral", "critical", "fault", "from slide"),
    *("frame", "time", "barrier", "dependency", "link", "swatch", "entry"),
    *(
        "message",
        "critical arrow",
        "dense",
        "bent arrow",
        "leader",
        "clear",
        "brace",
        "bracket",
        "dimension",
        "short",
        "tick",
    ),
    *("number", "tear", "rip", "cut", "levels", "over", "limit"),
    *("dot sign", "diamond sign", "triangle sign", "cross sign"),
)


def styles(
    figure: Figure, items: Sequence[Item], values: Mapping[str, float]
) -> tuple[tuple[Style, ...], tuple[str, ...]]:
    """The styles in the order of the file, and the TikZ libraries; `values` are the distances in cm."""
    used = {style for item in items for style in item.uses()}
    shortest = min((item.shortest() for item in items), default=float("inf"))
    fine = not used.isdisjoint(_FINE) and shortest * values["timeunit"] < _NARROW
    found = [Style(*_plain(name, fine=fine)) for name in _PLAIN if name in used]
    parts = [part for _, _, part in figure.parts(Content)]
    for name, own in {part.type: kind_of(part).styles for part in parts}.items():
        found.extend(Style(style, style, spelling=f"{name}-styles.spelt") for style in own if style in used)
    kinds = dict.fromkeys(kind for part in parts for kind, _ in part.flow_kinds())
    for kind in kinds:
        look = figure.kind(kind)
        found.append(Style(look.tikz_style(kind), "flow", look))
    chunks: dict[str, set[int]] = {}
    for phase, chunk in (phase for item in items for phase in item.phases()):
        chunks.setdefault(phase, set()).add(chunk)
    for phase, used_chunks in chunks.items():
        found.extend(
            Style(shade(phase, chunk), "phase", _shaded(figure.phase(phase), chunk, used_chunks))
            for chunk in sorted(used_chunks)
        )
    if any(map(_is_hatched, found)):
        found.append(Style("hatch lines", "hatch lines"))
    needed = {"calc": "bow" in used, "positioning": any(_captions(items)), "fit": "group" in used}
    return tuple(found), ("arrows.meta", *(library for library, is_needed in needed.items() if is_needed))


def _is_hatched(style: Style) -> bool:
    return style.kind == "over" or (isinstance(style.look, Phase) and style.look.hatch != "none")


def _captions(items: Sequence[Item]) -> Iterator[bool]:
    """Whether each text stands below a node: only that takes a library."""
    for item in items:
        if isinstance(item, Scope):
            yield from _captions(item.items)
        elif isinstance(item, Caption):
            yield bool(item.below)


_STEP = 14  # percent of tint between two chunks
_LIGHTEST = 16  # percent: in greyscale, idle time is lighter
# percent: the deepest tint on which ink keeps a contrast of 4.5 in both palettes
_DEEPEST = {"otblue": 62, "otorange": 51, "otteal": 56, "otpurple": 56, "otgray": 56}

_HATCHED = 6  # percent: as much deeper a fill is with its hatching


def _shaded(look: Phase, chunk: int, used: set[int]) -> Phase:
    """The look of a phase for one of the chunks that it works on: the more of them, the finer the steps."""
    last = max(used)
    if not last:
        return look
    deepest = _DEEPEST[look.color] - (_HATCHED if look.hatch != "none" else 0)
    step = min(_STEP, (deepest - _LIGHTEST) / last)
    lightest = max(_LIGHTEST, min(look.tint - step / 4, deepest - step * last))
    return look.model_copy(update={"tint": round(lightest + step * chunk)})


_NARROW = 0.16  # cm: narrower cells have finer borders
_FINE = ("span", "flatspan")


def _plain(name: str, *, fine: bool) -> tuple[str, str]:
    """The name of a style and how it is spelt."""
    return name, f"fine {name}" if fine and name in _FINE else name
