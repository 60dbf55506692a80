"""A figure as written: the subject of rules that read a .tex."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from tikzgen.base.errors import Place, TikzgenError
from tikzgen.base.record import Record, WithCache
from tikzgen.emit.contract_for_programs import Contract, find_contract
from tikzgen.lint.drawn_bars import SpanOnPaper, find_bars
from tikzgen.lint.inventory.hand_edits import lines_by_hand
from tikzgen.lint.inventory.inventory_facts import Inventory, Origin
from tikzgen.lint.inventory.metadata_text import Metadata, metadata_of
from tikzgen.lint.inventory.take_inventory import take
from tikzgen.model.looks import PALETTES
from tikzgen.spec.embedded_spec import digest_of_metadata, identity_of, rows_of, split_file
from tikzgen.texfile import Definition, Facts, TextSpan, decode, read_source, scan


def names_palette(facts: Facts) -> bool:
    """Return whether a file names a color of tikzgen's palette."""
    return any(color.name in PALETTES["light"] for color in facts.colors if color.name.startswith("ot"))


class FigureFile(WithCache, Record):
    """A .tex file: parsed source, inventory, metadata file, and contract of a third-party figure."""

    name: str
    facts: Facts
    inventory: Inventory
    metadata: Metadata
    contract: Contract | None = None

    def place_of(self, at: int) -> Place:
        """Return the location of an offset of the text."""
        return self.facts.place_of(at, self.name)

    @property
    def has_description(self) -> bool:
        """Whether a description is embedded, valid or not."""
        return self.inventory.origin != Origin()

    @property
    def parameters(self) -> tuple[Definition, ...]:
        """Parameters between the marks; empty without marks."""
        return self.facts.parameters.parameters if self.facts.parameters else ()

    @cached_property
    def has_palette(self) -> bool:
        """Whether it names a color of tikzgen's palette; otherwise, colors in its preamble are its own."""
        return names_palette(self.facts)

    @property
    def is_tikzgen_figure(self) -> bool:
        """Whether tikzgen's conventions for colors and names apply: third-party drawings have others."""
        return self.has_palette or self.metadata.data is not None or self.has_description

    @property
    def has_spans(self) -> bool:
        """Whether the figure draws spans: as nodes, or as rows of a large timeline."""
        facts = self.facts
        return "\\row" in facts.uses or any(style.name.endswith(("span", "fused")) for style in facts.styles)

    @cached_property
    def bars(self) -> tuple[SpanOnPaper, ...]:
        """Spans that it draws."""
        return find_bars(self.facts) if self.has_spans else ()

    @property
    def changed_lines(self) -> frozenset[int]:
        """Lines that differ from tikzgen's output; all lines if the file does not record that output."""
        return self._lines[0]

    @property
    def lost_lines(self) -> bool:
        """Whether lines that tikzgen wrote are missing."""
        return self._lines[1]

    @cached_property
    def _lines(self) -> tuple[frozenset[int], bool]:
        if self.inventory.origin.untouched:
            return frozenset(), False
        rows = rows_of(split_file(self.facts.text.removeprefix("\ufeff").replace("\r\n", "\n"))[0])
        identity = identity_of(self.inventory.description or {})
        return lines_by_hand(identity.lines if identity else (), rows)

    @property
    def as_drawn(self) -> bool:
        """Whether the file equals tikzgen's output and has no timeline: its description needs no check."""
        return self.inventory.own and self.inventory.origin.untouched and not self.has_spans

    @property
    def metadata_written(self) -> bool:
        """Whether the metadata equal the metadata that tikzgen wrote with the figure."""
        recorded = identity_of(self.inventory.description or {})
        return recorded is not None and recorded.metadata == digest_of_metadata(self.metadata.text)

    @cached_property
    def bounds(self) -> dict[str, list[tuple[float | None, float | None]]]:
        """Bounds of each parameter, by macro, according to the contract for programs."""
        values = {}
        for each in self.parameters:
            with suppress(ValueError):
                values[each.name] = float(each.value)
        found = self.contract.parameters if self.contract else {}
        return {name: [(each.find_least(values), each.most)] for name, each in found.items()}

    @cached_property
    def body(self) -> int:
        r"""Offset of `\begin{document}`; 0 in a file without it, which other files include."""
        return max(self.facts.code.mask.find(r"\begin{document}"), 0)

    @cached_property
    def shielded_spans(self) -> tuple[TextSpan, ...]:
        r"""Spans from which definitions do not leak: pictures, bodies of macros, `\begingroup` to `\endgroup`."""
        facts = self.facts
        found = [*facts.shelters]
        marks = [(span.start, 1) for span in facts.uses.get("\\begingroup", ())]
        marks += [(span.start, -1) for span in facts.uses.get("\\endgroup", ())]
        depth, begin = 0, 0
        for at, step in sorted(marks):
            if depth == 0 and step > 0:
                begin = at
            if depth == 1 and step < 0:
                found.append(TextSpan(begin, at))
            depth = max(depth + step, 0)
        if depth:
            found.append(TextSpan(begin, len(facts.text)))
        return tuple(found)

    def is_leaking(self, at: int) -> bool:
        """Return whether a definition at this offset is visible to a paper that includes the figure.

        Definitions in the preamble of a third-party figure do not count, because a paper does not include the
        preamble.
        """
        return (self.is_tikzgen_figure or at >= self.body) and not any(
            start <= at < end for start, end in self.shielded_spans
        )


def read_figure_file(path: Path) -> FigureFile:
    """Read a figure and its metadata file. Raise `FileRefused` if the figure cannot be read."""
    return read_written(str(path), read_source(path), metadata_of(path))


def read_written(name: str, data: bytes, metadata: Metadata, floors: Mapping[str, float] | None = None) -> FigureFile:
    """Return a figure from the bytes of its file; `floors` are the lower bounds of its distances, if known."""
    facts = scan(decode(data))
    inventory = take(data, name, facts=facts, metadata=metadata, edits_too=False, floors=floors)
    return FigureFile(name, facts, inventory, metadata, None if inventory.own else _find_contract(name, facts))


def _find_contract(name: str, facts: Facts) -> Contract | None:
    """Return the contract of a third-party figure; None without a valid one."""
    path = Path(name)
    try:
        found = find_contract(path if path.suffix == ".tex" else None, facts)
    except TikzgenError:
        return None
    return found[1] if found else None
