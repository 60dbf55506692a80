"""Rules on the workers of a .tex, and on the flows between them: TG206, TG211, TG215, TG223, TG225."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from tikzgen.base.errors import Place, quote
from tikzgen.lint.inventory.check_values import split_list_value
from tikzgen.lint.inventory.inventory_facts import NodeFamily, NodeInFile
from tikzgen.lint.inventory.metadata_text import equal_lists
from tikzgen.lint.registry import Broken, rule
from tikzgen.lint.written_tex import FigureFile
from tikzgen.texfile import Linear, spot_of


@rule("TG206", "a list of workers names all of them, once each")
def _unlisted_worker(subject: FigureFile) -> Iterator[Broken]:
    lists = [reference for reference in subject.facts.references if reference.role == "list"]
    places = {node.name: node for node in subject.inventory.nodes}
    for family in subject.inventory.families:
        if family.kind != "worker":
            continue
        for loop in subject.facts.loops:
            start, end = loop.list_span
            named = [each for each in lists if start <= each.span.start < end]
            listed = {each.name for each in named}
            if listed.isdisjoint(family.members):
                continue
            seen: set[str] = set()
            for each in named:
                if each.name in seen and each.name in family.members:
                    message = f"the worker {quote(each.name)} is used twice in this list"
                    yield Broken(subject.place_of(each.span.start), message, "name it once")
                seen.add(each.name)
            for name in family.members:
                if name not in listed:
                    line = places[name].line
                    message = f"the worker {quote(name)} (line {line}) is missing from this list"
                    yield Broken(subject.place_of(start), message, f"add {name}")


@rule("TG211", "flows join nodes by name")
def _loose_flow(subject: FigureFile) -> Iterator[Broken]:
    flows = {flow.style for flow in subject.inventory.flows if flow.style}
    named: dict[int, int] = {}
    for reference in subject.facts.references:
        if reference.statement is not None and reference.role == "coordinate":
            named[reference.statement] = named.get(reference.statement, 0) + 1
    for index, statement in enumerate(subject.facts.statements):
        if statement.command == "draw" and named.get(index, 0) < 2:
            style = next((option.key for option in statement.options if option.key in flows), "")
            place = subject.place_of(statement.span.start)
            # Messages of space-time diagrams end at a time on a lifeline. tikzgen draws no other flows to coordinates.
            if style and not (subject.inventory.own and place.line not in subject.changed_lines):
                message = f"a flow of the style {quote(style)} ends at a coordinate"
                yield Broken(place, message, "end it at a node, by name")


@rule("TG215", "workers have the flows and labels that most other workers have")
def _worker_flows(subject: FigureFile) -> Iterator[Broken]:
    nodes = {node.name: node for node in subject.inventory.nodes}
    yield from _find_unlabelled(subject, nodes)
    for family in subject.inventory.families:
        members = set(family.members)
        joined: dict[tuple[str, str, bool], set[str]] = {}
        for flow in subject.inventory.flows:
            if flow.loop:  # TG206 reports workers that are missing from a loop's list
                continue
            if flow.source in members and flow.target not in members:
                joined.setdefault((flow.target, flow.style, True), set()).add(flow.source)
            elif flow.target in members and flow.source not in members:
                joined.setdefault((flow.source, flow.style, False), set()).add(flow.target)
        for (other, style, away), having in joined.items():
            lacking = members - having
            if family.kind != "worker" or len(having) <= len(lacking):
                continue
            for name in sorted(lacking):
                place = Place(subject.name, nodes[name].line, nodes[name].column)
                way = f"{quote(name)} to {quote(other)}" if away else f"{quote(other)} to {quote(name)}"
                yield Broken(
                    place, f"no {quote(style)} flow leads from {way}, as it does for the other workers", "draw it"
                )


def _find_unlabelled(subject: FigureFile, nodes: Mapping[str, NodeInFile]) -> Iterator[Broken]:
    """Find workers without a label if most of their family have one."""
    for family in subject.inventory.families:
        bare = [name for name in family.members if not nodes[name].labels]
        if family.kind == "worker" and len(bare) * 2 < len(family.members):
            for name in bare:
                place = Place(subject.name, nodes[name].line, nodes[name].column)
                yield Broken(
                    place, f"the worker {quote(name)} has no label, unlike the others", "add a label next to it"
                )


_NUMBER = re.compile(r"\d+$")
_DIRECTION_WORDS = re.compile(r"top-to-bottom|left-to-right")


@rule("TG223", "workers are numbered from top to bottom or left to right, with uniform names")
def _worker_order(subject: FigureFile) -> Iterator[Broken]:
    nodes = {node.name: node for node in subject.inventory.nodes}
    families = [family for family in subject.inventory.families if family.kind == "worker"]
    for family in families:
        if not _is_as_described(subject, family, nodes):
            yield from _out_of_order(subject, family, nodes)
        if not subject.inventory.own:  # users choose the names of workers in tikzgen's own figures
            yield from _find_strangers(subject, family, nodes)


def _is_as_described(subject: FigureFile, family: NodeFamily, nodes: dict[str, NodeInFile]) -> bool:
    """Return whether the description determines the order of workers, without manual changes."""
    if not subject.inventory.own:
        return False
    return subject.changed_lines.isdisjoint(nodes[name].line for name in family.members)


def _out_of_order(subject: FigureFile, family: NodeFamily, nodes: dict[str, NodeInFile]) -> Iterator[Broken]:
    """Find workers in a column or row that are out of order.

    The contract states the direction; otherwise the direction of most workers counts.
    """
    places = _coordinates_of(subject, set(family.members))
    members = sorted(family.members, key=lambda name: int(_NUMBER.findall(name)[0]))
    column = len({x for x, _ in places.values()}) == 1
    if len(places) < len(members) or column == (len({y for _, y in places.values()}) == 1):
        return
    along = {name: -places[name][1] if column else places[name][0] for name in members}
    steps = [(other, one, along[other] - along[one]) for one, other in pairwise(members)]
    onwards = sum(step > 0 for _, _, step in steps) * 2 >= len(steps)
    if promised := _DIRECTION_WORDS.search(str(subject.metadata.contract.get("node_naming", ""))):
        onwards = onwards or column == (promised[0] == "top-to-bottom")
    for other, one, step in steps:
        if step == 0 or (step > 0) != onwards:
            where = Place(subject.name, nodes[other].line, nodes[other].column)
            sides = ("above", "below") if column else ("left of", "right of")
            message = f"{quote(other)} is {sides[step > 0] if step else 'on'} {quote(one)}"
            order = (
                ("from top to bottom" if onwards else "upwards")
                if column
                else "to the right"
                if onwards
                else "to the left"
            )
            yield Broken(where, message, f"the workers are numbered {order}")
            return


def _coordinates_of(subject: FigureFile, members: set[str]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the positions of these nodes, with the current parameters, as far as they are known."""
    values = {each.name: _parse_fraction(each.value) for each in subject.parameters}
    found = {}
    for node in subject.facts.nodes:
        spot = spot_of(subject.facts, node) if node.name in members else None
        if spot and node.name:
            x, y = (_evaluate_sum(each, values) for each in (spot.x, spot.y))
            if x is not None and y is not None:
                found[node.name] = (x, y)
    return found


def _evaluate_sum(sum_: Linear, values: dict[str, Fraction | None]) -> Fraction | None:
    total = Fraction(0)
    for macro, number in sum_.items():
        value = values.get(macro) if macro else Fraction(1)
        if value is None:
            return None
        total += number * value
    return total


def _parse_fraction(text: str) -> Fraction | None:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        return None


def _find_strangers(subject: FigureFile, family: NodeFamily, nodes: dict[str, NodeInFile]) -> Iterator[Broken]:
    """Find nodes in a list of workers with the workers' style, but another name."""
    looks = {(nodes[name].icon, nodes[name].styles) for name in family.members if nodes[name].icon}
    for loop in subject.facts.loops:
        listed = [each.parts[0] for each in loop.members if each.parts]
        names = [span.extract_from(subject.facts.text) for span in listed]
        if len(set(names) & set(family.members)) < 2:
            continue
        for name, span in zip(names, listed, strict=True):
            node = nodes.get(name)
            if node and name not in family.members and (node.icon, node.styles) in looks:
                message = f"{quote(name)} is called otherwise than the other workers, {family.pattern}"
                yield Broken(subject.place_of(span.start), message, "give it the next number")


@rule("TG225", "lists that belong together are equally long")
def _list_lengths(subject: FigureFile) -> Iterator[Broken]:
    lists = {each.name: each for each in subject.parameters}
    listed = subject.contract.lists if subject.contract else ()
    for macros in dict.fromkeys((*equal_lists(subject.metadata.contract), *listed)):
        found = [lists[macro] for macro in macros if macro in lists]
        for other in found[1:]:
            first, many = len(split_list_value(found[0].value)), len(split_list_value(other.value))
            if many != first:
                message = f"{other.name} has {many} entries, {found[0].name} has {first}"
                yield Broken(subject.place_of(other.value_span.start), message, "make them equally long")
        if found and macros in listed and not "".join(split_list_value(found[0].value)).strip():
            yield Broken(subject.place_of(found[0].value_span.start), f"{found[0].name} has no entries", "add one")
