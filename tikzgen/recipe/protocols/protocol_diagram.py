"""Shared parts of protocol recipes: faults, and the diagram of the messages of a run."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Literal

from pydantic import Field

from tikzgen.base.errors import quote
from tikzgen.base.suggest import suggest_known_names
from tikzgen.model.exact_fields import Time, spell_time
from tikzgen.model.figure import FigureModel
from tikzgen.model.looks import Color, FlowKind
from tikzgen.model.overrides import EditableRecipe
from tikzgen.model.part import Id, Part, fail, make_empty_list
from tikzgen.model.spacetime import Activation, LifeEvent, Lifeline, Message, SpaceTime
from tikzgen.recipe.few_of_many import few_of
from tikzgen.schedule.protocols import Faults, Happening, Letter, Network, NodeFailure
from tikzgen.text import Text, fill_placeholders

_KINDS = {
    "control": FlowKind(color="otgray", dash="solid", style="ctrl"),
    "message": FlowKind(color="otpurple"),
    "decision": FlowKind(color="otblue", width=1.4),
}


class Crash(Part):
    """Crash of a node, which may recover."""

    id: Id
    """Id of the node that fails."""
    at: Time
    """Time of the failure. The node then sends and receives no messages."""
    back: Time | None = None
    """Time of the recovery; null means that the node does not recover."""


class Loss(Part):
    """Message that is lost."""

    source: Id
    """Id of the sender."""
    target: Id
    """Id of the receiver."""
    number: int = Field(default=1, ge=1, le=1000)
    """Number of the lost message among all from this sender to this receiver, from 1."""


class Protocol(EditableRecipe):
    """A protocol that is executed, drawn as the messages of its run."""

    field_group = "protocol"
    field_groups = ("display: direction time",)

    looks: ClassVar[Mapping[str, tuple[str, bool]]] = {}
    """Flow kind of each message type, and whether such messages are replies."""

    direction: Literal["right", "down"] = "right"
    """Direction of time; tikzgen takes the other one if the figure is too wide. All labels stay horizontal."""
    time: Text = ""
    """Text at a time arrow next to the lifelines; empty draws no arrow."""
    crashes: list[Crash] = Field(default_factory=make_empty_list)
    """Failures of nodes."""
    lost: list[Loss] = Field(default_factory=make_empty_list)
    """Messages that are lost."""

    def iterate_narrower(self) -> Iterator["Protocol"]:
        """Yield the variant in which time runs in the other direction."""
        yield self.model_copy(update={"direction": "down" if self.direction == "right" else "right"})

    def list_ids(self) -> list[str]:
        """Return the lifelines of the nodes, in order."""
        raise NotImplementedError

    def read_faults(self) -> Faults:
        """Return the faults of the run. Raise an error for an unknown node."""
        ids, failures = self.list_ids(), {}
        for index, crash in enumerate(self.crashes):
            node = _index_of(crash.id, ids, "crashes", index, "id")
            if node in failures:
                fail(f"{crash.id} fails once", "crashes", index, "id", hint="leave the second crash out")
            if crash.back is not None and crash.back <= crash.at:
                text = f"is back at {spell_time(crash.back)}, before it fails at {spell_time(crash.at)}"
                fail(text, "crashes", index, "back", hint=f"use a time after {spell_time(crash.at)}")
            failures[node] = NodeFailure(crash.at, crash.back)
        lost = []
        for index, loss in enumerate(self.lost):
            source, target = (_index_of(getattr(loss, end), ids, "lost", index, end) for end in ("source", "target"))
            lost.append((source, target, loss.number))
        return Faults(failures, frozenset(lost))

    def make_diagram(
        self,
        run: Network,
        heads: Sequence[tuple[str, Color]],
        texts: Part,
        feet: Mapping[int, str],
        happened: Iterable[tuple[str, str, str]] = (),
    ) -> FigureModel:
        """Return the figure of a run.

        `heads` are the labels and colors of lifelines, `texts` the labels by message type, and `feet` the labels at
        the ends of lifelines. `happened` maps a type of event to the field of its label and its marker.
        """
        ids, hidden = self.list_ids(), self.hidden_nodes(run, feet)
        signs = {says: (field, mark) for says, field, mark in happened}
        diagram = SpaceTime(
            direction=self.direction,
            time=self.time,
            lifelines=list(self._make_lifelines(heads, feet, hidden)),
            messages=list(
                self._make_messages(
                    [one for one in run.letters if not {one.source, one.target} & {*hidden}], ids, texts
                )
            ),
            activations=[
                Activation(lifeline=ids[one.node], start=one.start, end=one.end, label=_fill_label(texts, one.says, {}))
                for one in run.stretches
                if one.node not in hidden
            ],
            events=list(_make_events([one for one in run.happenings if one.node not in hidden], ids, texts, signs)),
        )
        used = {one.kind for one in diagram.messages}
        kinds = {name: look for name, look in _KINDS.items() if name in used}
        return self.figure_of(diagram, kinds=kinds)

    def hidden_nodes(self, run: Network, feet: Mapping[int, str]) -> Collection[int]:
        """Return the nodes without a lifeline, which dots represent."""
        return ()

    def _make_lifelines(
        self, heads: Sequence[tuple[str, Color]], feet: Mapping[int, str], hidden: Collection[int]
    ) -> Iterator[Lifeline]:
        """Yield the lifelines of all nodes, and dots for each row of hidden nodes."""
        ids, failures = self.list_ids(), self.read_faults().failures
        firsts = [node for node in hidden if node - 1 not in hidden]
        for node, (name, (label, color)) in enumerate(zip(ids, heads, strict=True)):
            if node in firsts:
                yield Lifeline(id="dots" if len(firsts) == 1 else f"{name}-dots", ellipsis=True)
            if node not in hidden:
                found = failures.get(node)
                times = {"crash": found.at, "restart": found.back} if found else {}
                yield Lifeline(id=name, label=label, color=color, foot=feet.get(node, ""), **times)

    def _make_messages(self, letters: Sequence[Letter], ids: Sequence[str], texts: Part) -> Iterator[Message]:
        """Yield one message for all letters of one sender with the same label and time.

        Letters whose arrows would coincide become one arrow with all labels. If several senders send the same label to
        one target at the same time, only the last message has the label.
        """
        arrows: dict[tuple[str, int, Fraction, int, bool], list[Letter]] = {}
        for letter in letters:
            arrow = letter.says, letter.source, letter.sent, letter.target, letter.lost
            arrows.setdefault(arrow, []).append(letter)
        said: dict[tuple[int, Fraction, str, str, int], list[Letter]] = {}
        for found in arrows.values():
            only = found[0]
            label = ", ".join(filter(None, (_fill_label(texts, one.says, one.facts) for one in found)))
            key = only.source, only.sent, only.says, label, 0
            while any(one.target == only.target for one in said.get(key, ())):  # another letter to this target is lost
                key = (*key[:4], key[4] + 1)
            said.setdefault(key, []).append(only)
        last: dict[tuple[object, ...], tuple[int, Fraction, str, str, int]] = {}
        for key, found in said.items():
            for letter in found:
                last[letter.target, key[3], "sent", letter.sent] = last[letter.target, key[3], "due", letter.due] = key
        for key, found in said.items():
            source, sent, says, label, _ = key
            only = found[0]
            same = {last[only.target, label, "sent", sent], last[only.target, label, "due", only.due]}
            text = label if len(found) > 1 or key in same else ""
            reached = [one.due for one in found if not one.lost]
            missed = [ids[one.target] for one in found if one.lost]
            kind, reply = self.looks[says]
            times = {"received": reached} if reached else {"travel": max(one.due for one in found) - sent}
            yield Message(
                source=ids[source],
                target=[ids[one.target] for one in found],
                sent=sent,
                label=text,
                kind=kind,
                reply=reply,
                lost=missed,
                **times,
            )


class ProtocolOfMany(Protocol):
    """Base of recipes for protocols with many similar nodes at the end of the list of nodes."""

    field_group = "display"

    alike: ClassVar[str]
    """Name of the parameter that contains the number of similar nodes."""
    _most: ClassVar[int] = 8

    show: int | None = Field(default=None, ge=1, le=64)
    """Number of similar nodes with lifelines, with dots for the rest. Null draws all, or a selection. Nodes with
    unusual messages or final states are always drawn."""

    def hidden_nodes(self, run: Network, feet: Mapping[int, str]) -> Collection[int]:
        """Return the nodes without a lifeline: each sends, receives and ends as most nodes do."""
        count, last = getattr(self, self.alike), len(self.list_ids())
        few = few_of(count, self.show, self._most)
        if few is None:
            return ()
        crowd = range(last - count, last)
        does: dict[int, list[object]] = {node: [feet.get(node)] for node in crowd}
        for letter in run.letters:
            for node in {letter.source, letter.target} & does.keys():
                does[node].append((letter.says, letter.lost, letter.source == node))
        ((usual, _),) = Counter(tuple(told) for told in does.values()).most_common(1)
        drawn = {crowd[place] for place in few}
        return [node for node in crowd if node not in drawn and tuple(does[node]) == usual]


def _make_events(
    happenings: Iterable[Happening], ids: Sequence[str], texts: Part, signs: Mapping[str, tuple[str, Any]]
) -> Iterator[LifeEvent]:
    """Yield one event, with all labels, per node, time and marker."""
    found: dict[tuple[int, Fraction, Any], list[str]] = {}
    for one in happenings:
        if one.says in signs:
            field, mark = signs[one.says]
            found.setdefault((one.node, one.time, mark), []).append(_fill_label(texts, field, one.facts))
    for (node, time, mark), labels in found.items():
        yield LifeEvent(lifeline=ids[node], time=time, label="\n".join(filter(None, labels)), mark=mark)


def _fill_label(texts: Part, says: str, facts: Mapping[str, object]) -> str:
    """Return the label of a message or event, with its values filled in."""
    return fill_placeholders(getattr(texts, says.replace(" ", "_")), **facts)


def _index_of(name: str, ids: Sequence[str], *path: str | int) -> int:
    if name not in ids:
        fail(f"unknown name {quote(name)}", *path, hint=suggest_known_names(name, list(ids)))
    return ids.index(name)
