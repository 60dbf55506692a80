"""Add or remove a member of a counted family: copy or remove its statements, then place the others."""

from __future__ import annotations

import re

from tikzgen.base.errors import EditRefused, quote
from tikzgen.edit.foreign.family_members import (
    Member,
    find_family,
    find_height,
    find_place,
    list_members,
    make_member,
    refuse_moved,
    refuse_names_in_loops,
    require_spot,
)
from tikzgen.edit.foreign.foreign_figure import (
    SpanReplacements,
    Subject,
    as_tex,
    copy_span,
    find_only_flow,
    line_of,
    list_fits,
    with_blanks_before,
)
from tikzgen.texfile import Linear, SourceFlow, SourceNode, TextSpan, add_sums, spell_sum, subtract_sums


def add_worker(subject: Subject, *, label: str = "") -> SpanReplacements:
    """Add a member after the last one: copies of its statements, its label, its place in lists and frames."""
    count = _Recount(subject, "add-worker")
    new = make_member(count.family, max(each.number for each in count.before) + 1)
    if len(count.before) >= count.family.most:
        raise EditRefused("too-many", f"{count.family.most} are the most", nearest="remove-worker")
    if taken := {each.name for each in subject.facts.nodes} & {*new.names}:
        raise EditRefused("name-taken", f"{quote(min(map(str, taken)))} is taken by another node")
    count.begin([*count.before, new], new)
    return count.add(new, label)


def remove_worker(subject: Subject, *, worker: str = "") -> SpanReplacements:
    """Remove the last member or the named one, with its label and its flows; the others keep their names."""
    count = _Recount(subject, "remove-worker", worker)
    before, least = count.before, count.family.least
    gone = next((each for each in before if each.name == (worker or before[-1].name)), None)
    if gone is None:
        known = ", ".join(each.name for each in before)
        raise EditRefused("no-worker", f"unknown worker {quote(worker)}", nearest=f"the workers are {known}")
    if len(before) <= least:
        rule, what = f"a figure keeps {least}", "cannot go"
        if least == 1:
            rule, what = "a figure keeps a worker", "is the only worker left"
        raise EditRefused("last-worker", f"{quote(gone.name)} {what}", invariant=rule)
    if count.family.layout == "shifted" and gone is not before[-1]:
        nearest = f"remove-worker {before[-1].name}"
        raise EditRefused("not-last", f"{quote(gone.name)} would leave a gap", nearest=nearest)
    count.begin([each for each in before if each is not gone], gone)
    return count.remove(gone)


class _Recount:
    """A family before and after one member is added or removed, and the replacements for it."""

    def __init__(self, subject: Subject, operation: str, worker: str = "") -> None:
        self.contract = subject.require_contract(operation)
        family = find_family(subject, worker) or find_family(subject)
        if family is None:
            raise EditRefused("no-members", "the contract counts no nodes")
        self.subject, self.facts, self.family = subject, subject.facts, family
        self.followers = {each.text: each for each in self.contract.followers}
        self.change = SpanReplacements(subject.facts)
        self.before = self.after = list_members(subject, family)
        refuse_names_in_loops(subject.facts, {each.name for each in self.before}, "names of members")

    def begin(self, after: list[Member], changed: Member) -> None:
        self.after = after
        self.change.touched |= {*changed.names}

    def add(self, new: Member, label: str) -> SpanReplacements:
        last = self.before[-1]
        found = self.facts.find_definition(last.label)
        text = as_tex(label, self.facts) if label else self.family.spell(self.family.text, new.number)
        if found and not label and _DIGITS.findall(found.value) == [str(last.number)]:
            text = _DIGITS.sub(str(new.number), found.value)
        self.change.define(new.label, text, last.label)
        for run in self._list_runs(last, copied=True):
            self._copy_run(new, run)
        self._join_lists(new)
        return self._place_again()

    def remove(self, gone: Member) -> SpanReplacements:
        facts, change = self.facts, self.change
        for run in self._list_runs(gone, copied=False):
            for index in run:
                change.remove(facts.statements[index].span)
        found = facts.find_definition(gone.label)
        for use in facts.uses.get(gone.label, ()):
            if not change.covers(use.start) and not (found and found.name_span == use):
                raise EditRefused("label-used", f"{gone.label} is used elsewhere ({line_of(facts, use.start)})")
        if found:
            change.remove(found.span)
        self._leave_lists(gone)
        self._place_again()
        for reference in facts.references:
            if reference.name in gone.names and not change.covers(reference.span.start):
                message = f"{quote(reference.name)} is used elsewhere ({line_of(facts, reference.span.start)})"
                raise EditRefused("used-elsewhere", message, nearest="take that out first")
        return change

    def _list_runs(self, member: Member, *, copied: bool) -> list[list[int]]:
        """Return the statements of a member, in runs of consecutive ones."""
        runs: list[list[int]] = []
        for index, statement in enumerate(self.facts.statements):
            if statement.loop is None and self._belongs_to(member, index, copied=copied):
                if runs and runs[-1][-1] == index - 1:
                    runs[-1].append(index)
                else:
                    runs.append([index])
        return runs

    def _belongs_to(self, member: Member, statement: int, *, copied: bool) -> bool:
        """Return whether a statement declares a member, or draws its picture or one of its flows."""
        facts = self.facts
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
        members = {each.name for each in self.before}
        if not any(member.name in each for each in ends) or (copied and any(members.issuperset(each) for each in ends)):
            return False
        flow = find_only_flow(facts, statement, member.name)
        drawn = all((each.key, each.value) != ("draw", "none") for each in facts.statements[statement].options)
        return not copied or (drawn and self._is_of_all(member, flow))

    def _is_of_all(self, member: Member, flow: SourceFlow) -> bool:
        """Return whether every member has the same flow."""
        if self.family.find_flow(flow.style, to_member=flow.target.name == member.name):
            return True
        known = {(each.source, each.target) for each in self.subject.inventory.flows if each.style == flow.style}
        return all(_replace_end(_list_ends(flow), member.name, each.name) in known for each in self.before)

    def _copy_run(self, new: Member, run: list[int]) -> None:
        """Copy consecutive statements of the last member for the new one."""
        facts, last = self.facts, self.before[-1]
        names = dict(zip(last.names, new.names, strict=True))
        span = TextSpan(facts.statements[run[0]].span.start, facts.statements[run[-1]].span.end)
        changes = {
            each.span: names[each.name] for each in facts.references if each.statement in run and each.name in names
        }
        gone: dict[TextSpan, str] = {}
        for flow in (each for each in facts.flows if each.statement in run):
            gone |= {with_blanks_before(facts.text, facts.nodes[label].span): "" for label in flow.labels}
            changes |= self._list_port_changes(new, flow)
        for node in (each for each in facts.nodes if each.statement in run and not each.inline):
            if node.name_span and node.name in names:
                changes[node.name_span] = names[node.name]
            if node.name == last.name:
                changes |= self._list_place_changes(new, node)
            if node.text_span and (node.text or "").strip() == last.label:
                changes[node.text_span] = new.label
        kept = {
            each: new for each, new in changes.items() if not any(one.start <= each.start < one.end for one in gone)
        }
        self.change.insert_line(span, copy_span(facts.text, span, (kept | gone).items()))

    def _list_port_changes(self, new: Member, flow: SourceFlow) -> dict[TextSpan, str]:
        """Return the anchor of the other end that the contract gives to this member."""
        to_member = flow.target.name == self.before[-1].name
        end = flow.source if to_member else flow.target
        row = self.family.find_flow(flow.style, to_member=to_member)
        port = row.ports.get(str(new.number)) if row and end.anchor else None
        start = self.facts.text.index(end.anchor, end.span.end)
        return {TextSpan(start, start + len(end.anchor)): port} if port else {}

    def _list_place_changes(self, new: Member, node: SourceNode) -> dict[TextSpan, str]:
        family, members = self.family, len(self.after)
        if family.layout == "centered":
            spots = [require_spot(self.facts, self.facts.nodes[each.node]) for each in self.before]
            columns = [each.x_span.extract_from(self.facts.text) for each in spots]
            most_common = max(columns, key=columns.count)
            return {
                spots[-1].x_span: most_common,
                spots[-1].y_span: spell_sum(find_height(family, members - 1, members)),
            }
        spans = [each.value_span for each in node.options if each.key == family.shift and each.value_span]
        if len(spans) != 1:
            raise refuse_moved(self.facts, node)
        return {spans[0]: f"{family.middle - new.number}*{family.step}"}

    def _join_lists(self, new: Member) -> None:
        """Add the names to every list and every frame that names all members."""
        facts, change = self.facts, self.change
        for at, (old, name) in enumerate(zip(self.before[-1].names, new.names, strict=True)):
            alike = {each.names[at] for each in self.before}
            for loop in facts.loops:
                known = [
                    each for each in loop.members if each.parts and each.parts[0].extract_from(facts.text) in alike
                ]
                if len(known) < len(alike):
                    continue
                if any(each.text == "..." for each in loop.members):
                    raise EditRefused("loop", f"a list leaves members out ({line_of(facts, loop.span.start)})")
                between = facts.text[known[-2].span.end : known[-1].span.start] if len(known) > 1 else ""
                copy = copy_span(facts.text, known[-1].span, [(known[-1].parts[0], name)])
                change.insert(known[-1].span.end, f",{' ' * between.replace(',', '').isspace()}{copy}")
            for frame, fits in list_fits(facts):
                if alike <= fits.keys():
                    change.insert(fits[old].end, f"({name})")
                    change.touched |= frame

    def _leave_lists(self, gone: Member) -> None:
        """Remove the names from the lists of loops and from frames."""
        facts, change = self.facts, self.change
        for name in gone.names:
            for loop in facts.loops:
                spans = [each.span for each in loop.members]
                named = [each.parts[0].extract_from(facts.text) if each.parts else "" for each in loop.members]
                if name not in named:
                    continue
                at, where = named.index(name), line_of(facts, loop.span.start)
                if len(spans) == 1:
                    raise EditRefused("empty-list", f"a list would be empty ({where})")
                span = TextSpan(spans[at - 1].end, spans[at].end) if at else TextSpan(spans[0].start, spans[1].start)
                if "%" in span.extract_from(facts.text):
                    message = f"a comment is between members of a list ({where})"
                    raise EditRefused("list", message, nearest="move it")
                change.replace(span, "")
            for frame, fits in list_fits(facts):
                if fits.keys() <= change.touched:
                    raise EditRefused("empty-frame", f"a frame would be empty ({line_of(facts, fits[name].start)})")
                if name in fits:
                    change.replace(with_blanks_before(facts.text, fits[name]), "")
                    change.touched |= frame

    def _place_again(self) -> SpanReplacements:
        """Place the remaining members, and the labels that depend on their number."""
        facts, family, direct = self.facts, self.family, self.subject.list_direct()
        for index, member in enumerate(self.before):
            if family.layout == "centered" and member in self.after:
                homes = [(index, self.before), (self.after.index(member), self.after)]
                node = facts.nodes[member.node]
                place = require_spot(facts, node)
                self._move(node, place.y_span, place.y, *(find_height(family, at, len(each)) for at, each in homes))
        self._hand_labels_on()
        for index, node in enumerate(facts.nodes):
            follower = self.followers.get((node.text or "").strip())
            if follower is None or self.change.covers(node.span.start):
                continue
            for span, new in self._list_key_changes(node):
                self.change.replace(span, new)
            if follower.place and index in direct and not node.inline:
                spot = require_spot(facts, node)
                home, wanted = (find_place(family, follower, len(each)) for each in (self.before, self.after))
                self._move(node, spot.x_span, spot.x, home[0], wanted[0])
                self._move(node, spot.y_span, spot.y, home[1], wanted[1])
        return self.change

    def _move(self, node: SourceNode, span: TextSpan, actual: Linear, home: Linear, new: Linear) -> None:
        """Move a coordinate from its home to a new one; keep a constant manual shift, reject any other shift."""
        aside = subtract_sums(actual, home)
        if {*aside} - {""}:
            raise refuse_moved(self.facts, node, home)
        if (wanted := add_sums(new, aside)) != actual:
            self.change.replace(span, spell_sum(wanted))

    def _list_key_changes(self, node: SourceNode) -> list[tuple[TextSpan, str]]:
        """Return the new key of a label that depends on the number of members."""
        follower = self.followers.get((node.text or "").strip())
        if follower is None or not follower.key:
            return []
        before, after = (follower.keys.get(str(len(each)), follower.key) for each in (self.before, self.after))
        wanted = re.compile(re.escape(before).replace(r"\{node\}", r"(?P<node>[A-Za-z][\w-]*)"))
        for option in node.options:
            if found := wanted.fullmatch(option.span.extract_from(self.facts.text)):
                return [(option.span, after.replace("{node}", found.groupdict().get("node", "")))]
        return []

    def _hand_labels_on(self) -> None:
        """Move the labels that one flow carries for all: they stay on the flow of the middle member."""
        facts, change = self.facts, self.change
        members = {each.name: each for each in self.before}
        middle, heir = (each[(len(each) - 1) // 2] for each in (self.before, self.after))
        for flow in facts.flows:
            bearer = next((members[name] for name in _list_ends(flow) if name in members), heir)
            stays = bearer in self.after
            for node in (facts.nodes[label] for label in flow.labels if bearer is not heir):
                text = (node.text or "").strip()
                if text not in self.contract.carried:
                    if text and not stays:
                        of_all = any(each.style == flow.style for each in self.family.flows)
                        nearest = "" if of_all else f"remove-flow {flow.source.name} {flow.target.name}"
                        where = line_of(facts, node.span.start)
                        message = f"{text}, the label of a flow of {quote(bearer.name)}, would be lost ({where})"
                        raise EditRefused("label-lost", message, nearest=nearest)
                elif not stays or bearer is middle:  # on another flow, the author moved it: it stays
                    ends = _replace_end(_list_ends(flow), bearer.name, heir.name)
                    same = [each for each in facts.flows if _list_ends(each) == ends and each.style == flow.style]
                    if not same:
                        raise EditRefused("label-lost", f"no flow of {quote(heir.name)} can take the label {text}")
                    words = copy_span(facts.text, node.span, self._list_key_changes(node))
                    change.insert(facts.statements[same[0].statement].span.end - 1, f" {words}")
                    if stays:
                        change.replace(with_blanks_before(facts.text, node.span), "")


_DIGITS = re.compile(r"[0-9]+")


def _list_ends(flow: SourceFlow) -> tuple[str, str]:
    return flow.source.name, flow.target.name


def _replace_end(ends: tuple[str, str], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if name == old else name for name in ends)
