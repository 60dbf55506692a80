"""Upgrade of figures: files of earlier versions drawn again, with their manual edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tikzgen.base.errors import EditRefused, FileRefused, TikzgenError, read_error
from tikzgen.base.folders import lock_folder
from tikzgen.base.patterns import pattern_of
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import Record, replace
from tikzgen.base.write_files import write_files
from tikzgen.edit.history import remember
from tikzgen.edit.merge import MergeConflict, Prefer
from tikzgen.edit.refuse_broken_rules import errors_of_figure
from tikzgen.edit.session import Session
from tikzgen.emit.figure_files import meta_path
from tikzgen.spec.earlier_formats import check_format, describe_deprecations
from tikzgen.spec.embedded_spec import TEMPLATES, extract_spec, identity_of, is_manually_edited
from tikzgen.spec.parse_text import parse
from tikzgen.spec.source import refuse_spec, stands_alone
from tikzgen.texfile import as_in, compute_digest, decode, read_source, read_tex

_OPEN_GROUP = "TG201"
_VERSION = pattern_of(r"(\d+)\.(\d+)\.(\d+)")


class Upgrade(Record):
    """A figure of an earlier version and its upgrade, not written yet; both have the same files.

    `before` and `after` map each file of the figure to its data. `operations` are manual edits that the new spec
    expresses, `kept` the other manual edits, with their lines in the old file. `edited_lines` counts changed and added
    lines of the old file. `deprecations` are deprecated forms that it has, with their codes.
    """

    path: Path
    before: dict[Path, bytes]
    after: dict[Path, bytes]
    operations: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    edited_lines: int = 0
    deprecations: tuple[str, ...] = ()

    def save(self) -> None:
        """Write all files of the figure or none; raise `FileRefused` if one changed since it was read.

        `tikzgen edit --undo` restores the old files.
        """
        expected = {path: compute_digest(data) for path, data in self.before.items()}
        with lock_folder(self.path):
            write_files(self.after, expect=expected)
            remember(self.path, {path: (data, self.after[path]) for path, data in self.before.items()})


def plan_upgrade(path: Path, prefer: Prefer = None) -> Upgrade | None:
    """Draw a figure again with its manual edits; return None if the file is current.

    `prefer` resolves conflicts with manual edits. Raise `EditRefused` or `FileRefused` with the reason if the
    file is of another origin or its edits conflict, and `SpecError` for an unreadable spec.
    """
    refuse_spec(path)
    data = read_source(path)
    text = decode(data)
    try:
        session = Session(text, str(path))
    except EditRefused as refused:
        if refused.code == "other-version":
            check_format(parse(extract_spec(text) or "", str(path)))
        raise _refuse(path, refused) from None
    spec = parse(extract_spec(text) or "", str(path)).data
    _refuse_later_version(path, spec)
    if is_manually_edited(text):
        _refuse_open_groups(path, text)
    try:
        if session.is_current:
            return None
        edited = session.result(prefer)
    except EditRefused as refused:
        raise _refuse(path, refused) from None
    if edited.conflicts:
        raise MergeConflict(str(path), edited.conflicts)
    before, after = {path: data}, {path: as_in(data, edited.tex)}
    beside = meta_path(path)
    if beside.exists():
        before[beside] = read_bounded(beside, plain=True)
        after[beside] = session.metadata_text(beside).encode()
    operations, kept = map(tuple, session.manual_edits)
    edited_lines = len(session.edited_lines[0])
    return Upgrade(path, before, after, operations, kept, edited_lines, tuple(describe_deprecations(spec)))


def _refuse(path: Path, refused: EditRefused) -> FileRefused:
    """Return the refusal of an edit as the refusal of an unchanged file."""
    message = refused.message.removeprefix(f"{path}:").strip()
    return FileRefused(f"{path}: not upgraded: {message}", hint=refused.hint)


def _refuse_later_version(path: Path, data: Mapping[str, Any]) -> None:
    """Raise `FileRefused` for a file that a later version wrote, which knows more than this one."""
    identity = identity_of(data)
    numbers = [_VERSION.fullmatch(version) for version in (identity.version if identity else "", TEMPLATES)]
    later, own = ([int(part) for part in found.groups()] if found else [] for found in numbers)
    if later > own:
        message = f"{path}: not upgraded: its templates are of tikzgen {'.'.join(map(str, later))}"
        raise FileRefused(message, hint=f"update tikzgen, whose templates are of {TEMPLATES}")


def _refuse_open_groups(path: Path, text: str) -> None:
    """Raise `FileRefused` for manual edits with an open brace or environment, whose extent is unknown."""
    for finding in errors_of_figure(text, {}).get(_OPEN_GROUP, ()):
        place = replace(finding.place, file=str(path))
        raise FileRefused(f"{place}: not upgraded: {finding.message}", hint=finding.hint)


def find_figures(paths: Iterable[Path]) -> tuple[list[Path], list[Path], list[FileRefused]]:
    """Replace folders by the figures of tikzgen in them.

    Return the files, other figures of the folders, and errors for folders without figures of tikzgen.
    """
    found: list[Path] = []
    others: list[Path] = []
    errors: list[FileRefused] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        try:
            files = sorted(file for file in path.iterdir() if file.suffix == ".tex" and file.is_file())
        except OSError as error:
            errors.append(read_error(path, error))
            continue
        own = [file for file in files if has_spec(file)]
        if not own:
            errors.append(
                FileRefused(f"{path}: no figures of tikzgen here", hint="name a folder of rendered .tex files")
            )
        found += own
        others += [file for file in files if file not in own and stands_alone(file)]
    return list(dict.fromkeys(found)), others, errors


def has_spec(file: Path) -> bool:
    """Return whether a file contains a spec.

    Return True for an unreadable file, since reading it reports the reason.
    """
    try:
        return extract_spec(read_tex(file)) is not None
    except TikzgenError:
        return True
