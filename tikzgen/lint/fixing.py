"""Fixes that need no decision: repeated edits of the source, then one write of both files.

`fix` reads a file and fixes it; `Fixed.save` writes the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import unified_diff
from pathlib import Path

from tikzgen.base.errors import TikzgenError
from tikzgen.base.record import Record
from tikzgen.base.write_files import write_files
from tikzgen.emit.figure_files import spelt_metadata
from tikzgen.emit.render_figure import render
from tikzgen.lint.check_figure import broken_written
from tikzgen.lint.inventory.metadata_text import Metadata
from tikzgen.lint.registry import Finding, Fix
from tikzgen.lint.written_tex import FigureFile, read_figure_file, read_written
from tikzgen.spec.embedded_spec import extract_spec
from tikzgen.spec.load_figure import load_from_text
from tikzgen.texfile import Replacement, apply, compute_digest, encode

_FIX_ROUNDS = 10  # maximum number of rounds; one fix may enable another


class Fixed(Record):
    """A figure before and after; `mended` are the findings that were fixed."""

    before: FigureFile
    after: FigureFile
    mended: tuple[Finding, ...]

    @property
    def texts(self) -> tuple[tuple[str, str, str], ...]:
        """Changed files: their names, and their contents before and after."""
        pairs = (
            (self.before.name, self.before.facts.text, self.after.facts.text),
            (self.before.metadata.name, self.before.metadata.text, self.after.metadata.text),
        )
        return tuple(pair for pair in pairs if pair[1] != pair[2])

    def diff(self) -> Iterator[str]:
        """Yield the changes line by line in the format of `patch`, with line ends."""
        for name, before, after in self.texts:
            for line in unified_diff(_split_lines(before), _split_lines(after), name, name):
                yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

    def save(self) -> None:
        """Write the changed files, all or none. Raise `FileRefused` if a file changed since it was read."""
        changes = [(Path(name), encode(before), encode(after)) for name, before, after in self.texts]
        expect = {
            path: compute_digest(before) for path, before, _ in changes if before or str(path) == self.before.name
        }
        write_files({path: after for path, _, after in changes}, expect=expect)


def fix(path: str | Path) -> Fixed:
    """Return a .tex file with its findings fixed, not yet saved. Raise `FileRefused` if it cannot be read."""
    return fix_figure(read_figure_file(Path(path)))


def fix_figure(before: FigureFile) -> Fixed:
    """Fix the findings in a figure that need no decision."""
    now, mended = before, list[Finding]()
    for _ in range(_FIX_ROUNDS):
        chosen = [finding for finding in broken_written(now, packages=True) if finding.fix]
        figure, metadata, used, anew = _choose_edits(chosen)
        if not used:
            break
        text = apply(now.facts.text, figure).text
        told = _render_metadata(text, now.metadata) if anew else _apply_to_metadata(now.metadata, metadata)
        after = read_written(now.name, encode(text), told)
        if len(after.facts.errors) > len(now.facts.errors) or (after.facts.text, told.text) == (
            now.facts.text,
            now.metadata.text,
        ):
            break
        now = after
        mended += used
    return Fixed(before, now, tuple(mended))


def _split_lines(text: str) -> list[str]:
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [line for line in text.split("\n")[-1:] if line]


def _choose_edits(chosen: list[Finding]) -> tuple[list[Replacement], list[Replacement], list[Finding], bool]:
    """Choose edits of figure and metadata that do not overlap, in order.

    Also return the fixed findings, and whether the metadata must be regenerated instead of edited.
    """
    figure: list[Replacement] = []
    metadata: list[Replacement] = []
    used: list[Finding] = []
    anew = any(finding.fix and finding.fix.rewrite for finding in chosen)
    for finding in chosen:
        mending = finding.fix or Fix()
        into = [each for each in mending.metadata if each not in metadata]
        if (anew and into) or not (_is_unclaimed(mending.figure, figure) and _is_unclaimed(into, metadata)):
            continue
        figure += mending.figure
        metadata += into
        used.append(finding)
    return figure, metadata, used, anew


def _is_unclaimed(wanted: Iterable[Replacement], taken: list[Replacement]) -> bool:
    return not any(
        one.span == other.span or (one.span.start < other.span.end and other.span.start < one.span.end)
        for one in wanted
        for other in taken
    )


def _apply_to_metadata(metadata: Metadata, edits: list[Replacement]) -> Metadata:
    return Metadata.parse_file(metadata.name, encode(apply(metadata.text, edits).text)) if edits else metadata


def _render_metadata(text: str, metadata: Metadata) -> Metadata:
    """Render the metadata from the embedded description; keep the old metadata if that is impossible."""
    try:
        made = render(load_from_text(extract_spec(text) or "")).metadata
    except TikzgenError:
        return metadata
    return Metadata.parse_file(metadata.name, spelt_metadata(made).encode())
