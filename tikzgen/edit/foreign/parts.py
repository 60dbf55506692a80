"""Add or change one part: a flow, a component, its shape, the members of a frame."""

from __future__ import annotations

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.edit.foreign.family_members import find_family
from tikzgen.edit.foreign.foreign_figure import (
    SpanReplacements,
    Subject,
    as_tex,
    find_only_flow,
    list_fits,
    require_node,
)
from tikzgen.emit.contract_for_programs import Components, Contract
from tikzgen.layout.scene import spell_identifier
from tikzgen.model.looks import FLOW_KINDS
from tikzgen.texfile import Facts, TextSpan


def add_flow(subject: Subject, *, source: str, target: str, kind: str = "data", label: str = "") -> SpanReplacements:
    """Add a flow as the contract writes it; its label becomes a parameter."""
    contract, facts, figure = subject.require_contract("add-flow"), subject.facts, subject.inventory
    for node in (source, target):
        require_node(subject, node)
    if source == target:
        raise EditRefused("one-node", f"a flow from {quote(source)} to itself has no length")
    style = _find_style(contract, kind)
    if any((each.source, each.target, each.style) == (source, target, style) for each in figure.flows):
        return SpanReplacements(facts)
    if contract.flows is None:
        raise EditRefused("no-flow", "the contract has no row for flows")
    if facts.find_style(style) is None:
        styles = sorted({each.style for each in figure.flows if each.style} | {*contract.flows.kinds.values()})
        nearest = suggest_known_names(kind, styles, "kinds are")
        raise EditRefused("no-kind", f"no flow is of the kind {quote(kind)}", nearest=nearest)
    change = SpanReplacements(facts, flows={(source, target)})
    ends = ("east", "west") if _leads_right(subject, contract.flows.stages, source, target) else ("west", "east")
    words = ""
    if label:
        macro = f"\\{spell_identifier(source)}{spell_identifier(target)}label"
        words = " " + contract.flows.label.replace("{macro}", macro)
        change.define(macro, as_tex(label, facts), _find_last_text(subject))
    values = {"style": style, "source": source, "target": target, "out": ends[0], "in": ends[1], "label": words}
    change.insert_line(_find_last_flow(facts, style), _fill(contract.flows.line, values))
    return change


def _fill(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _find_style(contract: Contract, kind: str) -> str:
    """Return the style of a flow kind."""
    own = contract.flows.kinds.get(kind) if contract.flows else None
    return own or (FLOW_KINDS[kind].tikz_style(kind) if kind in FLOW_KINDS else kind)


def _find_last_text(subject: Subject) -> str:
    """Return the last parameter that labels something."""
    names = [each.name for each in subject.inventory.parameters if each.name.endswith("label")]
    carried = subject.contract.carried if subject.contract else ()
    return next((name for name in carried if name in names), names[-1] if names else "")


def _find_last_flow(facts: Facts, style: str) -> TextSpan:
    """Return the last statement, or the outermost loop around it, that draws a flow of a style."""
    drawn = [each.statement for each in facts.flows if each.style == style]
    drawn = drawn or [at for at, each in enumerate(facts.statements) if style in {one.key for one in each.options}]
    if not drawn:
        raise EditRefused("no-kind", f"no flow is of the kind {quote(style)}")
    return facts.find_whole_span(drawn[-1])


def _leads_right(subject: Subject, stages: tuple[tuple[str, ...], ...], source: str, target: str) -> bool:
    """Return whether a flow leads to the right; raise `EditRefused` if its ends are in no neighboring stages."""
    known = [family.names if (family := find_family(subject, name)) else name for name in (source, target)]
    places = [next((at for at, stage in enumerate(stages) if name in stage), -1) for name in known]
    if stages and (min(places) < 0 or abs(places[0] - places[1]) != 1):
        message = f"no line from {quote(source)} to {quote(target)} stays clear of the other nodes and labels"
        order = " – ".join(" ".join(stage) for stage in stages)
        raise EditRefused("no-route", message, nearest=f"flows join neighbors in {order}")
    return places[1] >= places[0]


def remove_flow(subject: Subject, *, source: str, target: str, kind: str | None = None) -> SpanReplacements:
    """Remove the line of a flow, unless every member of a family has it."""
    contract, facts = subject.require_contract("remove-flow"), subject.facts
    style = _find_style(contract, kind) if kind else None
    between = [each for each in subject.inventory.flows if (each.source, each.target) == (source, target)]
    found = [each for each in between if style in (None, each.style)]
    if not found:
        nearest = suggest_known_names(
            f"{source} {target}", [f"{each.source} {each.target}" for each in subject.inventory.flows]
        )
        message = f"no flow leads from {quote(source)} to {quote(target)}"
        raise EditRefused("no-flow", message, nearest=nearest)
    if len(found) > 1:
        message = f"several flows lead from {quote(source)} to {quote(target)}"
        raise EditRefused("which-flow", message, nearest=f"kind {', '.join(each.style for each in found)}")
    for member, towards in ((target, "member"), (source, "away")):
        family = find_family(subject, member)
        if family and any((each.style, each.towards) == (found[0].style, towards) for each in family.flows):
            invariant = subject.find_sentence("member-flows")
            message = f"every worker has this flow, {quote(member)} too"
            raise EditRefused("worker-flow", message, invariant=invariant, nearest=f"remove-worker {member}")
    ends = (source, target, found[0].style)
    drawn = [each for each in facts.flows if (each.source.name, each.target.name, each.style) == ends]
    if len(drawn) != 1:
        raise EditRefused("loop", "a loop draws this flow", nearest="draw it outside the loop")
    find_only_flow(facts, drawn[0].statement, source)
    change = SpanReplacements(facts, flows={(source, target)})
    change.remove(facts.statements[drawn[0].statement].span)
    for index in drawn[0].labels:
        text = (facts.nodes[index].text or "").strip()
        if text in contract.carried:
            raise EditRefused("label-lost", f"the label {text} names all flows of its kind and would be lost")
        defined = facts.find_definition(text)
        if defined and len(facts.uses.get(text, ())) == 2:
            change.remove(defined.span)
    return change


def add_node(
    subject: Subject,
    *,
    node: str,
    kind: str = "node",
    label: str = "",
    icon: str | None = None,
    shape: str | None = None,
    group: str | None = None,
) -> SpanReplacements:
    """Add a component next to the previous one; its label becomes a parameter; `group` is a frame to join."""
    contract, facts = subject.require_contract("add-node"), subject.facts
    components = _require_components(contract)
    if any(each.name == node for each in subject.inventory.nodes) or facts.find_style(node):
        raise EditRefused("name-taken", f"{quote(node)} is taken")
    if icon is not None or kind != "node":
        raise EditRefused("no-icon", "a component of this figure has a shape, no icon", nearest="add-node with a shape")
    change = SpanReplacements(facts, touched={node})
    macro = f"\\{spell_identifier(node)}label"
    change.define(macro, as_tex(label or node, facts), _find_last_text(subject))
    known = {*contract.fixed, *contract.fits}
    added = [
        index
        for index in subject.list_direct()
        if (name := facts.nodes[index].name) and name not in known and not facts.nodes[index].inline
    ]
    start = facts.nodes[added[-1]].name if added else components.start
    style = _find_shape(components, shape)
    values = {
        "style": style,
        "name": node,
        "place": components.place.replace("{node}", start or ""),
        "label": macro,
    }
    declared = [each.statement for each in facts.nodes if each.name == start]
    if not declared:
        raise EditRefused("no-node", f"unknown node {quote(start or '')}: the new node is placed next to it")
    span = facts.statements[declared[0]].span
    change.insert_line(span, _fill(components.node, values))
    if group is not None:
        change.insert(_find_fits(subject, group).end, f"({node})")
        change.touched.add(group)
    return change


def _require_components(contract: Contract) -> Components:
    if contract.components is None:
        raise EditRefused("no-components", "the contract has no row for components")
    return contract.components


def _find_shape(components: Components, shape: str | None) -> str:
    known = components.shapes
    if shape is not None and shape not in known:
        raise EditRefused(
            "no-shape", f"no style draws the shape {quote(shape)}", nearest=f"shapes are {', '.join(known)}"
        )
    return known[shape] if shape is not None else next(iter(known.values()))


def set_node(
    subject: Subject,
    *,
    node: str,
    state: str | None = None,
    shape: str | None = None,
    sublabel: str | None = None,
    replicas: int | None = None,
    offset: list[float] | None = None,
) -> SpanReplacements:
    """Change the shape of a component: the style of its role."""
    contract, facts = subject.require_contract("set-node"), subject.facts
    components = _require_components(contract)
    require_node(subject, node)
    if shape is None or any(each is not None for each in (state, sublabel, replicas, offset)):
        raise EditRefused(
            "arguments", "a component of this figure has a shape only", nearest=f"set-node {node} shape=…"
        )
    styles = {one for each in components.shapes.values() for one in each.split(", ")}
    owner = next(each for each in facts.nodes if each.name == node)
    own = [option for option in owner.options if option.span.extract_from(facts.text) in styles]
    if not own:
        names = ", ".join(sorted(one for one in styles if facts.find_style(one)))
        raise EditRefused("no-shape", f"{quote(node)} has no style of a role", nearest=f"these are {names}")
    span = TextSpan(own[0].span.start, own[-1].span.end)
    change = SpanReplacements(facts, touched={node})
    change.replace(span, _find_shape(components, shape))
    return change


def add_group(subject: Subject, *, group: str, members: list[str], label: str = "") -> SpanReplacements:
    """Give a frame these members; no new frame is drawn."""
    subject.require_contract("add-group")
    span = _find_fits(subject, group)
    for name in members:
        require_node(subject, name)
    if label or not members or group in members:
        raise EditRefused("arguments", "a frame takes names of other nodes", nearest=f"add-group {group} members=…")
    change = SpanReplacements(subject.facts, touched={group})
    change.replace(span, "".join(f"({name})" for name in members))
    return change


def _find_fits(subject: Subject, group: str) -> TextSpan:
    """Return the span of the nodes that a frame fits."""
    frames = subject.contract.fits if subject.contract else ()
    found = [fits for frame, fits in list_fits(subject.facts) if group in frame]
    if group not in frames or not found:
        nearest = f"frames are {', '.join(frames)}" if frames else ""
        raise EditRefused("no-group", f"unknown frame {quote(group)}", nearest=nearest)
    spans = [*found[0].values()]
    return TextSpan(spans[0].start, spans[-1].end)
