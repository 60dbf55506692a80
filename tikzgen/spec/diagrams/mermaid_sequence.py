"""Reader of Mermaid sequence diagrams: participants, messages, activations, notes and blocks."""

from __future__ import annotations

import re
from typing import Any

from tikzgen.base.errors import quote
from tikzgen.base.patterns import pattern_of
from tikzgen.spec.diagrams.diagram_source import MAX_LABEL_CHARS, DiagramSource
from tikzgen.spec.diagrams.import_formats import ImportFormat, Syntax
from tikzgen.spec.diagrams.label_text import clean_mermaid_label, is_color
from tikzgen.spec.diagrams.mermaid_lines import (
    MERMAID_SUFFIXES,
    begin_mermaid,
    first_word_of,
    read_mermaid_lines,
    remove_semicolon,
)
from tikzgen.spec.diagrams.sequence_parts import SequenceParts

_ARROW = pattern_of(r"<<-->>|<<->>|-->>|->>|-->|->|--x|-x|--\)|-\)")
_ARROWS: dict[str, dict[str, Any]] = {
    "->>": {},
    "-->>": {"reply": True},
    "-)": {"asynchronous": True},
    "--)": {"asynchronous": True, "reply": True},
    "-x": {"lost": True},
    "--x": {"lost": True, "reply": True},
    "->": {},
    "-->": {"reply": True},
    "<<->>": {},
    "<<-->>": {"reply": True},
}
"""Fields of a message by its arrow."""
_OTHER_HEADS = {
    "->": "a message without head",
    "-->": "a message without head",
    "<<->>": "a message in both directions",
    "<<-->>": "a message in both directions",
}
_WORD = pattern_of(r"[A-Za-z]+\b")
_NOTE = pattern_of(r"(left of|right of|over)[ \t]+([^:\n]+):([^\n]*)", re.IGNORECASE)
_RGB = pattern_of(r"rgba?\(([0-9]{1,3}),([0-9]{1,3}),([0-9]{1,3})(?:,[0-9.]{1,8})?\)")
_COUNT = pattern_of(r"(?:([0-9]{1,6})(?:[ \t]+([0-9]{1,6}))?|off)?[ \t]*$", re.MULTILINE)

_REGIONS = ("loop", "alt", "opt", "par", "critical", "break")
_CASES = {"else": ("alt",), "and": ("par",), "option": ("critical",)}
"""Words that begin another case, and the regions in which they may be."""


class MermaidSequence(ImportFormat):
    """Sequence diagrams of Mermaid: `sequenceDiagram`."""

    phrase = "Mermaid sequenceDiagram"
    suffixes = MERMAID_SUFFIXES
    frame = "sequenceDiagram\nA->>B: begin\n{}\n"
    syntax = (
        Syntax("participant C as Name", "lifeline"),
        Syntax("actor C", "lifeline"),
        Syntax("A->>B: text", "message"),
        Syntax("A-->>B: text", "`reply: true`"),
        Syntax("A-)B: text", "`asynchronous: true`"),
        Syntax("A-xB: text", "`lost: true`"),
        Syntax("A->>A: text", "message to itself"),
        Syntax("A->>+B: text\nB-->>-A: text", "activation of `B`"),
        Syntax("activate B\nA->>B: text\ndeactivate B", "activation of `B`"),
        Syntax("Note left of A: text", "note, `side: left`"),
        Syntax("Note over A,B: text", "note to the right of `A`"),
        Syntax("loop text\nA->>B: x\nend", "region `loop`; also `opt`, `break`"),
        Syntax("alt text\nA->>B: x\nelse text\nA->>B: x\nend", "region with a case"),
        Syntax("par text\nA->>B: x\nand text\nA->>B: x\nend", "region with a case; also `critical` with `option`"),
        Syntax("rect rgb(220, 230, 250)\nA->>B: x\nend", "region with a `color`"),
        Syntax("autonumber\nA->>B: text", "numbers before the labels of messages"),
        Syntax("title text", "`title`"),
        Syntax("A->B: text", "a message with a head", is_taken=False),
        Syntax("A<<->>B: text", "a message in one direction", is_taken=False),
        Syntax("box text\nparticipant C\nend", "lifelines without a box", is_taken=False),
        Syntax("create participant C\nA->>C: x", "a lifeline from the beginning", is_taken=False),
        Syntax("destroy B\nA->>B: x", "a lifeline to the end", is_taken=False),
        Syntax("link A: name @ https://example.org", "nothing", is_taken=False),
    )

    def recognizes_text(self, text: str) -> bool:
        """Return whether the first word is `sequenceDiagram`."""
        return first_word_of(text) == "sequenceDiagram"

    def read_diagram(self, source: DiagramSource) -> dict[str, Any]:
        """Return the data of a space-time diagram."""
        return _SequenceReader(source).read_sequence()


class _SequenceReader:
    def __init__(self, source: DiagramSource) -> None:
        self._source = source
        self._cursor, self._about = begin_mermaid(source)
        self._parts = SequenceParts(source)
        self._words: list[str] = []  # words of the open blocks
        self._number: int | None = None
        self._number_step = 1

    def read_sequence(self) -> dict[str, Any]:
        """Read all statements."""
        read_mermaid_lines(self._cursor, self._about, self._read_statement, separator=";")
        if self._words:
            begin = self._parts.open_offset
            self._source.refuse(f"{quote(self._words[-1])} is not closed", begin, 'end it with a line "end"')
        return self._about.make_fields() | self._parts.make_data()

    def _read_statement(self) -> None:
        cursor = self._cursor
        begin = cursor.at
        word = _WORD.match(cursor.text, begin, cursor.end)
        name = word[0] if word else ""
        rest_at = begin + len(name)
        rest = remove_semicolon(cursor.text[rest_at : cursor.find_line_end()])
        if rest and rest[0] not in " \t:":
            name = ""
        rest = rest.strip()
        if name in ("participant", "actor"):
            self._read_participant(rest, rest_at)
        elif name in ("create", "destroy"):
            self._source.report(f"unsupported statement {quote(name)}", begin)
            if name == "create":
                self._read_participant(rest.partition(" ")[2].strip(), rest_at)
        elif name in ("activate", "deactivate"):
            self._change_activation(name == "activate", self._read_name(rest, rest_at), rest_at)
        elif name.lower() == "note":
            self._read_note(rest_at)
        elif name == "end" and not rest:
            if not self._words:
                self._source.reject('"end" without a block', begin, "remove it")
            self._words.pop()
            self._parts.close_region()
        elif name in _REGIONS or name in ("rect", "box"):
            self._open_block(name, rest, begin)
        elif name in _CASES:
            if not self._words or self._words[-1] not in _CASES[name]:
                self._source.reject(f"{quote(name)} outside of {quote(_CASES[name][0])}", begin, "move it into one")
            self._parts.add_case(begin, self._make_guard(rest, begin))
        elif name == "autonumber":
            self._read_numbering(rest, begin)
        elif name in ("link", "links", "properties", "details"):
            self._source.report(f"unsupported statement {quote(name)}", begin)
        else:
            self._read_message(begin)

    def _read_name(self, text: str, offset: int) -> str:
        """Return the name of a participant."""
        if not text or len(text) > MAX_LABEL_CHARS:
            self._source.reject("expected the name of a participant", offset, "write A->>B: text")
        return text

    def _clean_text(self, text: str, offset: int) -> str:
        return clean_mermaid_label(text[:MAX_LABEL_CHARS], self._source, offset)

    def _make_guard(self, text: str, offset: int) -> str:
        label = self._clean_text(text, offset)
        return f"[{label}]" if label else ""

    def _read_participant(self, text: str, offset: int) -> None:
        name, _, label = text.partition(" as ")
        name, brace, _ = name.partition("@{")
        if brace:
            self._source.report("unsupported type of a participant", offset)
        name = self._read_name(name.strip(), offset)
        self._parts.add_lifeline(name, offset, self._clean_text(label, offset) if label.strip() else None)

    def _change_activation(self, begins: bool, name: str, offset: int) -> None:
        self._parts.add_lifeline(name, offset)
        if begins:
            self._parts.start_activation(name, offset)
        else:
            self._parts.end_activation(name, offset)

    def _read_note(self, offset: int) -> None:
        cursor = self._cursor
        cursor.at = offset
        cursor.skip_spaces()
        found = cursor.match(_NOTE)
        if found is None:
            self._source.reject("cannot read the note", offset, 'write "Note right of A: text"')
        names = [name.strip() for name in found[2].split(",")]
        side = {"left of": "left", "right of": "right"}.get(found[1].lower(), "right" if len(names) > 1 else "auto")
        for name in names:
            self._parts.add_lifeline(self._read_name(name, found.start(2)), found.start(2))
        text = self._clean_text(found[3], found.start(3))
        if not text:
            self._source.reject("the note has no text", found.start(3), "write a text after the colon")
        self._parts.add_note(names[0], offset, text, side)

    def _open_block(self, name: str, rest: str, begin: int) -> None:
        fields: dict[str, Any] = {}
        if name == "rect":
            fields = {"color": self._read_color(rest, begin)}
        elif name == "box":
            self._source.report('unsupported statement "box"', begin)
        else:
            guard = self._make_guard(rest, begin)
            fields = {"label": name, **({"guard": guard} if guard else {})}
        self._words.append(name)
        self._parts.open_region(begin, is_drawn=name != "box", **fields)

    def _read_color(self, text: str, offset: int) -> str:
        """Return the color of `rect`: a name, digits, or `rgb(…)`."""
        found = _RGB.fullmatch(re.sub(r"[ \t]", "", text[:MAX_LABEL_CHARS]))
        if found and all(int(part) < 256 for part in found.groups()):
            return "#" + "".join(f"{int(part):02x}" for part in found.groups())
        if not is_color(text):
            self._source.report(f"unknown color {quote(text)}", offset, "write rgb(220, 230, 250)")
            return "otgray"
        return text

    def _read_numbering(self, rest: str, begin: int) -> None:
        found = _COUNT.fullmatch(rest)
        if found is None:
            self._source.reject("cannot read the numbering", begin, 'write "autonumber 10 5"')
        self._number = None if rest == "off" else int(found[1] or 1)
        self._number_step = int(found[2] or 1)

    def _read_message(self, begin: int) -> None:
        line = self._cursor.text[begin : self._cursor.find_line_end()]
        head, _, text = line.partition(":")
        arrow = _ARROW.search(head)
        if arrow is None:
            words = line[:MAX_LABEL_CHARS].strip()
            self._source.reject(f"unknown statement {quote(words)}", begin, 'a message is "A->>B: text"')
        after = head[arrow.end() :].strip(" \t;")
        sign = after[:1] if after[:1] in ("+", "-") else ""
        source = self._read_name(head[: arrow.start()].strip(), begin)
        target = self._read_name(after[len(sign) :].strip(), begin)
        if arrow[0] in _OTHER_HEADS:
            self._source.report(_OTHER_HEADS[arrow[0]], begin + arrow.start(), "use ->> or -->>")
        label = self._clean_text(remove_semicolon(text), begin + len(head) + 1)
        if self._number is not None:
            label = f"{self._number}: {label}" if label else str(self._number)
            self._number += self._number_step
        self._parts.add_message(source, target, begin, label, **_ARROWS[arrow[0]])
        if sign:
            self._change_activation(sign == "+", target if sign == "+" else source, begin)
