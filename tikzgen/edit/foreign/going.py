"""The parts of a worker, taken out."""

from __future__ import annotations

from tikzgen.base.errors import quoted
from tikzgen.edit.foreign.pieces import line_of, taken_out, with_blanks_before
from tikzgen.edit.foreign.worker_plan import Plan, flow_of, only_of
from tikzgen.edit.outcome import EditRefused
from tikzgen.texfile import Span
from tikzgen.texfile.source_facts import Reference

__all__ = ["drop_flows", "drop_label", "drop_node", "leave_lists", "left_over"]


def drop_label(plan: Plan) -> None:
    """The macro of the label and the node that shows it."""
    facts = plan.facts
    assert plan.gone is not None
    macro = plan.gone.label
    found = facts.definition(macro)
    shown = [index for index in plan.subject.direct() if (facts.nodes[index].text or "").strip() == macro]
    for index in shown:
        only_of(facts, facts.nodes[index].statement)
        plan.take_out(facts.nodes[index].statement)
    uses = facts.uses.get(macro, ())
    others = [use for use in uses if not _covered(plan, use) and not (found and found.name_span == use)]
    if others:
        raise EditRefused("label-used", f"{macro} is used elsewhere ({line_of(facts, others[0].start)})")
    if found:
        plan.change.replacements.append(taken_out(facts, found.span))


def drop_node(plan: Plan) -> None:
    """The worker's node."""
    assert plan.gone is not None
    statement = plan.facts.nodes[plan.gone.node].statement
    only_of(plan.facts, statement)
    plan.take_out(statement)


def drop_flows(plan: Plan) -> None:
    """Every flow of the worker that has a statement of its own."""
    facts = plan.facts
    assert plan.gone is not None
    name = plan.gone.name
    carried = {each.text for each in plan.contract.carried}
    always = {each.style for each in plan.workers.flows}
    for statement in sorted({each.statement for each in facts.flows if name in (each.source.name, each.target.name)}):
        flow = flow_of(facts, statement, name)
        for index in flow.labels:
            text = (facts.nodes[index].text or "").strip()
            if text and text not in carried:
                where = line_of(facts, facts.nodes[index].span.start)
                raise EditRefused(
                    "label-lost",
                    f"{text}, the label of a flow of {quoted(name)}, would be lost ({where})",
                    nearest="" if flow.style in always else f"remove-flow {flow.source.name} {flow.target.name}",
                )
        plan.take_out(statement)


def leave_lists(plan: Plan) -> None:
    """The name, out of the lists of loops and out of frames."""
    facts = plan.facts
    assert plan.gone is not None
    text, mask, name = facts.text, facts.code.mask, plan.gone.name
    for loop in facts.loops:
        for place, member in enumerate(loop.members):
            if not (member.parts and member.parts[0].of(text) == name):
                continue
            if len(loop.members) == 1:
                raise EditRefused("empty-list", f"a list would be empty ({line_of(facts, loop.span.start)})")
            near = loop.members[place - 1].span if place else loop.members[1].span
            between = Span(near.end, member.span.start) if place else Span(member.span.end, near.start)
            if place and "%" in between.of(text):  # the comment stays, and no blank may come before it
                start = text.index("%", between.start)
                if set(text[between.start : start]) - set(", \t"):
                    where = line_of(facts, loop.span.start)
                    raise EditRefused(
                        "list", f"a comment stands between members of a list ({where})", nearest="move it"
                    )
                plan.replace(Span(between.start, start), "")
                plan.replace(member.span, "")
            else:
                plan.replace(Span(min(between.start, member.span.start), max(between.end, member.span.end)), "")
    for reference in facts.references:
        if reference.role != "fit" or reference.name != name or _covered(plan, reference.span):
            continue
        fits = [each for each in facts.references if each.role == "fit" and each.statement == reference.statement]
        if len(fits) == 1:
            raise EditRefused("empty-frame", f"a frame would be empty ({line_of(facts, reference.span.start)})")
        start, end = mask.rfind("(", 0, reference.span.start), mask.find(")", reference.span.end) + 1
        plan.replace(with_blanks_before(text, Span(start, end)), "")
        plan.change.touched |= {
            node.name for node in facts.nodes if node.statement == reference.statement and node.name
        }


def left_over(plan: Plan) -> Reference | None:
    """A use of the worker that no part of it accounts for."""
    assert plan.gone is not None
    for reference in plan.facts.references:
        if reference.name == plan.gone.name and not _covered(plan, reference.span):
            return reference
    return None


def _covered(plan: Plan, span: Span) -> bool:
    return any(each.span.start <= span.start < each.span.end for each in plan.change.replacements)
