"""The lines between named nodes."""

from __future__ import annotations

from tikzgen.inventory.inventory_facts import Flow
from tikzgen.inventory.nodes import drawn_directly, words_of
from tikzgen.texfile import Facts
from tikzgen.texfile.loops import joined, node_names

__all__ = ["flows"]


def flows(facts: Facts) -> tuple[Flow, ...]:
    r"""Every flow that is drawn, loops unrolled, with the labels that a bare `\path` along it carries."""
    beside: dict[tuple[str, str], list[str]] = {}
    joins = [flow for flow in facts.flows if not _is_brace(facts, flow.statement)]
    for flow in joins:
        if not _is_drawn(facts, flow.statement):
            words = [words_of(facts, label) for label in flow.labels]
            for pair in joined(facts, flow):
                beside.setdefault(pair, []).extend(words)
    found = []
    known = {name for index in range(len(facts.nodes)) for name in node_names(facts, index)}
    all_known = not any("\\" in name or "#" in name for name in known)
    for flow in joins:
        if not drawn_directly(facts, flow.statement) or not _is_drawn(facts, flow.statement):
            continue
        place = facts.place(flow.span.start)
        words = [words_of(facts, label) for label in flow.labels if facts.nodes[label].text]
        for source, target in joined(facts, flow):
            label = ", ".join([*words, *beside.get((source, target), ())])
            loop = facts.statements[flow.statement].loop is not None
            if loop and all_known and not known.issuperset((source, target)):
                continue  # a condition leaves this pass out
            found.append(Flow(source, target, flow.style, label, loop, place.line or 0, place.column or 0))
    return tuple(found)


def _is_drawn(facts: Facts, statement: int) -> bool:
    path = facts.statements[statement]
    return path.command != "path" or any(option.key in ("draw", "->", "<-", "<->") for option in path.options)


def _is_brace(facts: Facts, statement: int) -> bool:
    """Whether a path is the brace beside some nodes: it spans them, and joins nothing."""
    options = facts.statements[statement].options
    return any(option.key == "decoration" and "brace" in (option.value or "") for option in options)
