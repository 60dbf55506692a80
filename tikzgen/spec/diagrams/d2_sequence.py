"""Sequence diagrams of D2: actors, messages, spans, notes and groups."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.record import replace
from tikzgen.spec.diagrams.d2_labels import list_leaves, read_d2_label, read_look
from tikzgen.spec.diagrams.d2_syntax import D2Entry
from tikzgen.spec.diagrams.diagram_source import DiagramSource
from tikzgen.spec.diagrams.label_text import escape_dollars
from tikzgen.spec.diagrams.sequence_parts import SequenceParts

_ATTRIBUTES = ("shape", "style", "icon", "direction", "label", "near", "tooltip", "link", "class", "classes", "vars")


def is_sequence(entries: tuple[D2Entry, ...]) -> bool:
    """Return whether the whole diagram is a sequence diagram."""
    return any(
        entry.path == ("shape",) and entry.value is not None and entry.value.text == "sequence_diagram"
        for entry in entries
    )


def read_d2_sequence(entries: tuple[D2Entry, ...], source: DiagramSource) -> dict[str, Any]:
    """Return the data of a space-time diagram."""
    reader = _D2SequenceReader(source)
    reader.read_entries(entries)
    return reader.make_data()


class _D2SequenceReader:
    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._parts = SequenceParts(source)
        self._names: dict[str, str] = {}  # actors by their names in lowercase
        self._spans: dict[tuple[str, str], tuple[Fraction, Fraction, int]] = {}

    def make_data(self) -> dict[str, Any]:
        """Return the data, with an activation for each span."""
        for (name, _), (start, end, offset) in sorted(self._spans.items(), key=lambda pair: pair[1][:2]):
            self._parts.add_activation(name, start, end, offset)
        return self._parts.make_data()

    def read_entries(self, entries: tuple[D2Entry, ...]) -> None:
        """Read the entries of the diagram or of a group."""
        for entry in entries:
            if entry.connections:
                self._read_messages(entry)
            elif entry.path[0].lower() in _ATTRIBUTES:
                if entry.path != ("shape",):
                    self._source.report(f"unsupported attribute {quote('.'.join(entry.path))}", entry.offset)
            elif any(each.connections for each in entry.entries):
                self._read_group(entry)
            else:
                self._read_actor(entry)

    def _read_group(self, entry: D2Entry) -> None:
        label = read_d2_label(entry.value, self._source) if entry.value else escape_dollars(entry.path[-1])
        self._parts.open_region(entry.offset, label=label)
        self.read_entries(entry.entries)
        self._parts.close_region()

    def _read_actor(self, entry: D2Entry) -> None:
        """Read an actor, a note of an actor, or an attribute of one."""
        name = self._find_name(entry.path[0])
        label = read_d2_label(entry.value, self._source) if entry.value else None
        inner = [step for step in entry.path[1:] if step.lower() in _ATTRIBUTES]
        if len(entry.path) == 1:
            self._parts.add_lifeline(name, entry.offset, label)
            self._report_attributes(entry.entries)
        elif inner == ["label"]:
            self._parts.add_lifeline(name, entry.offset, label)
        elif inner:
            self._report_attributes((replace(entry, path=entry.path[1:]),))
        else:
            self._parts.add_lifeline(name, entry.offset)
            self._parts.add_note(name, entry.offset, label or escape_dollars(entry.path[-1]))

    def _report_attributes(self, entries: tuple[D2Entry, ...]) -> None:
        for path, leaf in list_leaves(entries):
            self._source.report(f"unsupported attribute {quote(path)} of an actor", leaf.offset)

    def _find_name(self, name: str) -> str:
        return self._names.setdefault(name.lower(), name)

    def _read_messages(self, entry: D2Entry) -> None:
        if entry.index is not None:
            self._source.report("change of a message", entry.offset, "write the attributes at the message")
            return
        label = read_d2_label(entry.value, self._source) if entry.value else ""
        look, inner_label = read_look(list_leaves(entry.entries), self._source)
        if look.keys() - {"dash"}:
            self._source.report("style of a message", entry.offset)
        fields = {"reply": True} if "dash" in look else {}
        for each in entry.connections:
            ends = [each.source, each.target] if each.arrow != "<-" else [each.target, each.source]
            if each.arrow in ("--", "<->"):
                self._source.report(f"message {quote(each.arrow)}", entry.offset, "use -> or <-")
            for path in (each.source, each.target):
                self._parts.add_lifeline(self._find_name(path[0]), entry.offset)
            source, target = (self._find_name(path[0]) for path in ends)
            begin = self._parts.next_time
            text = label if inner_label is None else inner_label
            self._parts.add_message(source, target, entry.offset, text, **fields)
            for name, path, time in zip((source, target), ends, (begin, self._parts.last_time), strict=True):
                self._extend_span(name, path[1:], time, entry.offset)

    def _extend_span(self, name: str, path: tuple[str, ...], time: Fraction, offset: int) -> None:
        """Extend the span of an actor to the time of a message."""
        if not path:
            return
        if len(path) > 1:
            self._source.report("span inside a span", offset, "use one span of an actor at a time")
        key = (name, path[0])
        start, end, begin = self._spans.get(key, (time, time, offset))
        self._spans[key] = (min(start, time), max(end, time), begin)
