"""Styles and TikZ libraries that the items of a scene use."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tikzgen.layout.layout_kinds import kind_of
from tikzgen.layout.scene.items import CaptionItem, Item, name_owner_style, name_phase_style, with_nested
from tikzgen.layout.scene.phase_shades import shade_by_owner, shade_phases
from tikzgen.layout.scene.scene import TikzStyle
from tikzgen.model.content import Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import FLOW_KINDS, HATCHES, PALETTES, Phase, owner_look
from tikzgen.model.timeline import Palettes, are_alike
from tikzgen.model.topology import SHAPES

# Hatches of built-in phases that may look equal to some readers.


def with_hatches(figure: FigureModel, looks: Mapping[str, Phase]) -> dict[str, Phase]:
    """Hatch phases whose lightness and hatch equal an earlier phase.

    A stated hatch is kept. Phases with the same legend label are not hatched.
    """
    found = dict(looks)
    palettes: Palettes = {name: figure.style.colors(name) for name in PALETTES}
    plain = [name for name in looks if name not in HATCHES]
    for name in HATCHES:
        if name not in looks:
            continue
        look = looks[name]
        own = look.model_copy(update={"hatch": HATCHES[name]})
        said = "hatch" in look.stated_fields()
        if not said and any(
            look.label != found[other].label and are_alike(look, found[other], palettes) for other in plain
        ):
            found[name] = own
        plain.append(name)
    return found


# Order of the styles in a file, without styles that depend on data. A kind of part may add its own.
_BEFORE_OUTLINES = (
    *(
        "icon",
        "slbl",
        "flbl",
        "strong",
        "worker",
        "server",
        "source",
        "box",
        "cell",
        "tone",
        "omitted",
        "omitted level",
    ),
    *("plain text", "round", "heading"),
)
_AFTER_OUTLINES = (
    *("group", "spanning", "ranging", "boxed note", "note line", "on trunk"),
    *("highlighted", "failed", "slow", "new", "idle", "stepmark"),
    *("span", "even", "flatspan", "fused", "flatfused", "bubble", "numeral", "critical", "fault", "from slide"),
    *("band", "grid line", "lane line", "rule"),
    *("frame", "time", "barrier", "dependency", "link", "swatch", "pale", "entry"),
    *("message", "critical arrow", "dense", "bent arrow", "leader", "clear"),
    *("brace", "bracket", "dimension", "short", "tick"),
    *("number", "tear", "rip", "cut", "levels", "over", "limit"),
    *("dot sign", "diamond sign", "triangle sign", "cross sign"),
)

STYLE_NAMES = frozenset(
    {*_BEFORE_OUTLINES, *_AFTER_OUTLINES, "flow", *(look.tikz_style(kind) for kind, look in FLOW_KINDS.items())}
)
"""Names of the built-in styles that do not depend on data."""


def collect_tikz_styles(figure: FigureModel, items: Sequence[Item]) -> tuple[tuple[TikzStyle, ...], tuple[str, ...]]:
    """Return the styles in the order of the file, and the TikZ libraries."""
    every = list(with_nested(items))
    used = {style for item in every for style in item.iterate_styles()}
    found = [TikzStyle(name, name) for name in _BEFORE_OUTLINES if name in used]
    found += _iterate_outline_styles(used)
    found += [TikzStyle(name, name) for name in _AFTER_OUTLINES if name in used]
    parts = [part for _, _, part in figure.parts(Content)]
    for name, own in {part.type: kind_of(part).styles for part in parts}.items():
        found.extend(TikzStyle(style, style, spelling=f"{name}-styles.spelt") for style in own if style in used)
    kinds = dict.fromkeys(kind for part in parts for kind, _ in part.flow_kinds())
    if any(figure.kind(kind).line == "snake" for kind in kinds):
        found.append(TikzStyle("waves", "waves"))
    if kinds:
        found.append(TikzStyle("flow", "all flows"))
    for kind in kinds:
        look = figure.kind(kind)
        found.append(TikzStyle(look.tikz_style(kind), "flow", look))
    chunks: dict[str, set[int]] = {}
    for phase, chunk in (phase for item in every for phase in item.iterate_phases()):
        chunks.setdefault(phase, set()).add(chunk)
    fills = with_hatches(figure, {phase: figure.phase(phase) for phase in chunks})
    owner_count = figure.owner_count
    looks = shade_by_owner(fills, chunks, owner_count) if figure.is_by_owner else shade_phases(fills, chunks)
    found.extend(TikzStyle(name_phase_style(phase, chunk), "phase", look) for (phase, chunk), look in looks.items())
    more = {name: fill for item in every for name, fill in item.iterate_looks()}
    found.extend(TikzStyle(name, "phase", fill) for name, fill in more.items())
    found += [
        TikzStyle(name_owner_style(owner), "phase", owner_look(owner, owner_count))
        for owner in sorted({owner for part in parts for owner, _ in part.list_owners()})
        if name_owner_style(owner) in used
    ]
    if any(map(_is_hatched, found)):
        found.append(TikzStyle("hatch lines", "hatch lines"))
    needed = {
        "positioning": any(isinstance(item, CaptionItem) and item.below for item in every),
        "fit": "group" in used,
    }
    needed["decorations"] = any(style.kind == "waves" for style in found)
    return tuple(found), (
        "arrows.meta",
        "backgrounds",
        *(library for library, is_needed in needed.items() if is_needed),
    )


def _iterate_outline_styles(used: Collection[str]) -> Iterator[TikzStyle]:
    """Yield the styles of the shapes that have an outline."""
    wanted = {name for name in used if name.endswith(" outline")}
    if not wanted:
        return
    shapes = {SHAPES[name].style: SHAPES[name] for name in SHAPES.built_in}
    if not wanted <= shapes.keys():
        shapes |= {SHAPES[name].style: SHAPES[name] for name in SHAPES}
    yield from (TikzStyle(style, "outline", shape) for style, shape in shapes.items() if style in wanted)


def _is_hatched(style: TikzStyle) -> bool:
    return style.kind == "over" or (isinstance(style.look, Phase) and style.look.hatch != "none")
