"""Members of a counted family: names, nodes, labels, positions, and labels that follow the members."""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from tikzgen.base.errors import EditRefused, quote
from tikzgen.base.record import Record
from tikzgen.edit.foreign.foreign_figure import Subject, line_of
from tikzgen.emit.contract_for_programs import Family, Follower
from tikzgen.texfile import (
    Facts,
    Linear,
    NodePosition,
    SourceNode,
    expand_name,
    list_bindings,
    node_names,
    parse_sum,
    scale_sum,
    spell_sum,
    spot_of,
    with_values,
)


class Member(Record):
    """A member of a family: its number, its names (node first), the index of the node, and its label."""

    number: int
    names: tuple[str, ...]
    node: int
    label: str

    @property
    def name(self) -> str:
        """Name of the node."""
        return self.names[0]


def find_family(subject: Subject, name: str = "") -> Family | None:
    """Return the family of a node, or the first family."""
    families = subject.contract.families if subject.contract else ()
    return next((each for each in families if not name or each.read_number(name) is not None), None)


def find_label(subject: Subject, name: str) -> list[str]:
    """Return the macro that labels a node according to the contract."""
    family = find_family(subject, name)
    own = subject.contract.labels.get(name) if subject.contract else None
    if own is None and family and (number := family.read_number(name)) is not None:
        own = family.spell(family.label, number)
    return [each.name for each in subject.inventory.parameters if each.name == own]


def list_members(subject: Subject, family: Family) -> list[Member]:
    """Return the members from top to bottom; raise `EditRefused` if a loop draws them."""
    facts = subject.facts
    found: dict[int, Member] = {}
    labels = {each.name: one for each in subject.inventory.nodes for one in each.labels[:1] if "label" in one}
    for index in subject.list_direct():
        for name in node_names(facts, index):
            if (number := family.read_number(name)) is not None:
                where = line_of(facts, facts.nodes[index].span.start)
                if facts.statements[facts.nodes[index].statement].loop is not None:
                    raise EditRefused("loop", f"a loop draws {quote(name)} ({where})", nearest="write its nodes out")
                if number in found:
                    raise EditRefused("several", f"several nodes are called {quote(name)} ({where})")
                found[number] = make_member(family, number, index, labels.get(name, ""))
    if not found:
        raise EditRefused("no-members", f"the figure has no nodes called {family.names}")
    step = next(iter(read_sum(family.step))) if family.layout == "centered" else ""

    def order(member: Member) -> tuple[Fraction, int]:
        place = spot_of(facts, facts.nodes[member.node]) if step else None
        return -place.y.get(step, Fraction(0)) if place else Fraction(0), member.number

    return sorted(found.values(), key=order)


def make_member(family: Family, number: int, node: int = -1, label: str = "") -> Member:
    """Return a member with its names and its label."""
    names = tuple(family.spell(each, number) for each in (family.names, *family.companions))
    return Member(number, names, node, label or family.spell(family.label, number))


_VARIABLE = re.compile(r"\\[A-Za-z@]+$")


def refuse_names_in_loops(facts: Facts, names: Collection[str], what: str) -> None:
    r"""Raise `EditRefused` if a loop puts one of the names together, as `w\i` does."""
    for reference in facts.references:
        if "\\" not in reference.name or reference.statement is None or _VARIABLE.match(reference.name):
            continue
        loop = facts.statements[reference.statement].loop
        if any(expand_name(reference.name, values) in names for values in list_bindings(facts, loop)):
            where = line_of(facts, reference.span.start)
            raise EditRefused("loop", f"a loop puts {what} together ({where})", nearest="list whole names")


def read_sum(text: str) -> Linear:
    """Read a sum in the contract; raise `EditRefused` for anything else."""
    found = parse_sum(text)
    if found is None:
        raise EditRefused("contract-invalid", f"{quote(text)} is not a sum of numbers and macros")
    return found


def find_height(family: Family, index: int, members: int) -> Linear:
    """Return the height of a member among others."""
    return scale_sum(read_sum(family.step), Fraction(members - 1 - 2 * index, 2))


def find_place(family: Family, follower: Follower, members: int) -> list[Linear]:
    """Return the position of a label that depends on the number of members; empty if it has none."""
    place = follower.exact.get(str(members), follower.place)
    ends = {"\\top": find_height(family, 0, members), "\\bottom": find_height(family, members - 1, members)}
    return [with_values(read_sum(each), ends) for each in (place.x, place.y)] if place else []


def require_spot(facts: Facts, node: SourceNode) -> NodePosition:
    """Return the position of a node; raise `EditRefused` if it is not a pair of sums."""
    found = spot_of(facts, node)
    if found is None:
        raise refuse_moved(facts, node)
    return found


def refuse_moved(facts: Facts, node: SourceNode, home: Linear | None = None) -> EditRefused:
    """Return the error for a node that is not where the contract places it."""
    what = quote(node.name) if node.name else f"the node {(node.text or '').strip()}"
    way = "where the contract has it" if home is None else f"at the height {spell_sum(home)}"
    message = f"{what} was moved manually ({line_of(facts, node.span.start)})"
    invariant = "positions follow from the parameters"
    return EditRefused("moved-by-hand", message, invariant=invariant, nearest=f"put it back {way}")
