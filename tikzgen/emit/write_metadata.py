"""`fig.meta.json`: metadata of a figure with its edit contract, from the same scene as its TikZ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tikzgen.layout import LayoutKind, kind_of, list_first_names
from tikzgen.layout.scene import Parameter, Scene
from tikzgen.model.about import About
from tikzgen.model.content import KINDS, Content
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import OwnColor
from tikzgen.model.operations import OPERATIONS, names_of
from tikzgen.text.spoken_labels import label_to_unicode

_INNER_STYLES = ("all flows", "flbl", "waves", "heading")  # kinds of styles that other styles or the title use


def contracts_of_kinds(figure: FigureModel) -> Iterator[tuple[LayoutKind[Any], list[Any]]]:
    """Yield the kinds of content that a figure has, with its parts of each."""
    types = {part.type for _, _, part in figure.parts(Content)}
    for name in (*(name for name in KINDS.built_in if name in types), *sorted(types - KINDS.built_in.keys())):
        parts = [part for _, _, part in figure.parts(Content) if part.type == name]
        yield kind_of(parts[0]), parts


_COLORS = {"otgray": "gray", "otpurple": "purple", "otteal": "teal", "otblue": "blue", "otorange": "orange"}


def naming_scheme(figure: FigureModel, scene: Scene) -> str:
    """Return the scheme of the node names, as one paragraph."""
    said = [one for kind, parts in contracts_of_kinds(figure) for one in kind.naming_scheme(figure, scene, parts)]
    if len(figure.panels) > 1:
        said.append(f"Every name begins with its panel's id: {', '.join(f'{panel.id}-' for panel in figure.panels)}")
    return ". ".join(said)


def list_allowed_operations(figure: FigureModel, scene: Scene) -> list[dict[str, str]]:
    """Return the operations that this figure allows, each with its manual equivalent."""
    names = {
        **names_of(figure),
        "parameters": tuple(parameter.name for parameter in scene.parameters),
        "lengths": tuple(parameter.name for parameter in scene.parameters if parameter.type == "length-cm"),
    }
    words = {**_words_of_figure(figure, scene), "facts": ", ".join(names["facts"])}
    allowed = ((name, each) for name, each in OPERATIONS.items() if not each.list_reasons_against(names))
    return [{"id": name, "summary": each.hand.format_map(words)} for name, each in allowed]


def _words_of_figure(figure: FigureModel, scene: Scene) -> dict[str, str]:
    """Return the values of the words in braces of the table: the names of this figure."""
    by_type: dict[str, list[str]] = {}
    for parameter in scene.parameters:
        by_type.setdefault(parameter.type, []).append(parameter.macro)
    formats = list_first_names(by_type.get("text-of-number", []))
    pictures = ", ".join(f"\\{picture.macro}" for picture in scene.icons)
    kinds = list_flow_kinds(figure)
    styles = "/".join(figure.kind(kind).tikz_style(kind) for kind in kinds)
    found = {
        "values": f"in {formats} #1 is the number" if formats else "each comment states its meaning",
        "labels": list_first_names(by_type.get("text", [])),
        "lengths": list_first_names(by_type.get("length-cm", [])),
        "icons": pictures or "none yet: a box becomes an icon",
        "styles": styles or "data",
        "looks": (f"the {styles} styles" if kinds else "the phase styles") + (" or an icon macro" if pictures else ""),
        "keep": f"; keep distinct flows ({'/'.join(kinds)}) in distinct {find_apart_by(figure)}"
        if len(kinds) > 1
        else "",
    }
    for kind, parts in contracts_of_kinds(figure):
        found = {**kind.by_hand(figure, scene, parts), **found}  # values of an earlier kind have priority
    # Without lanes of their workers, `add_lane` has the text of `add_worker`.
    return {f"{verb}_lane": found.get(f"{verb}_worker", "") for verb in ("add", "remove")} | found


def list_invariants(figure: FigureModel, scene: Scene) -> list[str]:
    """Return the rules that every edit must keep."""
    kinds = list_flow_kinds(figure)
    looks = ", ".join(_look(figure, kind) for kind in kinds)
    apart = f"the {'/'.join(kinds)} flows must stay in distinct palette {find_apart_by(figure)} ({looks})"
    return [
        *([apart] if len(kinds) > 1 else ()),
        *(one for kind, parts in contracts_of_kinds(figure) for one in kind.invariants(figure, scene, parts)),
        *([_SLIDES] if any(style.name == "from slide" for style in scene.styles) else ()),
        f"colors only via the five palette names{_own_names(scene)} (tints/shades allowed); "
        "never inline hex or stock colors",
    ]


def _own_names(scene: Scene) -> str:
    """Return the colors of the author, which the file defines in addition to the palette."""
    own = [name for name in scene.palette if isinstance(name, OwnColor)]
    return f" and {list_first_names(own)}, which the block of colors defines" if own else ""


_SLIDES = "the number of from slide is the first slide with the element, and not before the elements at its ends"


def list_flow_kinds(figure: FigureModel) -> list[str]:
    return list(dict.fromkeys(kind for _, _, part in figure.parts(Content) for kind, _ in part.flow_kinds()))


def find_apart_by(figure: FigureModel) -> str:
    """Return the distinction between flow kinds: colors, or colors and dashes if two kinds share a color."""
    colors = [figure.kind(kind).color for kind in list_flow_kinds(figure)]
    return "colors" if len({*colors}) == len(colors) else "colors or dashes"


def _look(figure: FigureModel, kind: str) -> str:
    look = figure.kind(kind)
    dash = "" if look.dash == "solid" else "dashed " if "dash" in look.dash else "dotted "
    color = look.color.spelling if isinstance(look.color, OwnColor) else _COLORS[look.color]
    return f"{color} {dash}{look.plural or kind}"


def make_metadata(figure: FigureModel, scene: Scene, words: About) -> dict[str, Any]:
    """Return the metadata in the form of OpenTikZ's schema, which forbids `additionalProperties`.

    `words` are the title and the description of the figure.
    """
    meta = figure.meta
    found: dict[str, Any] = {
        "id": figure.id,
        "name": meta.name or label_to_unicode(figure.title) or getattr(figure.origin, "heading", "") or figure.id,
        "type": "template",
        "domain": list(dict.fromkeys(meta.domain)),
        "tags": list(dict.fromkeys(meta.tags)),
    }
    if meta.venue:
        found["venue"] = list(dict.fromkeys(meta.venue))
    found |= {
        "author": meta.author,
        "license": meta.license,
        "requires": ["tikz", *scene.libraries, *scene.packages, *(_CJK if scene.cjk else ())],
        "preview": f"{figure.id}.svg",
    }
    icons = list(dict.fromkeys(picture.icon for picture in scene.icons))
    if icons:
        found["composed_of"] = icons
    found["description"] = words.description
    styles = [style.name for style in scene.styles if style.kind not in _INNER_STYLES]
    if scene.parameters and styles:  # a lone node without a label has no parameters to edit
        found["edit_contract"] = {
            "parameters": [_describe_parameter(parameter) for parameter in scene.parameters],
            "node_naming": naming_scheme(figure, scene),
            "styles": styles,
            "operations": list_allowed_operations(figure, scene),
            "invariants": list_invariants(figure, scene),
        }
    return found


_CJK = ("iftex", "CJKutf8", "xeCJK", "luatexja-fontspec")


def _describe_parameter(parameter: Parameter) -> dict[str, str]:
    entry = {"name": parameter.macro, "type": parameter.type, "meaning": parameter.meaning}
    entry |= {"default": parameter.value} if parameter.value else {}
    return entry | ({"invariant": f"at least {parameter.floor}"} if parameter.floor else {})
