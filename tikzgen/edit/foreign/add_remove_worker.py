"""One worker more or fewer: copies of what the last one has, or what one has taken out; then the balance again."""

from __future__ import annotations

import re

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.foreign.balance import align_labels, carry_labels, heights, move_followers, recentre, shift_labels
from tikzgen.edit.foreign.foreign_figure import (
    NUMBERS,
    SpanReplacements,
    Subject,
    as_tex,
    copy_span,
    inserted_after,
    line_of,
    taken_out,
    with_blanks_before,
)
from tikzgen.edit.foreign.worker_plan import (
    ForeignWorker,
    WorkerPlan,
    flow_of,
    no_loop_makes,
    only_of,
    roster,
    spot,
    sum_of,
)
from tikzgen.texfile import Reference, Replacement, SourceFlow, TextSpan, spell_sum


def add_worker(subject: Subject, *, label: str = "") -> SpanReplacements:
    """A worker below the last one, with a label, the last one's flows, and a place in every list of workers."""
    before = roster(subject)
    workers = subject.workers()
    number = max(worker.number for worker in before) + 1
    if len(before) >= workers.most or number >= len(NUMBERS):
        raise EditRefused("too-many", f"{workers.most} workers are the most", nearest="remove-worker")
    name = workers.names.replace("{n}", str(number))
    if any(node.name == name for node in subject.facts.nodes):
        raise EditRefused("name-taken", f"{quote(name)} is taken by another node")
    new = ForeignWorker(number, name, -1, workers.label.replace("{word}", NUMBERS[number]))
    plan = WorkerPlan(subject, workers, before, [*before, new])
    no_loop_makes(plan.facts, {worker.name for worker in before}, "names of workers")
    _declare_label(plan, new, label)
    _place_node(plan, new)
    _label_node(plan, new)
    _copy_flows(plan, new)
    _join_lists(plan, new)
    return _balance(plan, name)


def remove_worker(subject: Subject, *, worker: str = "") -> SpanReplacements:
    """The last worker or the one named, out with its label and its flows; the others keep their names."""
    before = roster(subject)
    gone = next((each for each in before if each.name == worker), None) if worker else before[-1]
    if gone is None:
        known = ", ".join(each.name for each in before)
        raise EditRefused("no-worker", f"there is no worker {quote(worker)}", nearest=f"the workers are {known}")
    workers = subject.workers()
    if len(before) <= workers.least:
        raise EditRefused(
            "last-worker", f"{quote(gone.name)} is the only worker left", invariant="a figure keeps a worker"
        )
    plan = WorkerPlan(subject, workers, before, [each for each in before if each is not gone])
    no_loop_makes(plan.facts, {each.name for each in before}, "names of workers")
    _drop_label(plan, gone)
    _drop_node(plan, gone)
    _drop_flows(plan, gone.name)
    _leave_lists(plan, gone.name)
    change = _balance(plan, gone.name)
    # a flow that half of the workers had is one that most of the others have: nobody took it from the rest
    change.tolerated.add("TG215")
    if use := _left_over(plan, gone.name):
        where = line_of(subject.facts, use.span.start)
        raise EditRefused(
            "used-elsewhere", f"{quote(gone.name)} is used elsewhere ({where})", nearest="take that out first"
        )
    return change


def _balance(plan: WorkerPlan, name: str) -> SpanReplacements:
    recentre(plan)
    move_followers(plan)
    carry_labels(plan)
    shift_labels(plan)
    plan.change.touched.add(name)
    return plan.change


def _drop_label(plan: WorkerPlan, gone: ForeignWorker) -> None:
    """The macro of the label and the node that shows it."""
    facts = plan.facts
    macro = gone.label
    found = facts.find_definition(macro)
    shown = [index for index in plan.subject.direct() if (facts.nodes[index].text or "").strip() == macro]
    for index in shown:
        only_of(facts, facts.nodes[index].statement)
        plan.take_out(facts.nodes[index].statement)
    uses = facts.uses.get(macro, ())
    others = [use for use in uses if not _is_covered(plan, use) and not (found and found.name_span == use)]
    if others:
        raise EditRefused("label-used", f"{macro} is used elsewhere ({line_of(facts, others[0].start)})")
    if found:
        plan.change.replacements.append(taken_out(facts, found.span))


def _drop_node(plan: WorkerPlan, gone: ForeignWorker) -> None:
    """The worker's node."""
    statement = plan.facts.nodes[gone.node].statement
    only_of(plan.facts, statement)
    plan.take_out(statement)


def _drop_flows(plan: WorkerPlan, name: str) -> None:
    """Every flow of the worker that has a statement of its own."""
    facts = plan.facts
    carried = {each.text for each in plan.subject.require_contract().carried}
    always = {each.style for each in plan.workers.flows}
    for statement in sorted({each.statement for each in facts.flows if name in (each.source.name, each.target.name)}):
        flow = flow_of(facts, statement, name)
        for index in flow.labels:
            text = (facts.nodes[index].text or "").strip()
            if text and text not in carried:
                where = line_of(facts, facts.nodes[index].span.start)
                message = f"{text}, the label of a flow of {quote(name)}, would be lost ({where})"
                way = "" if flow.style in always else f"remove-flow {flow.source.name} {flow.target.name}"
                raise EditRefused("label-lost", message, nearest=way)
        plan.take_out(statement)


def _leave_lists(plan: WorkerPlan, name: str) -> None:
    """The name, out of the lists of loops and out of frames."""
    facts = plan.facts
    text, mask = facts.text, facts.code.mask
    for loop in facts.loops:
        for place, member in enumerate(loop.members):
            if not (member.parts and member.parts[0].extract_from(text) == name):
                continue
            if len(loop.members) == 1:
                raise EditRefused("empty-list", f"a list would be empty ({line_of(facts, loop.span.start)})")
            near = loop.members[place - 1].span if place else loop.members[1].span
            between = TextSpan(near.end, member.span.start) if place else TextSpan(member.span.end, near.start)
            if place and "%" in between.extract_from(text):  # the comment stays, and no blank may come before it
                start = text.index("%", between.start)
                if set(text[between.start : start]) - set(", \t"):
                    where = line_of(facts, loop.span.start)
                    message = f"a comment stands between members of a list ({where})"
                    raise EditRefused("list", message, nearest="move it")
                plan.replace(TextSpan(between.start, start), "")
                plan.replace(member.span, "")
            else:
                plan.replace(TextSpan(min(between.start, member.span.start), max(between.end, member.span.end)), "")
    for reference in facts.references:
        if reference.role != "fit" or reference.name != name or _is_covered(plan, reference.span):
            continue
        fits = [each for each in facts.references if each.role == "fit" and each.statement == reference.statement]
        if len(fits) == 1:
            raise EditRefused("empty-frame", f"a frame would be empty ({line_of(facts, reference.span.start)})")
        start, end = mask.rfind("(", 0, reference.span.start), mask.find(")", reference.span.end) + 1
        plan.replace(with_blanks_before(text, TextSpan(start, end)), "")
        plan.change.touched |= {
            node.name for node in facts.nodes if node.statement == reference.statement and node.name
        }


def _left_over(plan: WorkerPlan, name: str) -> Reference | None:
    """A use of the worker that no part of it accounts for."""
    for reference in plan.facts.references:
        if reference.name == name and not _is_covered(plan, reference.span):
            return reference
    return None


def _is_covered(plan: WorkerPlan, span: TextSpan) -> bool:
    return any(each.span.start <= span.start < each.span.end for each in plan.change.replacements)


_DIGITS = re.compile(r"[0-9]+")


def _declare_label(plan: WorkerPlan, new: ForeignWorker, told: str) -> None:
    """A macro with the label, behind that of the last worker."""
    facts, last = plan.facts, plan.before[-1]
    found = facts.find_definition(last.label)
    if found is None:
        raise EditRefused("no-definition", f"{last.label} is not defined", nearest="define it among the parameters")
    if facts.find_definition(new.label) is not None:
        raise EditRefused("name-taken", f"{new.label} is defined already")
    text = plan.workers.text.replace("{n}", str(new.number))
    if _DIGITS.findall(found.value) == [str(last.number)]:
        text = _DIGITS.sub(str(new.number), found.value)
    if told:
        text = as_tex(told, facts)
    copy = copy_span(facts.text, found.span, [(found.name_span, new.label), (found.value_span, text)])
    closed = "%" if facts.text.startswith("%", found.span.end) else ""
    plan.change.replacements.append(inserted_after(facts, found.span, copy + closed))


def _place_node(plan: WorkerPlan, new: ForeignWorker) -> None:
    """The worker's node, behind that of the last one."""
    facts, last = plan.facts, plan.before[-1]
    node = facts.nodes[last.node]
    only_of(facts, node.statement)
    place, x = spot(facts, node), sum_of(plan.workers.x)
    changes = [(place.y_span, heights(plan)[new.name])]
    if new.name in (gaps := align_labels(plan)):
        changes.append(gaps[new.name])
    if place.x != x:
        changes.append((place.x_span, spell_sum(x)))
    _copy(plan, new, node.statement, changes)


def _label_node(plan: WorkerPlan, new: ForeignWorker) -> None:
    """The node with the label's macro, behind that of the last worker."""
    facts, last = plan.facts, plan.before[-1]
    found = False
    for index in plan.subject.direct():
        node = facts.nodes[index]
        if node.text_span and (node.text or "").strip() == last.label and index != last.node:
            only_of(facts, node.statement)
            _copy(plan, new, node.statement, [(node.text_span, f"{new.label}")])
            found = True
    if not found:
        raise EditRefused("no-label", f"no node shows {last.label}, the label of {quote(last.name)}")


def _copy_flows(plan: WorkerPlan, new: ForeignWorker) -> None:
    """The flows that the contract gives to workers, and those that all workers have, without their labels."""
    facts, last = plan.facts, plan.before[-1]
    others = {worker.name for worker in plan.before}
    for statement in sorted({each.statement for each in facts.flows if last.name in _ends(each)}):
        flows = [each for each in facts.flows if each.statement == statement]
        if any(set(_ends(each)) <= others for each in flows):
            continue
        flow = flow_of(facts, statement, last.name)
        if not _of_workers(plan, flow):
            continue
        drop = [facts.nodes[index].span for index in flow.labels]
        _copy(plan, new, statement, [(with_blanks_before(facts.text, span), "") for span in drop])


def _of_workers(plan: WorkerPlan, flow: SourceFlow) -> bool:
    """Whether a flow of the last worker is one that workers have, no special one of its own."""
    last = plan.before[-1]
    towards = "worker" if flow.target.name == last.name else "away"
    if any((each.style, each.towards) == (flow.style, towards) for each in plan.workers.flows):
        return True
    having = {(each.source, each.target) for each in plan.subject.inventory.flows if each.style == flow.style}
    return all(
        tuple(worker.name if name == last.name else name for name in _ends(flow)) in having for worker in plan.before
    )


def _ends(flow: SourceFlow) -> tuple[str, str]:
    return flow.source.name, flow.target.name


def _join_lists(plan: WorkerPlan, new: ForeignWorker) -> None:
    """The name, in every list and every frame that names all workers."""
    facts, last = plan.facts, plan.before[-1]
    names = {worker.name for worker in plan.before}
    for loop in facts.loops:
        members = [each for each in loop.members if each.parts and each.parts[0].extract_from(facts.text) in names]
        if len(members) < len(names):
            continue
        if any(each.text == "..." for each in loop.members):
            raise EditRefused("loop", f"a list leaves workers out ({line_of(facts, loop.span.start)})")
        final = members[-1]
        copy = copy_span(facts.text, final.span, [(final.parts[0], new.name)])
        wide = len(members) > 1 and facts.text[members[-2].span.end : final.span.start].replace(",", "").isspace()
        plan.change.replacements.append(
            Replacement.make_for_span(facts.text, TextSpan(final.span.end, final.span.end), f",{' ' * wide}{copy}")
        )
    for statement in {each.statement for each in facts.references if each.role == "fit"}:
        fits = [each for each in facts.references if each.role == "fit" and each.statement == statement]
        if names <= {each.name for each in fits}:
            own = [each for each in fits if each.name == last.name]
            end = facts.code.mask.find(")", own[-1].span.end) + 1
            start = facts.code.mask.rfind("(", 0, own[-1].span.start)
            copy = copy_span(facts.text, TextSpan(start, end), [(own[-1].span, new.name)])
            plan.change.replacements.append(Replacement.make_for_span(facts.text, TextSpan(end, end), copy))
            plan.change.touched |= {node.name for node in facts.nodes if node.statement == statement and node.name}


def _copy(plan: WorkerPlan, new: ForeignWorker, statement: int, changes: list[tuple[TextSpan, str]]) -> None:
    """A statement of the last worker again, for the new one."""
    facts, last = plan.facts, plan.before[-1]
    span = facts.statements[statement].span
    name = facts.nodes[last.node].name_span
    spans = {each.span for each in facts.references if each.statement == statement and each.name == last.name}
    if name and span.start <= name.start < span.end:
        spans.add(name)
    gone = [inner for inner, _ in changes]
    changes += [(each, new.name) for each in spans if not any(one.start <= each.start < one.end for one in gone)]
    plan.change.replacements.append(inserted_after(facts, span, copy_span(facts.text, span, changes)))
