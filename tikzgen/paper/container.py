"""Where a bundle goes, a folder or a .zip, and what stands there already."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from tikzgen.base.errors import FileRefused, TikzgenError, refusal
from tikzgen.base.files import write_file, write_files
from tikzgen.base.folders import locked
from tikzgen.base.reading import staying_in

_LISTED = re.compile(r"^  ([0-9a-f]{64})  (\S+)$", re.MULTILINE)
_SEAL = "sha256 of the lines above: "
_OF_FILES = frozenset(
    (
        ".tex",
        ".pdf",
        ".png",
        ".svg",
        ".txt",
        ".md",
        ".yaml",
        ".yml",
        ".json",
        ".tar",
        ".gz",
        ".tgz",
        ".bz2",
        ".xz",
        ".7z",
    )
)
_HINT = "--force overwrites it, -o writes elsewhere"


def folder_name(output: Path) -> str:
    """What the bundle's folder is called in the paper: the folder's own name, or the archive's without its suffix."""
    place = output.absolute() if output.name not in ("", "..") else output.resolve()
    return place.stem if _is_archive(place) else place.name


def refuse_file(output: Path) -> None:
    """Refuse a name that is one of a file: `figs.tar`, `figs.txt`; a folder may have any other."""
    if (output.suffix.lower() in _OF_FILES and not output.is_dir()) or (output.is_file() and not _is_archive(output)):
        raise FileRefused(f"{output}: is a file", hint="a bundle is a folder, or ends in .zip")


def _is_archive(output: Path) -> bool:
    return output.suffix.lower() == ".zip"


def listed(text: str) -> dict[str, str]:
    """The files that a bundle's README.txt lists, with their SHA-256; none where somebody changed it, or wrote it."""
    head, mark, digest = text.replace("\r\n", "\n").rpartition(_SEAL)
    if not mark or sha256(head.encode()).hexdigest() != digest.strip():
        return {}
    return {name: digest for digest, name in _LISTED.findall(head)}


def sealed(text: str) -> str:
    """A README with its own digest as the last line."""
    return f"{text}{_SEAL}{sha256(text.encode()).hexdigest()}\n"


def zipped(files: Mapping[str, bytes], folder: str) -> bytes:
    """The files in a folder of that name as a .zip.

    The same files give the same bytes everywhere: sorted, dated 1980, and stored, for compressors differ.
    """
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, whose permissions follow
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, files[name])
    return held.getvalue()


def write_bundle(files: Mapping[str, bytes], output: Path, *, force: bool) -> tuple[bool, list[str]]:
    """Write the files, all or none; whether anything changed, and the files of an earlier bundle that are none of it.

    These stay where they are in a folder: only a .zip is made anew. Raises `FileRefused`, before anything is written,
    where a file stands in the way that no bundle wrote, or that was edited since, unless `force`.
    """
    with locked(output if _is_archive(output) else output / README):
        if _is_archive(output):
            if not force:
                _refuse_archive(output)
            return write_file(output, zipped(files, folder_name(output))), []
        readme = _read(output / README)
        before = listed(readme.decode("utf-8", "replace")) if readme is not None else {}
        if not force:
            for name, data in files.items():
                _refuse(output, name, data, before)
        with staying_in(output):
            changed = write_files({output / name: data for name, data in files.items()})
        left = [name for name in before if name not in files and (output / name).is_file()]
        return changed, sorted(left)


def _refuse(output: Path, name: str, data: bytes, before: Mapping[str, str]) -> None:
    """Let pass what is not there, what is the same already, and what the bundle before wrote."""
    path = output / name
    held = _read(path)
    if held is None or held == data or (name == README and before):
        return
    if name not in before:
        raise FileRefused(f"{path}: was not written by `tikzgen bundle`, so it is left alone", hint=_HINT)
    if sha256(held).hexdigest() != before[name]:
        raise FileRefused(f"{path}: was edited by hand, so it is left alone", hint=_HINT)


def _refuse_archive(path: Path) -> None:
    data = _read(path)
    if data is None:
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise ValueError  # ours are stored as they are; another's may unpack to more than there is room for
            held = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError, NotImplementedError):
        held = {}
    wanted = listed(held.pop(README, b"").decode("utf-8", "replace"))
    if not wanted or {name: sha256(content).hexdigest() for name, content in held.items()} != wanted:
        raise FileRefused(f"{path}: is not as `tikzgen bundle` wrote it, so it is left alone", hint=_HINT)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileRefused(f"{path}: {refusal(error)}") from None


PREAMBLE = "figures-preamble.tex"
README = "README.txt"
PDFS = "pdf"
"""The folder of the PDFs: arXiv takes a PDF beside a .tex of its name for TeX's output, and removes it."""


def safe_name(name: str) -> str:
    """The name in ASCII letters, digits, `-`, `_` and `+`, beginning with a letter or digit.

    arXiv takes no other letters, and graphicx reads what follows a dot as a suffix. Accents are dropped.

    >>> safe_name("Übersicht (v2.1)")
    'Ubersicht-v2-1'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_+]+", "-", plain).strip("-_+") or "figure"


def refuse_twins(names: Iterable[tuple[str, str]]) -> None:
    """Refuse two figures under one name, in pairs `(what the user called it, safe name)`.

    Upper and lower case do not tell files apart everywhere.
    """
    owners = {name.removesuffix(".tex").lower(): "the bundle's own file" for name in (PREAMBLE,)}
    for figure, name in names:
        owner = owners.setdefault(name.lower(), figure)
        if owner != figure:
            raise TikzgenError(f"{owner} and {figure} would both become {name}.tex", hint="rename one of them")
