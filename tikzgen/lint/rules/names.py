"""Rules on names: node names, references to them, and duplicate names.

TG204, TG205, TG219, TG220, TG226, TG228.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tikzgen.base.errors import quote
from tikzgen.base.suggest import did_you_mean
from tikzgen.lint.inventory.metadata_text import fixed_names
from tikzgen.lint.registry import Broken, rule
from tikzgen.lint.written_tex import FigureFile
from tikzgen.texfile import (
    MOST_NAMES_COUNT,
    Facts,
    Reference,
    TextSpan,
    expand_name,
    list_bindings,
    node_names,
    parameter_values,
)

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*")


@rule("TG204", "node names are letters, digits and single hyphens")
def _node_name(subject: FigureFile) -> Iterator[Broken]:
    for node in subject.facts.nodes if subject.is_tikzgen_figure else ():
        if node.name_span and node.name and "\\" not in node.name and not _NAME.fullmatch(node.name):
            hint = "use letters, digits and single hyphens, a letter first"
            yield Broken(
                subject.place_of(node.name_span.start), f"the node name {quote(node.name)} is outside the scheme", hint
            )


@rule("TG205", "no node has the name of a style")
def _node_and_style(subject: FigureFile) -> Iterator[Broken]:
    styles = {style.name: style for style in subject.facts.styles}
    naming = str(subject.metadata.contract.get("node_naming", ""))
    fixed = {name for name in subject.metadata.styles if f"({name})" in naming}
    if subject.has_description:
        fixed.add("data")  # the contract of the template requires both, even without a metadata file
    for node in subject.facts.nodes if subject.is_tikzgen_figure else ():
        if node.name in styles and node.name_span and node.name not in fixed:
            line = subject.place_of(styles[node.name].span.start).line
            message = f"the node {quote(node.name)} has the name of a style (line {line})"
            yield Broken(subject.place_of(node.name_span.start), message, "rename one of them")


@rule("TG226", "nodes that the contract names exist")
def _fixed_name(subject: FigureFile) -> Iterator[Broken]:
    promised = fixed_names(subject.metadata.contract)
    if not promised or subject.facts.errors:  # nodes after a TeX error are unknown
        return
    facts = subject.facts
    known = {name for index in range(len(facts.nodes)) for name in node_names(facts, index)}
    for name in promised:
        # With several panels, a name begins with the name of its panel.
        if name not in known and not any(each.endswith(f"-{name}") for each in known):
            message = f"no node is called {quote(name)}, a name that the contract fixes"
            hint = did_you_mean(name, sorted(known)) or "call it so again"
            yield Broken(subject.metadata.place_of("edit_contract", "node_naming"), message, hint)


_BUILT_IN_NAME = re.compile(r".*~|current |path picture |intersection|last node|tikz")
_CONDITION = re.compile(r"\\if[A-Za-z@]*|\\breakforeach")
# Commands that create names which are not in the source.
_NAMING = re.compile(
    r"name (?:prefix|suffix)(?!=,)|name intersections|/\.pic|\\graph\b|\\matrix\b|\bchild\b|matrix of|\bpic\b"
)

_COMPARISON_LIMIT = 20_000  # comparisons of unknown with known names, to find the nearest


@rule("TG219", "paths refer to existing nodes")
def _unknown_node(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    if facts.inclusions or _NAMING.search(facts.code.mask):
        return
    if not subject.is_tikzgen_figure and _may_be_made(facts):
        return
    by_node = [node_names(facts, index) for index in range(len(facts.nodes))]
    if any(len(each) >= MOST_NAMES_COUNT for each in by_node):  # there are more names
        return
    names = {name.strip() for each in by_node for name in each}
    names |= {
        each.value.strip("{} ") for node in facts.nodes for each in node.options if each.key == "alias" and each.value
    }
    if any("\\" in name or "#" in name for name in names):  # a macro creates nodes
        return
    named = set(re.findall(r"(?:\bname(?: path)?|local bounding box)\s*=\s*\{?([^,\]}]+)", facts.code.mask))
    told: set[str] = set()
    hinted = _COMPARISON_LIMIT // max(len(names), 1)
    for reference in facts.references:
        # The statements that use the variables read the lists.
        in_a_path = reference.role != "list" and reference.statement is not None
        if in_a_path and not _BUILT_IN_NAME.match(reference.name):
            for name in _expand_reference(facts, reference):
                known = name in names or name in named or name.rpartition(".")[0] in names
                if not known and "\\" not in name and "#" not in name and name not in told:
                    near = did_you_mean(name, names) if len(told) < hinted else ""
                    told.add(name)
                    hint = near or "name a node that there is"
                    yield Broken(subject.place_of(reference.span.start), f"no node is called {quote(name)}", hint)


_NAMELESS = re.compile(
    r"\\(?:pgf\w*|[egx]?def|let|(?:re|provide)?newcommand|tikzset|color|definecolor|colorlet|set(?:length|counter)|end|"
    r"fi|if\w*|only|onslide|uncover|visible)$"
)


def _may_be_made(facts: Facts) -> bool:
    """Return whether an unknown command with arguments between paths may create nodes."""
    for span in facts.others:
        name = span.extract_from(facts.text)
        defined = facts.find_definition(name)
        known = not ("node" in defined.value or "coordinate" in defined.value) if defined else _NAMELESS.match(name)
        if not known and facts.code.read_character(facts.code.skip(span.end)) in ("{", "[", "("):
            return True
    return False


def _expand_reference(facts: Facts, reference: Reference) -> list[str]:
    if "\\" not in reference.name or reference.statement is None:
        return [reference.name.strip()]
    loop = facts.statements[reference.statement].loop
    if _has_condition(facts, loop):
        return []
    known = parameter_values(facts)
    return list(
        dict.fromkeys(expand_name(reference.name, known | values).strip() for values in list_bindings(facts, loop))
    )


def _has_condition(facts: Facts, loop: int | None) -> bool:
    """Return whether a condition in a loop around a path may skip the path in some passes."""
    while loop is not None:
        if _CONDITION.search(facts.code.mask, *facts.loops[loop].body):
            return True
        loop = facts.loops[loop].parent
    return False


_SIDES = ("north", "south", "east", "west", "north east", "north west", "south east", "south west")
_ANCHORS = {"center", "text", "base", "base east", "base west", "mid", "mid east", "mid west", *_SIDES}
_ANGLE = re.compile(r"[-+]?\d*\.?\d+")
# Shapes and libraries that define further anchors.
_MORE_ANCHORS = re.compile(
    r"\\pgfdeclareshape|\\pgfdeclareanchor|shapes|arrows\.box|circuits|calendar|er\b|petri|mindmap|\baxis\b|\bpgfplots\b|"
    r"rectangle split|trapezium|cylinder|\bpic\b|\\pic\b|circuitikz|chains|automata"
)


@rule("TG228", "anchors of nodes exist in their shapes")
def _unknown_anchor(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    own_points = bool(_MORE_ANCHORS.search(facts.code.mask))
    for reference in facts.references:
        anchor = " ".join(reference.anchor.strip(". ").split())
        if not anchor or anchor in _ANCHORS or "\\" in anchor or "#" in anchor or _ANGLE.fullmatch(anchor):
            continue
        near = did_you_mean(anchor, sorted(_ANCHORS))
        if near if own_points else anchor.replace(" ", "").isalpha():
            message = f"no node has a point {quote(anchor)}"
            yield Broken(subject.place_of(reference.span.start), message, near or "name a side, as in north east")


@rule("TG220", "parameters, colors, styles and nodes have one definition per picture")
def _defined_twice(subject: FigureFile) -> Iterator[Broken]:
    facts = subject.facts
    yield from _find_duplicates(subject, "parameter", ((each.name, 0, each.span) for each in subject.parameters))
    # Definitions in a picture or in a macro's body are local.
    colors = (each for each in facts.colors if not facts.is_sheltered(each.span.start))
    yield from _find_duplicates(subject, "color", ((each.name, 0, each.span) for each in colors))
    # A style of the same name in an inner scope is intended.
    heads = [option.span for picture in facts.pictures for option in picture.options]
    starts = {span.start: span for span in heads}
    styles = ((each.name, each.picture or 0, each.span) for each in facts.styles if each.span.start in starts)
    yield from _find_duplicates(subject, "style", styles)
    if not subject.is_tikzgen_figure:  # TeX allows a second use of a name, as in manual drawings
        return
    if "\\only" in facts.uses or "\\alt" in facts.uses:  # slides may draw a node again
        return
    nodes = (
        (name, facts.statements[node.statement].picture, node.name_span or node.span)
        for index, node in enumerate(facts.nodes)
        for name in node_names(facts, index)
        if "\\" not in name
    )
    yield from _find_duplicates(subject, "node", nodes)


def _find_duplicates(subject: FigureFile, what: str, named: Iterable[tuple[str, int, TextSpan]]) -> Iterator[Broken]:
    first: dict[tuple[str, int], TextSpan] = {}
    for name, picture, span in named:
        before = first.setdefault((name, picture), span)
        if before.start != span.start:
            message = f"duplicate {what} {quote(name)} (first defined on line {subject.place_of(before.start).line})"
            yield Broken(subject.place_of(span.start), message, "give one of them another name")
