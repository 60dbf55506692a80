"""Read the text of a description from a file or from standard input, and refuse what cannot be one."""

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
from tikzgen.base.read_files import MAX_BYTES, may_name, note_file, open_file, read_named
from tikzgen.base.suggest import nearest

NOT_TEXT = pattern_of("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


PIPED_NAME = "<stdin>"
_piped = PIPED_NAME  # a process has one standard input, in all of its threads


@contextmanager
def stdin_called(name: str) -> Iterator[None]:
    """Meanwhile, what comes through standard input is taken for the file of this name, there or not."""
    global _piped
    _piped = name
    try:
        yield
    finally:
        _piped = PIPED_NAME


def stdin_name() -> str:
    """What standard input is called in messages, and whose folder counts for it."""
    return _piped


def stands_in_a_folder(name: str) -> bool:
    """Whether a description of this name is a spec in a file: what is configured in its folder counts for it."""
    return not name.endswith(".tex") and not name.startswith("<") and (Path(name).is_file() or name == stdin_name())


def read_text(source: str | Path, *, stdin: BinaryIO | None = None) -> tuple[str, str]:
    """Read a file, or standard input where `source` is `-`, as UTF-8; give the text and the name to use in messages.

    Raises `FileRefused` for a file that cannot be read, `SpecError` for one that is too large or no text.
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
    """Whether a file is a pipe from another program of the same command line, as `<(…)` makes one: it is waited for."""
    return S_ISFIFO(facts.st_mode) and name.startswith(("/dev/fd/", "/proc/"))


def read_named_text(name: str, by: Path) -> tuple[str, str]:
    """Read the file that the file `by` names, as seen from there; give its text, and its name to use in messages.

    `NamedFileRefused` where it may not be read, `SpecError` for one that is no text.
    """
    shown = str(by.parent / name)
    return decode(read_named(name, by), shown), shown


def missing_file(path: Path, *, alone: bool) -> FileMissing:
    """That a file of a command line is not there; one that is not `alone` may be meant as the file to write."""
    if alone or path.suffix not in _OUTPUT_SUFFIXES:
        return no_such_file(path)
    return FileMissing(f"{path}: there is no such file", hint=f"-o {path} names the file to write")


def no_such_file(missing: Path) -> FileMissing:
    """That a file is not there, with the one beside it that was meant, or how a spec is begun."""
    hint = "`tikzgen new RECIPE` writes a spec" if missing.suffix in SUFFIXES else ""
    with suppress(OSError, ValueError):
        beside = sorted(file.stem for file in missing.parent.iterdir() if file.suffix == missing.suffix)
        if meant := nearest(missing.stem, beside):
            hint = f"did you mean {quote(str(missing.with_stem(meant)))}?"
    return FileMissing(f"{missing}: there is no such file", hint=hint)


def _read_bytes(stream: BinaryIO, name: str) -> bytes:
    data = stream.read(MAX_BYTES + 1)  # a pipe has no size to ask for
    if len(data) > MAX_BYTES:
        _refuse_size(name)
    return data


def _refuse_size(name: str) -> None:
    message = f"is larger than {MAX_BYTES // 1_000_000} MB, which no spec needs"
    raise SpecError([Problem(message, place=Place(name), hint="describe the figure in fewer parts")])


def decode(data: bytes, name: str) -> str:
    """UTF-8 to text, without a byte order mark and with line feeds only."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        message = f"not UTF-8: byte 0x{data[error.start]:02X} at position {error.start}"
        raise SpecError([Problem(message, place=_place_of_end(before, name), hint="save the file as UTF-8")]) from None
    return check_text(text, name)


def check_text(text: str, name: str) -> str:
    """Refuse control characters, and give the text without a byte order mark and with line feeds only."""
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
_COMPANION_SUFFIXES = (".meta.json", ".schema.json", ".contract.json", "pyproject.toml", "tikzgen.toml")
# A spec names its recipe, lists its panels, or takes them over, at the top level.
_NAMES = "recipe|panels|extends"
_SPEC = pattern_of(rf"""^(?:(?:[ \t]*[{{,][ \t]*)?["']?(?:{_NAMES})["']?[ \t]*[:=]|\[\[panels\]\])""", re.MULTILINE)
_BEGINNING_BYTES = 64 * 1024
_HEAD_BYTES = 4096


def specs_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """The specs of a folder by name, and the YAML and JSON files beside them that are something else.

    A link that leads out of the project is something else: nobody named what it leads to.
    """
    candidates = sorted(file for file in folder.iterdir() if may_be_spec(file) and file.is_file())
    specs = [file for file in candidates if may_name(Path(os.path.realpath(file)), file) and looks_like_spec(file)]
    return specs, [file for file in candidates if file not in specs]


def may_be_spec(file: Path) -> bool:
    """Whether its name lets it be one: what stands beside figures does not."""
    return file.suffix.lower() in SUFFIXES and not file.name.endswith(_COMPANION_SUFFIXES)


def looks_like_spec(file: Path) -> bool:
    """Whether `recipe:`, `panels:` or `extends:` stands at the top level of the file's beginning."""
    pattern = re.compile(rf'"(?:{_NAMES})"\s*:') if file.suffix.lower() == ".json" else _SPEC
    return begins(file, lambda head: pattern.search(head) is not None)


def stands_alone(file: Path) -> bool:
    """Whether a .tex begins as a figure does that is compiled by itself."""
    return begins(file, lambda head: "{standalone}" in head[:_HEAD_BYTES])


def begins(file: Path, so: Callable[[str], bool]) -> bool:
    """Whether a file's beginning is so; one that cannot be read counts, for reading it says what is wrong."""
    try:
        with file.open("rb") as opened:
            return so(opened.read(_BEGINNING_BYTES).decode("utf-8", "replace"))
    except OSError:
        return True


def refuse_spec(path: Path) -> None:
    """`FileRefused` for a spec, a table, a trace or a folder where the .tex of a figure is asked for."""
    if path.is_dir():
        raise FileRefused(f"{path}: is a folder, not a figure", hint="name a .tex in it")
    if path.name.lower().endswith(_TRACE_SUFFIXES) and path.is_file():
        way = f"`tikzgen trace show {path.name}` looks into a trace, `tikzgen check {path.name}` at a schedule"
        raise FileRefused(f"{path}: is data, not a figure", hint=way)
    if may_be_spec(path) and path.is_file() and looks_like_spec(path):
        way = f"`tikzgen render {path.name}` writes {path.with_suffix('.tex').name}; name that"
        raise FileRefused(f"{path}: is a spec, not a figure", hint=way)


def find_specs(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files, with the specs in their place where folders are; and what was passed over there.

    `FileMissing` for one that is not there and is called as what is written, before anything is.
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
    """Refuse two files that would become one."""
    owners: dict[Path, Path] = {}
    for file, target in targets:
        owner = owners.setdefault(target.absolute(), file)
        if owner != file:
            hint = "rename one, or build them one by one with different -o"
            raise TikzgenError(f"{owner} and {file} would both become {target}", hint=hint)
