"""Goldens that differ from the current output: found, listed on the page, and written after a review.

A golden is a file, or a section of one ("tests/goldens/digests.txt#ring"): a section begins with a line "==== ring".
The report redraws pictures. Failed tests write other output to `build/received`, under the name of the golden.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path

from pictures.sides import ReportError, draw_tree, sources_in
from tikzgen.serve.pictures.compare import DrawnSide, text_diff, without_records

__all__ = [
    "RECEIVED",
    "Pending",
    "accept",
    "body_of",
    "digest_line",
    "pending_goldens",
    "read_golden",
    "save_page_state",
    "sections_of",
    "stray_goldens",
]

RECEIVED = Path("build/received")
_GOLDENS = Path("tests/goldens")
_DIGESTS = _GOLDENS / "digests.txt"
_BESIDE = ("marks", "timelines")  # kinds of cases with a golden .tex in their folder
_CODE = ("tikzgen", "templates")
_SECTION = re.compile(r"^==== (.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Pending:
    """A golden that waits for acceptance, with its old and new contents; None means no file.

    `name` is the figure, or the path of a golden. `problem` is the reason if it cannot be accepted.
    """

    name: str
    slot: str
    old: bytes | None
    new: bytes | None
    problem: str = ""

    @property
    def path(self) -> Path:
        return Path(self.slot.partition("#")[0])

    @property
    def is_record_only(self) -> bool:
        """Whether the contents differ only in hashes of the file itself."""
        if self.old is None or self.new is None or self.path.suffix != ".tex":
            return False
        return without_records(self.old.decode()) == without_records(self.new.decode())

    @property
    def difference(self) -> str:
        """Text difference, or the sizes of binary data."""
        try:
            return text_diff((self.old or b"").decode(), (self.new or b"").decode())
        except UnicodeDecodeError:
            return f"@@ not text: {len(self.old or b'')} bytes before, {len(self.new or b'')} bytes now @@"

    @property
    def mark(self) -> list[str]:
        """Digests of both contents, which identify the version on the page."""
        return ["" if data is None else sha256(data).hexdigest() for data in (self.old, self.new)]


def body_of(tex: str) -> str:
    """Return a file without its embedded spec, which is the source of the case."""
    return tex.partition("% tikzgen spec")[0]


def digest_line(tex: str, metadata: str) -> str:
    """Return the digests of the file and of the metadata of an example, as in the table of digests."""
    return " ".join(sha256(text.encode()).hexdigest()[:16] for text in (without_records(tex), metadata)) + "\n"


def pending_goldens(root: Path, drawn: Mapping[str, DrawnSide], received: bool = True) -> list[Pending]:
    """Return goldens that differ from drawn figures, and output of failed tests, sorted by name."""
    own = [
        Pending(name, slot, read_golden(root, slot), new)
        for name, each in drawn.items()
        if not each.error
        for slot, new in _goldens_of(root, name, each)
    ]
    texts = _received_texts(root, {each.slot for each in own}) if received else ()
    return [each for each in (*own, *texts) if each.old != each.new]


def _goldens_of(root: Path, name: str, drawn: DrawnSide) -> Iterator[tuple[str, bytes]]:
    """Yield the goldens of a figure.

    An example has its digests, and its existing golden files. A case has its file.
    """
    kind, _, stem = name.partition("/")
    if kind in _BESIDE:
        yield str(Path("tests/cases", kind, f"{stem}.tex")), body_of(drawn.tex).encode()
    if kind == "examples":
        yield f"{_DIGESTS}#{stem}", digest_line(drawn.tex, drawn.metadata).encode()
        for suffix, text in ((".tex", drawn.tex), (".meta.json", drawn.metadata)):
            if (root / _GOLDENS / f"{stem}{suffix}").exists():
                yield str(_GOLDENS / f"{stem}{suffix}"), text.encode()


def _received_texts(root: Path, drawn: set[str]) -> Iterator[Pending]:
    folder = root / RECEIVED
    newest = max((file.stat().st_mtime for file in _code(root)), default=0.0)
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        slot = file.relative_to(folder).as_posix()
        if slot not in drawn:
            stale = file.stat().st_mtime < newest
            problem = "the code changed since this test ran (run the test again)" if stale else ""
            yield Pending(slot, slot, read_golden(root, slot), file.read_bytes(), problem)


def _code(root: Path) -> Iterable[Path]:
    return (file for name in _CODE for file in (root / name).rglob("*") if file.suffix in (".py", ".j2", ".js"))


def stray_goldens(root: Path) -> list[Pending]:
    """Return the goldens of removed examples."""
    examples = {name.partition("/")[2] for name in sources_in(root) if name.startswith("examples/")}
    slots = {f"{_DIGESTS}#{stem}": stem for stem in sections_of(root / _DIGESTS)}
    for path in (root / _GOLDENS).glob("*.*"):
        if path.name != _DIGESTS.name:
            slots[path.relative_to(root).as_posix()] = path.name.partition(".")[0]
    gone = {slot: stem for slot, stem in slots.items() if stem not in examples}
    return [Pending(f"examples/{stem}", slot, read_golden(root, slot), None) for slot, stem in gone.items()]


def sections_of(path: Path) -> dict[str, str]:
    """Return the sections of a file by their names."""
    text = path.read_bytes().decode() if path.exists() else ""
    _, *found = _SECTION.split(text)
    return dict(zip(found[::2], found[1::2], strict=True))


def read_golden(root: Path, slot: str) -> bytes | None:
    """Return the contents of a golden; None if it does not exist."""
    path, _, name = slot.partition("#")
    if name:
        text = sections_of(root / path).get(name)
        return None if text is None else text.encode()
    return (root / path).read_bytes() if (root / path).exists() else None


def _write(root: Path, slot: str, data: bytes | None) -> None:
    path, _, name = slot.partition("#")
    if name:
        sections: dict[str, str | None] = {**sections_of(root / path), name: None if data is None else data.decode()}
        kept = sorted((key, text) for key, text in sections.items() if text is not None)
        data = "".join(f"==== {key}\n{text}" for key, text in kept).encode()
    if data is None:
        (root / path).unlink()
        return
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    fresh = (root / path).with_name(f".{Path(path).name}.new")
    fresh.write_bytes(data)
    fresh.replace(root / path)
    (root / RECEIVED / slot).unlink(missing_ok=True)


def save_page_state(page: Path, pending: Sequence[Pending]) -> None:
    """Write the goldens on the page, with digests of their contents, to a file next to the page."""
    shown = {each.slot: [each.name, *each.mark] for each in pending}
    _state_of(page).write_text(json.dumps(shown, indent=1) + "\n", encoding="utf-8")


def _state_of(page: Path) -> Path:
    return page.with_suffix(".json")


def accept(root: Path, page: Path, patterns: Sequence[str]) -> list[Pending]:
    """Write the goldens that the page showed, all or only for some figures; return them.

    Raise `ReportError` if something changed after the page was written, and write no files.
    """
    state = _state_of(page)
    if not state.exists():
        raise ReportError(f"{os.path.relpath(page)} is not there (run the report, look at it, then accept)")
    shown: dict[str, list[str]] = json.loads(state.read_text(encoding="utf-8"))
    chosen = {slot: told for slot, told in shown.items() if not patterns or _is_named(told[0], patterns)}
    for pattern in patterns:
        if not any(_is_named(told[0], [pattern]) for told in shown.values()):
            raise ReportError(f'the page shows no golden to accept of "{pattern}"')
    figures = list(dict.fromkeys(told[0] for told in chosen.values() if told[0] in sources_in(root)))
    found = [*pending_goldens(root, draw_tree(root, figures, palettes=False)), *stray_goldens(root)]
    now = {each.slot: each for each in found if each.slot in chosen}
    for slot, told in chosen.items():
        each = now.get(slot)
        if each is None or each.mark != told[1:] or each.problem:
            reason = each.problem if each and each.problem else "changed since the page was written (run the report)"
            raise ReportError(f"{slot}: not accepted: {reason}")
    for slot, each in now.items():
        _write(root, slot, each.new)
    state.write_text(json.dumps({s: told for s, told in shown.items() if s not in now}, indent=1) + "\n")
    return list(now.values())


def _is_named(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(name, each) or fnmatch(Path(name).name, each) for each in patterns)
