"""One flow more or fewer, between nodes of neighbouring stages."""

from __future__ import annotations

import re

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.edit.foreign.foreign_figure import (
    NUMBERS,
    SpanReplacements,
    Subject,
    as_tex,
    copy_span,
    inserted_after,
    taken_out,
    with_blanks_before,
)
from tikzgen.edit.foreign.worker_plan import flow_of, pattern
from tikzgen.emit.contract_for_programs import Contract
from tikzgen.model.looks import FLOW_KINDS
from tikzgen.texfile import TextSpan

_MACRO = re.compile(r"[^A-Za-z]")


def add_flow(subject: Subject, *, source: str, target: str, kind: str = "data", label: str = "") -> SpanReplacements:
    """A line of its own for a flow, a copy of one of its style; a label is a parameter like any other."""
    contract, facts, figure = subject.require_contract(), subject.facts, subject.inventory
    for node in (source, target):
        names = [each.name for each in figure.nodes]
        if node not in names:
            raise EditRefused(
                "no-node", f"there is no node {quote(node)}", nearest=suggest_known_names(node, names, "the nodes are")
            )
    style = _style(kind)
    if any((each.source, each.target, each.style) == (source, target, style) for each in figure.flows):
        return SpanReplacements()
    styles = list(dict.fromkeys(each.style for each in figure.flows if each.style))
    model = next((each for each in reversed(facts.flows) if each.style == style), None)
    if model is None:
        raise EditRefused(
            "no-kind", f"no flow is of the kind {quote(kind)}", nearest=suggest_known_names(kind, styles, "kinds are")
        )
    rightwards = _route(contract, source, target)
    sides = ("east", "west") if rightwards else ("west", "east")
    flow_of(facts, model.statement, source)
    statement = facts.statements[model.statement]
    changes = [
        (_end(facts.text, model.source.span, model.source.anchor), f"{source}.{sides[0]}"),
        (_end(facts.text, model.target.span, model.target.anchor), f"{target}.{sides[1]}"),
        *((with_blanks_before(facts.text, facts.nodes[index].span), "") for index in model.labels),
    ]
    change = SpanReplacements(flows={(source, target)}, tolerated={"TG215"})
    if label:  # before the target, because TikZ puts what stands behind it on straight lines alone
        opening = facts.code.mask.rfind("(", 0, model.target.span.start)
        node = _copy_label(subject, contract, source, target, label, change)
        changes.append((TextSpan(opening, opening), f"{node} "))
    line = copy_span(facts.text, statement.span, changes)
    after = statement.span if statement.loop is None else facts.loops[_outermost(subject, statement.loop)].span
    change.replacements.append(inserted_after(facts, after, line))
    return change


def _style(kind: str) -> str:
    """The style of a kind of flow: weights have `wts`."""
    return FLOW_KINDS[kind].tikz_style(kind) if kind in FLOW_KINDS else kind


def remove_flow(subject: Subject, *, source: str, target: str, kind: str | None = None) -> SpanReplacements:
    """The line of a flow, out; not one that every worker has."""
    contract, facts = subject.require_contract(), subject.facts
    style = _style(kind) if kind else None
    between = [each for each in subject.inventory.flows if (each.source, each.target) == (source, target)]
    found = [each for each in between if style in (None, each.style)]
    if not found:
        known = [f"{each.source} {each.target}" for each in subject.inventory.flows]
        pair = f"{source} {target}"
        raise EditRefused(
            "no-flow",
            f"no flow leads from {quote(source)} to {quote(target)}",
            nearest=suggest_known_names(pair, known),
        )
    if len(found) > 1:
        kinds = ", ".join(each.style for each in found)
        message = f"several flows lead from {quote(source)} to {quote(target)}"
        raise EditRefused("which-flow", message, nearest=f"kind {kinds}")
    _not_of_all_workers(contract, source, target, found[0].style)
    drawn = [
        each
        for each in facts.flows
        if (each.source.name, each.target.name, each.style) == (source, target, found[0].style)
    ]
    if len(drawn) != 1:
        raise EditRefused("loop", "a loop draws this flow", nearest="draw it outside the loop")
    flow_of(facts, drawn[0].statement, source)
    change = SpanReplacements(flows={(source, target)}, tolerated={"TG215"})
    change.replacements.append(taken_out(facts, facts.statements[drawn[0].statement].span))
    for index in drawn[0].labels:
        _drop_label(subject, (facts.nodes[index].text or "").strip(), change)
    return change


def _drop_label(subject: Subject, text: str, change: SpanReplacements) -> None:
    """The macro of the flow's label, where nothing else uses it; a carried label stays where it is."""
    facts = subject.facts
    carried = {each.text for each in (subject.contract.carried if subject.contract else ())}
    if text in carried:
        raise EditRefused("label-lost", f"the label {text} speaks for all flows of its kind, and would be lost")
    found = facts.find_definition(text)
    if found and len(facts.uses.get(text, ())) == 2:
        change.replacements.append(taken_out(facts, found.span))


def _route(contract: Contract, source: str, target: str) -> bool:
    """Whether a flow leads to the right; `EditRefused` where no line leads there past the other nodes."""
    stages = contract.flows.stages if contract.flows else ()
    places = [_stage(stages, name) for name in (source, target)]
    if None in places or abs((places[0] or 0) - (places[1] or 0)) != 1:
        order = " – ".join(" ".join(stage) for stage in stages)
        message = f"no line from {quote(source)} to {quote(target)} stays clear of the other nodes and labels"
        raise EditRefused("no-route", message, nearest=f"flows join neighbours in {order}" if order else "")
    return (places[1] or 0) > (places[0] or 0)


def _stage(stages: tuple[tuple[str, ...], ...], name: str) -> int | None:
    for index, stage in enumerate(stages):
        if any(pattern(each).fullmatch(name) for each in stage):
            return index
    return None


def _copy_label(
    subject: Subject, contract: Contract, source: str, target: str, label: str, change: SpanReplacements
) -> str:
    """The node that labels a flow, a copy of the one that the contract knows; declares its macro."""
    facts = subject.facts
    carried = {each.text for each in contract.carried}
    nodes = [each for each in facts.nodes if each.inline and (each.text or "").strip() in carried]
    model = facts.find_definition(next(iter(carried), ""))
    if not nodes or model is None or contract.flows is None or not nodes[0].options or nodes[0].text_span is None:
        raise EditRefused("no-label", "the figure has no label of a flow to go by", nearest="add-flow without a label")
    macro = f"\\{_MACRO.sub('', _spell_name(source) + _spell_name(target))}label"
    if macro in facts.uses:
        raise EditRefused("name-taken", f"{macro} is taken")
    copy = copy_span(facts.text, model.span, [(model.name_span, macro), (model.value_span, as_tex(label, facts))])
    closed = "%" if facts.text.startswith("%", model.span.end) else ""
    change.replacements.append(inserted_after(facts, model.span, copy + closed))
    node = nodes[0]
    assert node.text_span is not None
    keys = TextSpan(node.options[0].span.start, node.options[-1].span.end)
    return copy_span(facts.text, node.span, [(keys, contract.flows.label), (node.text_span, macro)])


def _spell_name(name: str) -> str:
    return re.sub(r"\d+", lambda found: NUMBERS[int(found[0])] if int(found[0]) < len(NUMBERS) else "", name)


def _end(text: str, name: TextSpan, anchor: str) -> TextSpan:
    """The span of a name with its anchor."""
    return TextSpan(name.start, text.index(anchor, name.end) + len(anchor)) if anchor else name


def _outermost(subject: Subject, loop: int) -> int:
    while (parent := subject.facts.loops[loop].parent) is not None:
        loop = parent
    return loop


def _not_of_all_workers(contract: Contract, source: str, target: str, style: str) -> None:
    workers = contract.workers
    for each in workers.flows if workers else ():
        worker = target if each.towards == "worker" else source
        if workers and pattern(workers.names).fullmatch(worker) and each.style == style:
            message, invariant = (
                f"every worker has this flow, {quote(worker)} too",
                contract.find_sentence("worker-flows"),
            )
            raise EditRefused("worker-flow", message, invariant=invariant, nearest=f"remove-worker {worker}")
