"""Text of descriptions from files or standard input, and search for specs in folders."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from stat import S_ISFIFO
from typing import BinaryIO

from tikzgen.base.child import pause_clock
from tikzgen.base.errors import FileMissing, FileRefused, Place, Problem, SpecError, TikzgenError, quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.read_files import COMPANION_SUFFIXES, MAX_BYTES, may_name, note_file, open_file, read_named
from tikzgen.base.suggest import find_similar_name
from tikzgen.spec.diagrams.import_formats import is_diagram

NOT_TEXT = pattern_of("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


PIPED_NAME = "<stdin>"
_piped = PIPED_NAME  # global: a process has one standard input for all threads


@contextmanager
def stdin_called(name: str) -> Iterator[None]:
    """Treat standard input as the file of this name, which need not exist, inside the context."""
    global _piped
    _piped = name
    try:
        yield
    finally:
        _piped = PIPED_NAME


def stdin_name() -> str:
    """Return the name of standard input, for messages and for its folder."""
    return _piped


def stands_in_a_folder(name: str) -> bool:
    """Return whether a description of this name is a spec in a file.

    The configuration of its folder applies to such a spec.
    """
    return not name.endswith(".tex") and not name.startswith("<") and (Path(name).is_file() or name == stdin_name())


def read_text(source: str | Path, *, stdin: BinaryIO | None = None) -> tuple[str, str]:
    """Read a file, or standard input if `source` is `-`, as UTF-8; return the text and its name for messages.

    Raise `FileRefused` for an unreadable file, `SpecError` for one that is too large or not text.
    """
    if str(source) == "-":
        name = stdin_name()
        with pause_clock():
            data = _read_bytes(stdin or sys.stdin.buffer, name)
        return decode(data, name), name
    name = str(source)
    try:
        facts = Path(source).stat()
        if facts.st_size > MAX_BYTES:
            _refuse_size(name)
        with pause_clock() if _is_substituted(facts, name) else nullcontext(), open_file(Path(source)) as stream:
            data = _read_bytes(stream, name)
        note_file(Path(source), data)
        return decode(data, name), name
    except FileNotFoundError:
        note_file(Path(source))
        raise no_such_file(Path(source)) from None
    except IsADirectoryError:
        raise FileRefused(f"{name}: is a folder, not a file", hint=f"name files in it: {name}/*.yaml") from None
    except PermissionError:
        raise FileRefused(f"{name}: may not be read", hint="check its permissions") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise FileRefused(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _is_substituted(facts: os.stat_result, name: str) -> bool:
    """Return whether a file is a pipe of process substitution, `<(…)`, whose data may take any time."""
    return S_ISFIFO(facts.st_mode) and name.startswith(("/dev/fd/", "/proc/"))


def read_named_text(name: str, by: Path) -> tuple[str, str]:
    """Read a file named in the file `by`, relative to its folder; return its contents and display name.

    Raise `NamedFileRefused` if it must not be read, `SpecError` if it is not text.
    """
    shown = str(by.parent / name)
    return decode(read_named(name, by), shown), shown


def missing_file(path: Path, *, alone: bool) -> FileMissing:
    """Return the error for a missing file of the command line.

    If the file is not `alone`, it may be intended as the output file.
    """
    if alone or path.suffix not in _OUTPUT_SUFFIXES:
        return no_such_file(path)
    return FileMissing(f"{path}: file not found", hint=f"to write it: -o {path}")


def no_such_file(missing: Path) -> FileMissing:
    """Return the error for a missing file, with a similar name or the command for a new spec as the hint."""
    hint = "`tikzgen new RECIPE` writes a spec" if missing.suffix in SUFFIXES else ""
    with suppress(OSError, ValueError):
        beside = sorted(file.stem for file in missing.parent.iterdir() if file.suffix == missing.suffix)
        if meant := find_similar_name(missing.stem, beside):
            hint = f"did you mean {quote(str(missing.with_stem(meant)))}?"
    return FileMissing(f"{missing}: file not found", hint=hint)


def _read_bytes(stream: BinaryIO, name: str) -> bytes:
    data = stream.read(MAX_BYTES + 1)  # the size of a pipe is unknown
    if len(data) > MAX_BYTES:
        _refuse_size(name)
    return data


def _refuse_size(name: str) -> None:
    message = f"is larger than {MAX_BYTES // 1_000_000} MB, which no spec needs"
    raise SpecError([Problem(message, place=Place(name), hint="describe the figure in fewer parts")])


def decode(data: bytes, name: str) -> str:
    """Decode UTF-8, without a byte order mark and with line feeds only."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        message = f"not UTF-8: byte 0x{data[error.start]:02X} at position {error.start}"
        raise SpecError([Problem(message, place=_place_of_end(before, name), hint="save the file as UTF-8")]) from None
    return check_text(text, name)


def check_text(text: str, name: str) -> str:
    """Return the text without a byte order mark and with line feeds only; reject control characters.

    Raise `SpecError` for them, and if the text is too large.
    """
    if len(text) > MAX_BYTES:
        _refuse_size(name)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if found := NOT_TEXT.search(text):
        message = f"the character U+{ord(found[0]):04X} is not allowed"
        place = _place_of_end(text[: found.start()], name)
        raise SpecError([Problem(message, place=place, hint="remove it")])
    return text


def _place_of_end(before: str, name: str) -> Place:
    text = before.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return Place(name, text.count("\n") + 1, len(text) - text.rfind("\n"))


SUFFIXES = (".yaml", ".yml", ".json", ".toml")
"""The endings of files that are read as specs."""
_OUTPUT_SUFFIXES = (".tex", ".pdf", ".png", ".svg")
_TRACE_SUFFIXES = (".csv", ".tsv", ".gz", ".json.zst", ".sqlite", ".db", ".nsys-rep")
_NO_SPECS = (*COMPANION_SUFFIXES, "pyproject.toml", "tikzgen.toml")
# The top level of a spec has its recipe, its panels, or `extends`.
_NAMES = "recipe|panels|extends"
_SPEC = pattern_of(rf"""^(?:(?:[ \t]*[{{,][ \t]*)?["']?(?:{_NAMES})["']?[ \t]*[:=]|\[\[panels\]\])""", re.MULTILINE)
_BEGINNING_BYTES = 64 * 1024
_HEAD_BYTES = 4096


def specs_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the specs of a folder by name, and its other YAML and JSON files.

    A link to a target outside of the project counts as another file, because no user named its target.
    """
    candidates = sorted(file for file in folder.iterdir() if may_be_spec(file) and file.is_file())
    specs = [file for file in candidates if may_name(Path(os.path.realpath(file)), file) and looks_like_spec(file)]
    return specs, [file for file in candidates if file not in specs]


def may_be_spec(file: Path) -> bool:
    """Return whether the name of a file permits a spec; companion files of figures are excluded."""
    return file.suffix.lower() in SUFFIXES and not file.name.endswith(_NO_SPECS)


def looks_like_spec(file: Path) -> bool:
    """Return whether `recipe:`, `panels:` or `extends:` is at the top level of the beginning of a file."""
    pattern = re.compile(rf'"(?:{_NAMES})"\s*:') if file.suffix.lower() == ".json" else _SPEC
    return has_matching_beginning(file, lambda head: pattern.search(head) is not None)


def stands_alone(file: Path) -> bool:
    """Return whether a .tex begins like a figure that is compiled separately."""
    return has_matching_beginning(file, lambda head: "{standalone}" in head[:_HEAD_BYTES])


def has_matching_beginning(file: Path, so: Callable[[str], bool]) -> bool:
    """Return whether `so` accepts the beginning of a file.

    Return True for an unreadable file, since reading it reports the reason.
    """
    try:
        with file.open("rb") as opened:
            return so(opened.read(_BEGINNING_BYTES).decode("utf-8", "replace"))
    except OSError:
        return True


def refuse_spec(path: Path) -> None:
    """Raise `FileRefused` for a spec, a diagram, a table, a trace or a folder in place of the .tex of a figure."""
    if path.is_dir():
        raise FileRefused(f"{path}: is a folder, not a figure", hint="name a .tex in it")
    if path.name.lower().endswith(_TRACE_SUFFIXES) and path.is_file():
        way = f"`tikzgen trace show {path.name}` looks into a trace, `tikzgen check {path.name}` at a schedule"
        raise FileRefused(f"{path}: is data, not a figure", hint=way)
    if is_diagram(path.name) and path.is_file():
        tex = path.with_suffix(".tex").name
        way = f"`tikzgen render {path.name}` writes {tex}, `tikzgen import {path.name}` a spec; name {tex}"
        raise FileRefused(f"{path}: is a diagram, not a figure", hint=way)
    if may_be_spec(path) and path.is_file() and looks_like_spec(path):
        way = f"`tikzgen render {path.name}` writes {path.with_suffix('.tex').name}; name that"
        raise FileRefused(f"{path}: is a spec, not a figure", hint=way)


def find_specs(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Replace folders by their specs; return the files, and the skipped files of folders.

    Raise `FileMissing` for a missing file with the suffix of an output, before any output is written.
    """
    files, skipped = [], []
    for path in paths:
        if path.suffix in _OUTPUT_SUFFIXES and len(paths) > 1 and not os.path.lexists(path):
            raise missing_file(path, alone=False)
        if path.is_dir():
            specs, others = specs_in(path)
            if not specs:
                raise FileRefused(f"{path}: no specs here", hint="`tikzgen new RECIPE` writes one")
            files += specs
            skipped += others
        else:
            files.append(path)
    return list(dict.fromkeys(files)), skipped


def refuse_twins(targets: Iterable[tuple[Path, Path]]) -> None:
    """Raise `TikzgenError` for two files with the same output."""
    owners: dict[Path, Path] = {}
    for file, target in targets:
        owner = owners.setdefault(target.absolute(), file)
        if owner != file:
            hint = "rename one, or build each with its own -o"
            raise TikzgenError(f"{owner} and {file} would both write {target}", hint=hint)
