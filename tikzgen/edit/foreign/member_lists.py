"""Lists of loops and frames, which members join and leave."""

from __future__ import annotations

from tikzgen.base.errors import EditRefused
from tikzgen.edit.foreign.family_members import Member, Recount
from tikzgen.edit.foreign.foreign_figure import copy_span, line_of, with_blanks_before
from tikzgen.texfile import Facts, TextSpan


def join_lists(count: Recount, new: Member) -> None:
    """Add the names to every list and every frame that names all members."""
    facts, last, change = count.facts, count.before[-1], count.change
    names = {each.name for each in count.before}
    for loop in facts.loops:
        members = [each for each in loop.members if each.parts and each.parts[0].extract_from(facts.text) in names]
        if len(members) < len(names):
            continue
        if any(each.text == "..." for each in loop.members):
            raise EditRefused("loop", f"a list leaves members out ({line_of(facts, loop.span.start)})")
        final = members[-1]
        copy = copy_span(facts.text, final.span, [(final.parts[0], new.name)])
        wide = len(members) > 1 and facts.text[members[-2].span.end : final.span.start].replace(",", "").isspace()
        change.replace(facts, TextSpan(final.span.end, final.span.end), f",{' ' * wide}{copy}")
    for statement in _list_frames(facts):
        fits = [each for each in facts.references if each.role == "fit" and each.statement == statement]
        for old, name in zip(last.names, new.names, strict=True):
            own = [each for each in fits if each.name == old]
            alike = {each.names[last.names.index(old)] for each in count.before}
            if own and alike <= {each.name for each in fits}:
                end = facts.code.mask.find(")", own[-1].span.end) + 1
                start = facts.code.mask.rfind("(", 0, own[-1].span.start)
                copy = copy_span(facts.text, TextSpan(start, end), [(own[-1].span, name)])
                change.replace(facts, TextSpan(end, end), copy)
                change.touched |= find_frames(facts, statement)


def leave_lists(count: Recount, name: str) -> None:
    """Remove a name from the lists of loops and from frames."""
    facts, change = count.facts, count.change
    text, mask = facts.text, facts.code.mask
    for loop in facts.loops:
        for place, member in enumerate(loop.members):
            if not (member.parts and member.parts[0].extract_from(text) == name):
                continue
            where = line_of(facts, loop.span.start)
            if len(loop.members) == 1:
                raise EditRefused("empty-list", f"a list would be empty ({where})")
            near = loop.members[place - 1].span if place else loop.members[1].span
            between = TextSpan(near.end, member.span.start) if place else TextSpan(member.span.end, near.start)
            if place and "%" in between.extract_from(text):  # the comment stays; no blank may come before it
                start = text.index("%", between.start)
                if set(text[between.start : start]) - set(", \t"):
                    message = f"a comment is between members of a list ({where})"
                    raise EditRefused("list", message, nearest="move it")
                change.replace(facts, TextSpan(between.start, start), "")
                change.replace(facts, member.span, "")
            else:
                span = TextSpan(min(between.start, member.span.start), max(between.end, member.span.end))
                change.replace(facts, span, "")
    for reference in facts.references:
        if reference.role != "fit" or reference.name != name or reference.statement is None:
            continue
        fits = {each.name for each in facts.references if each.role == "fit" and each.statement == reference.statement}
        if fits <= change.touched:
            raise EditRefused("empty-frame", f"a frame would be empty ({line_of(facts, reference.span.start)})")
        start, end = mask.rfind("(", 0, reference.span.start), mask.find(")", reference.span.end) + 1
        change.replace(facts, with_blanks_before(text, TextSpan(start, end)), "")
        change.touched |= find_frames(facts, reference.statement)


def _list_frames(facts: Facts) -> list[int]:
    return sorted({each.statement for each in facts.references if each.role == "fit" and each.statement is not None})


def find_frames(facts: Facts, statement: int) -> set[str]:
    """Return the names of the nodes of a statement."""
    return {each.name for each in facts.nodes if each.statement == statement and each.name}
