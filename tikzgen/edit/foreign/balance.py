"""What keeps a figure balanced when workers come and go: their heights, what follows them, labels on the middle one."""

from __future__ import annotations

import re

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.foreign.foreign_figure import with_blanks_before
from tikzgen.edit.foreign.worker_plan import (
    ForeignWorker,
    WorkerPlan,
    height,
    refuse_moved,
    shift_position,
    spot,
    values,
)
from tikzgen.emit.contract_for_programs import Carried
from tikzgen.texfile import Replacement, SourceFlow, SourceNode, TextSpan, spell_sum


def recentre(plan: WorkerPlan) -> None:
    """Every worker at its new height; one that was shifted by hand keeps its shift, one moved elsewhere refuses."""
    texts, gaps = heights(plan), align_labels(plan)
    for worker in plan.kept_workers:
        plan.replace(spot(plan.facts, plan.facts.nodes[worker.node]).y_span, texts[worker.name])
        if worker.name in gaps:
            plan.replace(*gaps[worker.name])


def heights(plan: WorkerPlan) -> dict[str, str]:
    """How high each worker will stand, by name, as TikZ reads it; what stays is spelt as before."""
    facts, count = plan.facts, len(plan.after)
    found: dict[str, str] = {}
    for index, worker in enumerate(plan.before):
        node = facts.nodes[worker.node]
        place = spot(facts, node)
        after = plan.after.index(worker) if worker in plan.after else 0
        before = height(plan.workers, index, len(plan.before))
        wanted = shift_position(place.y, before, height(plan.workers, after, count))
        if wanted is None:
            raise refuse_moved(facts, node, before)
        found[worker.name] = place.y_span.extract_from(facts.text) if wanted == place.y else spell_sum(wanted)
    new = [worker for worker in plan.after if worker not in plan.before]
    return found | {worker.name: spell_sum(height(plan.workers, count - 1, count)) for worker in new}


def align_labels(plan: WorkerPlan) -> dict[str, tuple[TextSpan, str]]:
    """The blanks between place and text of each node, where the texts stood below each other, as they do so again.

    By name; a new worker's are those of the last one, of whom its node is a copy.
    """
    facts, texts = plan.facts, heights(plan)
    gaps: dict[str, TextSpan] = {}
    widths: dict[str, int] = {}
    for worker in plan.after:
        model = worker if worker in plan.before else plan.before[-1]
        node = facts.nodes[model.node]
        gap = _gap(plan, node)
        if gap is None:
            return {}
        gaps[worker.name] = gap
        grown = len(texts[worker.name]) - len(spot(facts, node).y_span.extract_from(facts.text))
        widths[worker.name] = (facts.place_of(gap.start).column or 0) + grown + len(worker.name) - len(model.name)
    before = [_gap(plan, facts.nodes[worker.node]) for worker in plan.before]
    if len({facts.place_of(gap.end).column for gap in before if gap}) > 1:
        return {}
    column = max(widths.values()) + min(gap.end - gap.start for gap in before if gap)
    return {name: (gap, " " * (column - widths[name])) for name, gap in gaps.items()}


def _gap(plan: WorkerPlan, node: SourceNode) -> TextSpan | None:
    """The blanks between a node's place and its text, on one line."""
    if node.at is None or node.text_span is None:
        return None
    span = TextSpan(node.at.span.end + 1, node.text_span.start - 1)
    between = span.extract_from(plan.facts.text)
    return span if between and not between.strip(" ") else None


def move_followers(plan: WorkerPlan) -> None:
    """The title above the first worker, the names of flows where no line crosses them."""
    facts = plan.facts
    for follower in plan.subject.require_contract().followers:
        for index in plan.subject.direct():
            node = facts.nodes[index]
            if (node.text or "").strip() != follower.text or node.inline:
                continue
            place = spot(facts, node)
            was, will = (
                values(plan.workers, follower.exact.get(str(count), follower.place), count)
                for count in (len(plan.before), len(plan.after))
            )
            spots = (place.x_span, place.y_span), (place.x, place.y)
            for span, actual, before, after in zip(*spots, was, will, strict=True):
                wanted = shift_position(actual, before, after)
                if wanted is None:
                    raise refuse_moved(facts, node)
                if wanted != actual:
                    plan.replace(span, spell_sum(wanted))


def carry_labels(plan: WorkerPlan) -> None:
    """The label that speaks for the flows of all workers stays on the middle one, beside its line."""
    for carried in plan.subject.require_contract().carried:
        _carry(plan, carried)


def _carry(plan: WorkerPlan, carried: Carried) -> None:
    facts = plan.facts
    bearing = [
        (flow, facts.nodes[index])
        for flow in facts.flows
        for index in flow.labels
        if (facts.nodes[index].text or "").strip() == carried.text
    ]
    if len(bearing) != 1:
        return
    flow, node = bearing[0]
    bearer = next((each for each in plan.before if each.name in (flow.source.name, flow.target.name)), None)
    if bearer is None or (bearer is not _middle(plan.before) and bearer in plan.after):
        return  # somebody moved it, and it stays there
    heir = _middle(plan.after)
    before, after = _key(carried, len(plan.before)), _key(carried, len(plan.after))
    keys = [option.key_span for option in node.options if option.key == before and option.value is None]
    if heir is bearer:
        for key in keys:
            plan.replace(key, after)
        return
    target = _same_flow(plan, flow, bearer, heir)
    text = facts.text
    label = text[node.span.start : node.span.end]
    for key in keys:
        start = key.start - node.span.start
        label = label[:start] + after + label[start + key.end - key.start :]
    if flow.statement not in plan.out:
        plan.replace(with_blanks_before(text, node.span), "")
    end = facts.statements[target.statement].span.end - 1
    plan.change.replacements.append(Replacement.make_for_span(text, TextSpan(end, end), f" {label}"))


def _same_flow(plan: WorkerPlan, flow: SourceFlow, bearer: ForeignWorker, heir: ForeignWorker) -> SourceFlow:
    """The flow of the heir that is what the bearer's is."""
    ends = [heir.name if name == bearer.name else name for name in (flow.source.name, flow.target.name)]
    for other in plan.facts.flows:
        if [other.source.name, other.target.name] == ends and other.style == flow.style:
            return other
    raise EditRefused("label-lost", f"no flow of {quote(heir.name)} can take the label of that of {quote(bearer.name)}")


def _middle(workers: list[ForeignWorker]) -> ForeignWorker:
    return workers[(len(workers) - 1) // 2]


def _key(carried: Carried, count: int) -> str:
    return carried.odd if count % 2 else carried.even


def shift_labels(plan: WorkerPlan) -> None:
    """The label below a node moves aside where the flows of many workers would cross it."""
    facts = plan.facts
    for crowded in plan.subject.require_contract().crowded:
        before, after = (
            crowded.few if len(workers) <= crowded.most else crowded.many for workers in (plan.before, plan.after)
        )
        wanted = re.compile(re.escape(before).replace(r"\{node\}", r"([A-Za-z][\w-]*)"))
        for index in plan.subject.direct() if before != after else ():
            node = facts.nodes[index]
            if (node.text or "").strip() != crowded.text:
                continue
            for option in node.options:
                if found := wanted.fullmatch(option.span.extract_from(facts.text)):
                    plan.replace(option.span, after.replace("{node}", found[1]))
