"""Add or remove a member of a counted family: copy or remove its statements, then place the others again."""

from __future__ import annotations

import re

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.foreign.family_members import (
    Member,
    Recount,
    find_family,
    list_members,
    make_member,
    refuse_names_in_loops,
)
from tikzgen.edit.foreign.foreign_figure import (
    SpanReplacements,
    Subject,
    as_tex,
    copy_span,
    find_only_flow,
    follows_blank_line,
    insert_definition,
    inserted_after,
    line_of,
    taken_out,
    with_blanks_before,
)
from tikzgen.edit.foreign.member_lists import join_lists, leave_lists
from tikzgen.edit.foreign.member_places import (
    find_height,
    list_key_changes,
    move_followers,
    move_members,
    refuse_moved,
    require_spot,
)
from tikzgen.emit.contract_for_programs import Family
from tikzgen.texfile import Replacement, SourceFlow, SourceNode, TextSpan, spell_sum


def add_worker(subject: Subject, *, label: str = "") -> SpanReplacements:
    """Add a member after the last one: copies of its statements, its label, its place in lists and frames."""
    family, before = _require_members(subject, "add-worker")
    new = make_member(family, max(each.number for each in before) + 1)
    if len(before) >= family.most:
        raise EditRefused("too-many", f"{family.most} are the most", nearest="remove-worker")
    if taken := {each.name for each in subject.facts.nodes} & {*new.names}:
        raise EditRefused("name-taken", f"{quote(min(map(str, taken)))} is taken by another node")
    count = Recount(subject, family, before, [*before, new], SpanReplacements(touched={*new.names}))
    _define_label(count, new, label)
    for run in _list_runs(count, before[-1], copied=True):
        _copy_run(count, new, run)
    join_lists(count, new)
    return _place_again(count)


def remove_worker(subject: Subject, *, worker: str = "") -> SpanReplacements:
    """Remove the last member or the named one, with its label and its flows; the others keep their names."""
    family, before = _require_members(subject, "remove-worker", worker)
    gone = next((each for each in before if each.name == (worker or before[-1].name)), None)
    if gone is None:
        known = ", ".join(each.name for each in before)
        raise EditRefused("no-worker", f"unknown worker {quote(worker)}", nearest=f"the workers are {known}")
    if len(before) <= family.least:
        rule, what = f"a figure keeps {family.least}", "cannot go"
        if family.least == 1:
            rule, what = "a figure keeps a worker", "is the only worker left"
        raise EditRefused("last-worker", f"{quote(gone.name)} {what}", invariant=rule)
    if family.layout == "shifted" and gone is not before[-1]:
        nearest = f"remove-worker {before[-1].name}"
        raise EditRefused("not-last", f"{quote(gone.name)} would leave a gap", nearest=nearest)
    after = [each for each in before if each is not gone]
    count = Recount(subject, family, before, after, SpanReplacements(touched={*gone.names}))
    for run in _list_runs(count, gone, copied=False):
        _remove_run(count, gone, run)
    _remove_label(count, gone)
    for name in gone.names:
        leave_lists(count, name)
    _place_again(count)
    for reference in count.facts.references:
        if reference.name in gone.names and not count.change.covers(reference.span.start):
            message = f"{quote(reference.name)} is used elsewhere ({line_of(count.facts, reference.span.start)})"
            raise EditRefused("used-elsewhere", message, nearest="take that out first")
    return count.change


def _require_members(subject: Subject, operation: str, worker: str = "") -> tuple[Family, list[Member]]:
    subject.require_contract(operation)
    family = find_family(subject, worker) or find_family(subject)
    if family is None:
        raise EditRefused("no-members", "the contract counts no nodes")
    members = list_members(subject, family)
    refuse_names_in_loops(subject.facts, {each.name for each in members}, "names of members")
    return family, members


def _place_again(count: Recount) -> SpanReplacements:
    move_members(count)
    _hand_labels_on(count)
    move_followers(count)
    return count.change


def _list_runs(count: Recount, member: Member, *, copied: bool) -> list[list[int]]:
    """Return the statements of a member, in runs of consecutive ones."""
    runs: list[list[int]] = []
    for index, statement in enumerate(count.facts.statements):
        if statement.loop is None and _belongs_to(count, member, index, copied=copied):
            if runs and runs[-1][-1] == index - 1:
                runs[-1].append(index)
            else:
                runs.append([index])
    return runs


def _belongs_to(count: Recount, member: Member, statement: int, *, copied: bool) -> bool:
    facts = count.facts
    nodes = [each for each in facts.nodes if each.statement == statement and not each.inline]
    if any(each.name in member.names or (each.text or "").strip() == member.label for each in nodes):
        if len(nodes) > 1:
            message = f"one statement declares several nodes ({line_of(facts, nodes[0].span.start)})"
            raise EditRefused("shared-statement", message, nearest="write each on a separate line")
        return True
    if facts.statements[statement].command == "pic":
        used = {each.name for each in facts.references if each.statement == statement}
        return bool(used) and used <= {*member.names}
    ends = [_list_ends(each) for each in facts.flows if each.statement == statement]
    if not any(member.name in each for each in ends):
        return False
    if copied and any({*each} <= {one.name for one in count.before} for each in ends):
        return False
    return _is_of_all(count, member, find_only_flow(facts, statement, member.name)) or not copied


def _list_ends(flow: SourceFlow) -> tuple[str, str]:
    return flow.source.name, flow.target.name


def _is_of_all(count: Recount, member: Member, flow: SourceFlow) -> bool:
    """Return whether a flow is one of those that every member has."""
    if count.family.find_flow(flow.style, to_member=flow.target.name == member.name):
        return True
    known = {(each.source, each.target) for each in count.subject.inventory.flows if each.style == flow.style}
    ends = _list_ends(flow)
    return all(tuple(each.name if end == member.name else end for end in ends) in known for each in count.before)


def _copy_run(count: Recount, new: Member, run: list[int]) -> None:
    """Copy consecutive statements of the last member for the new one."""
    facts, last = count.facts, count.before[-1]
    names = dict(zip(last.names, new.names, strict=True))
    span = TextSpan(facts.statements[run[0]].span.start, facts.statements[run[-1]].span.end)
    flows = [each for each in facts.flows if each.statement in run]
    gone = [with_blanks_before(facts.text, facts.nodes[label].span) for each in flows for label in each.labels]
    changes = {each.span: names[each.name] for each in facts.references if each.statement in run and each.name in names}
    for flow in flows:
        changes |= _list_port_changes(count, new, flow)
    for node in (each for each in facts.nodes if each.statement in run and not each.inline):
        if node.name_span and node.name in names:
            changes[node.name_span] = names[node.name]
        if node.name == last.name:
            changes |= _list_place_changes(count, new, node)
        if node.text_span and (node.text or "").strip() == last.label:
            changes[node.text_span] = new.label
    kept = [each for each in changes.items() if not any(one.start <= each[0].start < one.end for one in gone)]
    blank_line = len(run) > 1 and follows_blank_line(facts, span)
    copy = copy_span(facts.text, span, [*kept, *((each, "") for each in gone)])
    count.change.replacements.append(inserted_after(facts, span, copy, blank_line=blank_line))


def _list_port_changes(count: Recount, new: Member, flow: SourceFlow) -> dict[TextSpan, str]:
    """Return the anchor of the other end that the contract gives to this member."""
    to_member = flow.target.name == count.before[-1].name
    end = flow.source if to_member else flow.target
    row = count.family.find_flow(flow.style, to_member=to_member)
    port = row.ports.get(str(new.number)) if row and end.anchor else None
    start = count.facts.text.index(end.anchor, end.span.end)
    return {TextSpan(start, start + len(end.anchor)): port} if port else {}


def _list_place_changes(count: Recount, new: Member, node: SourceNode) -> dict[TextSpan, str]:
    family, members = count.family, len(count.after)
    if family.layout == "centered":
        spots = [require_spot(count.facts, count.facts.nodes[each.node]) for each in count.before]
        columns = [each.x_span.extract_from(count.facts.text) for each in spots]
        most_common = max(columns, key=columns.count)
        return {spots[-1].x_span: most_common, spots[-1].y_span: spell_sum(find_height(family, members - 1, members))}
    spans = [each.value_span for each in node.options if each.key == family.shift and each.value_span]
    if len(spans) != 1:
        raise refuse_moved(count.facts, node)
    return {spans[0]: f"{family.middle - new.number}*{family.step}"}


def _remove_run(count: Recount, gone: Member, run: list[int]) -> None:
    """Remove consecutive statements, with the blank line before a block."""
    facts, change = count.facts, count.change
    change.replacements += [taken_out(facts, facts.statements[index].span) for index in run]
    block = len(run) > 1 and facts.nodes[gone.node].statement in run
    if block and follows_blank_line(facts, facts.statements[run[0]].span):
        end = facts.text.rindex("\n", 0, change.replacements[-len(run)].span.start)
        start = facts.text.rfind("\n", 0, end)
        change.replacements.append(Replacement.make_for_span(facts.text, TextSpan(start + 1, end + 1), ""))


def _hand_labels_on(count: Recount) -> None:
    """Move the labels that one flow carries for all: they stay on the flow of the middle member."""
    facts, change, carried = count.facts, count.change, count.subject.require_contract().carried
    members = {each.name: each for each in count.before}
    heir = _find_middle(count.after)
    for flow in facts.flows:
        bearer = next((members[name] for name in _list_ends(flow) if name in members), None)
        if bearer is None or bearer is heir:
            continue
        stays = bearer in count.after
        for node in (facts.nodes[label] for label in flow.labels):
            text = (node.text or "").strip()
            if text not in carried:
                if text and not stays:
                    of_all = any(each.style == flow.style for each in count.family.flows)
                    nearest = "" if of_all else f"remove-flow {flow.source.name} {flow.target.name}"
                    where = line_of(facts, node.span.start)
                    message = f"{text}, the label of a flow of {quote(bearer.name)}, would be lost ({where})"
                    raise EditRefused("label-lost", message, nearest=nearest)
            elif not stays or bearer is _find_middle(count.before):  # on another flow, a person moved it: it stays
                ends = tuple(heir.name if name == bearer.name else name for name in _list_ends(flow))
                same = [each for each in facts.flows if _list_ends(each) == ends and each.style == flow.style]
                if not same:
                    raise EditRefused("label-lost", f"no flow of {quote(heir.name)} can take the label {text}")
                words = copy_span(facts.text, node.span, list_key_changes(count, node))
                end = facts.statements[same[0].statement].span.end - 1
                change.replace(facts, TextSpan(end, end), f" {words}")
                if stays:
                    change.replace(facts, with_blanks_before(facts.text, node.span), "")


def _find_middle(members: list[Member]) -> Member:
    return members[(len(members) - 1) // 2]


_DIGITS = re.compile(r"[0-9]+")


def _define_label(count: Recount, new: Member, given: str) -> None:
    """Define the macro with the label of a new member."""
    last = count.before[-1]
    found = count.facts.find_definition(last.label)
    text = as_tex(given, count.facts) if given else count.family.spell(count.family.text, new.number)
    if found and not given and _DIGITS.findall(found.value) == [str(last.number)]:
        text = _DIGITS.sub(str(new.number), found.value)
    insert_definition(count.change, count.facts, last.label, new.label, text)


def _remove_label(count: Recount, gone: Member) -> None:
    """Remove the definition of a label; raise `EditRefused` if it is used elsewhere."""
    facts = count.facts
    found = facts.find_definition(gone.label)
    for use in facts.uses.get(gone.label, ()):
        if not count.change.covers(use.start) and not (found and found.name_span == use):
            raise EditRefused("label-used", f"{gone.label} is used elsewhere ({line_of(facts, use.start)})")
    if found:
        count.change.replacements.append(taken_out(facts, found.span))
