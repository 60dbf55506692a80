"""Places of members, and of labels that depend on the number of members."""

from __future__ import annotations

import re
from fractions import Fraction

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.foreign.family_members import Recount, read_sum
from tikzgen.edit.foreign.foreign_figure import line_of
from tikzgen.emit.contract_for_programs import Family, Follower
from tikzgen.texfile import (
    Facts,
    Linear,
    NodePosition,
    SourceNode,
    TextSpan,
    add_sums,
    scale_sum,
    spell_sum,
    spot_of,
    subtract_sums,
    with_values,
)


def move_members(count: Recount) -> None:
    """Place the members that stay."""
    for index, member in enumerate(count.before):
        if count.family.layout == "centered" and member in count.after:
            home = find_height(count.family, index, len(count.before))
            new = find_height(count.family, count.after.index(member), len(count.after))
            node = count.facts.nodes[member.node]
            place = require_spot(count.facts, node)
            _move(count, node, place.y_span, (place.y, home, new))


def move_followers(count: Recount) -> None:
    """Place the labels that depend on the number of members, and change their keys."""
    facts, direct = count.facts, count.subject.list_direct()
    for index, node in enumerate(facts.nodes):
        if count.change.covers(node.span.start):
            continue
        for span, new in list_key_changes(count, node):
            count.change.replace(facts, span, new)
        follower = _find_follower(count, node)
        if follower and follower.place and index in direct and not node.inline:
            spot = require_spot(facts, node)
            homes, news = (_find_place(count.family, follower, len(each)) for each in (count.before, count.after))
            _move(count, node, spot.x_span, (spot.x, homes[0], news[0]))
            _move(count, node, spot.y_span, (spot.y, homes[1], news[1]))


def _find_follower(count: Recount, node: SourceNode) -> Follower | None:
    text = (node.text or "").strip()
    return next((each for each in count.subject.require_contract().followers if each.text == text), None)


def _move(count: Recount, node: SourceNode, span: TextSpan, sums: tuple[Linear, Linear, Linear]) -> None:
    """Move a coordinate from its home to a new one; a constant shift by hand stays, any other is refused."""
    actual, home, new = sums
    aside = subtract_sums(actual, home)
    if {*aside} - {""}:
        raise refuse_moved(count.facts, node, home)
    if (wanted := add_sums(new, aside)) != actual:
        count.change.replace(count.facts, span, spell_sum(wanted))


def find_height(family: Family, index: int, members: int) -> Linear:
    """Return the height of a member among others."""
    return scale_sum(read_sum(family.step), Fraction(members - 1 - 2 * index, 2))


def _find_place(family: Family, follower: Follower, members: int) -> list[Linear]:
    place = follower.exact.get(str(members), follower.place)
    ends = {"\\top": find_height(family, 0, members), "\\bottom": find_height(family, members - 1, members)}
    return [with_values(read_sum(each), ends) for each in (place.x, place.y)] if place else []


def list_key_changes(count: Recount, node: SourceNode) -> list[tuple[TextSpan, str]]:
    """Return the new key of a label that depends on the number of members."""
    follower = _find_follower(count, node)
    if follower is None or not follower.key:
        return []
    before, after = (follower.keys.get(str(len(each)), follower.key) for each in (count.before, count.after))
    wanted = re.compile(re.escape(before).replace(r"\{node\}", r"(?P<node>[A-Za-z][\w-]*)"))
    for option in node.options:
        if found := wanted.fullmatch(option.span.extract_from(count.facts.text)):
            return [(option.span, after.replace("{node}", found.groupdict().get("node", "")))]
    return []


def require_spot(facts: Facts, node: SourceNode) -> NodePosition:
    """Return the position of a node; raise `EditRefused` if it is no pair of sums."""
    found = spot_of(facts, node)
    if found is None:
        raise refuse_moved(facts, node)
    return found


def refuse_moved(facts: Facts, node: SourceNode, home: Linear | None = None) -> EditRefused:
    """Return the error for a node that is not where the contract places it."""
    what = quote(node.name) if node.name else f"the node {(node.text or '').strip()}"
    way = "where the contract has it" if home is None else f"at the height {spell_sum(home)}"
    message = f"{what} was moved by hand ({line_of(facts, node.span.start)})"
    invariant = "positions follow from the parameters"
    return EditRefused("moved-by-hand", message, invariant=invariant, nearest=f"put it back {way}")
