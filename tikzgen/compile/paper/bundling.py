"""Bundles: the files that arXiv and Overleaf need for figures, in one folder or archive."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.base.child import working_on
from tikzgen.base.errors import FileRefused, LatexError, Problem, TikzgenError, describe_os_error
from tikzgen.base.folders import lock_folder
from tikzgen.base.read_files import staying_in
from tikzgen.base.record import Record
from tikzgen.base.write_files import write_file, write_files
from tikzgen.compile.build_figures import Job, build
from tikzgen.compile.figure_jobs import ReadFigure, figure_source, find_edited_figure
from tikzgen.compile.make_formats import Settings
from tikzgen.compile.paper.figure_preamble import JoinedPreamble, preamble_of
from tikzgen.compile.paper.foreign_in_group import group_definitions, strip_comments
from tikzgen.compile.paper.join_preambles import joined_preamble
from tikzgen.compile.sandbox.needs_sandbox import is_foreign
from tikzgen.compile.tex.workplace import make_scratch_folder
from tikzgen.compile.true_text_sizes import with_true_sizes
from tikzgen.emit.environment import fill
from tikzgen.emit.render_figure import render

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


# The target of a bundle, a folder or a .zip, and the files that exist in it.

_LISTED_FILE = re.compile(r"^  ([0-9a-f]{64})  (\S+)$", re.MULTILINE)
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
    """Return the name of the bundle's folder in the paper: the target's name without `.zip`."""
    place = output.absolute() if output.name not in ("", "..") else output.resolve()
    return place.stem if _is_archive(place) else place.name


def refuse_file(output: Path) -> None:
    """Raise `FileRefused` for the name of a file, such as `figs.tar`; a folder may have any other name."""
    if (output.suffix.lower() in _OF_FILES and not output.is_dir()) or (output.is_file() and not _is_archive(output)):
        raise FileRefused(f"{output}: is a file", hint="a bundle is a folder, or ends in .zip")


def _is_archive(output: Path) -> bool:
    return output.suffix.lower() == ".zip"


def list_digests(text: str) -> dict[str, str]:
    """Return the files listed in a bundle's README.txt, with their SHA-256; empty if it was edited."""
    head, mark, digest = text.replace("\r\n", "\n").rpartition(_SEAL)
    if not mark or sha256(head.encode()).hexdigest() != digest.strip():
        return {}
    return {name: digest for digest, name in _LISTED_FILE.findall(head)}


def add_digest(text: str) -> str:
    """Add a README's own digest as the last line."""
    return f"{text}{_SEAL}{sha256(text.encode()).hexdigest()}\n"


def zip_files(files: Mapping[str, bytes], folder: str) -> bytes:
    """Return a zip archive of files in a folder of that name.

    The result is the same on every machine: files are sorted, dated 1980, and stored, because compressors differ.
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
    """Write all files or none; return whether anything changed, and old files that are not in the bundle.

    Files of an earlier bundle stay in a folder; a .zip is replaced. Unless `force`, raise `FileRefused` before any
    write if a file exists that no bundle wrote, or that was edited since.
    """
    with lock_folder(output if _is_archive(output) else output / README):
        if _is_archive(output):
            if not force:
                _refuse_archive(output)
            return write_file(output, zip_files(files, folder_name(output))), []
        readme = _read_if_exists(output / README)
        before = list_digests(readme.decode("utf-8", "replace")) if readme is not None else {}
        if not force:
            for name, data in files.items():
                _refuse(output, name, data, before)
        with staying_in(output):
            changed = write_files({output / name: data for name, data in files.items()})
        left = [name for name in before if name not in files and (output / name).is_file()]
        return changed, sorted(left)


def _refuse(output: Path, name: str, data: bytes, before: Mapping[str, str]) -> None:
    """Raise `FileRefused` for an existing file that the bundle before did not write, or that was edited."""
    path = output / name
    held = _read_if_exists(path)
    if held is None or held == data or (name == README and before):
        return
    if name not in before:
        raise FileRefused(f"{path}: not overwritten: `tikzgen bundle` did not write this file", hint=_HINT)
    if sha256(held).hexdigest() != before[name]:
        raise FileRefused(f"{path}: not overwritten: it has manual edits", hint=_HINT)


def _refuse_archive(path: Path) -> None:
    data = _read_if_exists(path)
    if data is None:
        return
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise ValueError  # tikzgen does not compress; other archives may unpack to any size
            held = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError, NotImplementedError):
        held = {}
    wanted = list_digests(held.pop(README, b"").decode("utf-8", "replace"))
    if not wanted or {name: sha256(content).hexdigest() for name, content in held.items()} != wanted:
        raise FileRefused(f"{path}: not overwritten: it differs from the output of `tikzgen bundle`", hint=_HINT)


def _read_if_exists(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileRefused(f"{path}: {describe_os_error(error)}") from None


PREAMBLE = "figures-preamble.tex"
README = "README.txt"
PDFS = "pdf"
"""Folder of the PDFs. arXiv treats a PDF next to a .tex of the same name as output of TeX, and removes it."""


def safe_name(name: str) -> str:
    """Return the name in ASCII letters, digits, `-`, `_` and `+`.

    arXiv allows no other characters, and graphicx reads the text after a dot as a suffix. Accents are dropped.

    >>> safe_name("Übersicht (v2.1)")
    'Ubersicht-v2-1'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_+]+", "-", plain).strip("-_+") or "figure"


def refuse_twins(names: Iterable[tuple[str, str]]) -> None:
    """Raise `TikzgenError` for two figures with one name, in pairs `(name of the user, safe name)`.

    Some file systems ignore case, so names that differ in case only are equal.
    """
    owners = {name.removesuffix(".tex").lower(): "the bundle's own file" for name in (PREAMBLE,)}
    for figure, name in names:
        owner = owners.setdefault(name.lower(), figure)
        if owner != figure:
            raise TikzgenError(f"{owner} and {figure} would both become {name}.tex", hint="rename one of them")


class BundledFigure(Record):
    """A figure of a bundle: its name for the user, its name in the bundle, and its source there.

    `whole` is the source before any removal. `file` is the file that it comes from, if any.
    """

    label: str
    name: str
    tex: str
    whole: str
    file: Path | None = None


class Bundle(Record):
    r"""Result of a bundle: its files by name, and whether any file was written.

    `lost` lists the definitions of figures that `\input` drops. `left` names files of an earlier bundle in that folder
    that are no longer part of it.
    """

    output: Path
    members: tuple[BundledFigure, ...]
    files: Mapping[str, bytes]
    written: bool
    lost: tuple[Problem, ...]
    left: tuple[str, ...]


def make_bundle(
    figures: Sequence[str | Path] | Mapping[str, FigureModel],
    output: str | Path,
    read: ReadFigure,
    settings: Settings,
    *,
    pdf: bool,
    strip: bool,
    force: bool,
    allow_invalid: bool,
    trust: bool,
    measure: bool,
) -> Bundle:
    """Write a bundle as `tikzgen.bundle` describes it: `read` reads specs, `settings` build the PDFs."""
    place = Path(output)
    refuse_file(place)
    members = _make_members(figures, read, strip=strip, allow_invalid=allow_invalid, measure=measure, trust=trust)
    pdfs = _build_pdfs(members, settings, trust) if pdf else {}
    files, preamble = pack_bundle(members, pdfs, folder=folder_name(place), strip=strip, engine=str(settings.engine))
    written, left = write_bundle(files, place, force=force)
    return Bundle(place, tuple(members), files, written, preamble.lost, tuple(left))


def pack_bundle(
    members: Sequence[BundledFigure],
    pdfs: Mapping[str, bytes],
    *,
    folder: str,
    strip: bool = False,
    engine: str = "pdflatex",
) -> tuple[dict[str, bytes], JoinedPreamble]:
    """Return the files of a bundle by name, and the preamble that the paper must load; write nothing."""
    preamble = joined_preamble([(f"{one.name}.tex", preamble_of(one.tex, f"{one.name}.tex")) for one in members])
    files = {f"{member.name}.tex": member.tex.encode() for member in members}
    files |= {f"{PDFS}/{name}.pdf": data for name, data in pdfs.items()}
    files[PREAMBLE] = fill("paper.tex.j2", preamble=preamble).encode()
    digests = {name: sha256(files[name]).hexdigest() for name in sorted(files)}
    facts: dict[str, Any] = {"members": members, "preamble": preamble, "digests": digests}
    text = fill("bundle.txt.j2", **facts, folder=folder, pdfs=PDFS, pdf=bool(pdfs), strip=strip, engine=engine)
    files[README] = add_digest(text).encode()
    return files, preamble


def _tex_of(figure: FigureModel) -> str:
    return render(figure).tex


def _make_members(
    figures: Sequence[str | Path] | Mapping[str, FigureModel],
    read: ReadFigure,
    *,
    strip: bool,
    allow_invalid: bool,
    measure: bool,
    trust: bool,
) -> list[BundledFigure]:
    if isinstance(figures, Mapping):
        given = {name: with_true_sizes(figure, trust=trust) if measure else figure for name, figure in figures.items()}
        sources: list[tuple[str, Path | None, Callable[[], str]]] = [
            (name, None, partial(_tex_of, figure)) for name, figure in given.items()
        ]
    else:
        paths = list(dict.fromkeys(map(Path, figures)))
        for path in paths:
            if not _is_tex(path) and (edited := find_edited_figure(path)):
                message = f"{path}: the bundle would lack the manual edits of {edited}"
                raise FileRefused(message, hint=f"bundle {edited} instead")
        source = partial(figure_source, read=read, allow_invalid=allow_invalid, measure=measure, trust=trust)
        sources = [(str(path), path, source(path, before=path.with_suffix(".tex"))) for path in paths]
    if not sources:
        raise TikzgenError("a bundle of no figures", hint="name specs or .tex files")
    names = [safe_name(file.stem if file else label) for label, file, _ in sources]
    refuse_twins((label, name) for (label, _, _), name in zip(sources, names, strict=True))
    members = []
    for (label, file, tex), name in zip(sources, names, strict=True):
        working_on(label)
        found = tex()
        placed = group_definitions(found) if _is_tex(file) and is_foreign(found) else found
        members.append(BundledFigure(label, name, strip_comments(placed) if strip else placed, found, file))
    return members


def _build_pdfs(members: Sequence[BundledFigure], settings: Settings, trust: bool) -> dict[str, bytes]:
    """Return every figure as PDF, built from its source in the bundle."""
    with make_scratch_folder() as folder:
        jobs = []
        for one in members:
            how: dict[str, Any] = {"found": _is_tex(one.file), "trust": trust, "judged": one.whole}
            jobs.append(Job(one.name, partial(str, one.tex), folder / one.name, one.file, **how))
        report = build(jobs, settings=settings)
        failed = [(outcome.job.name, outcome.error) for outcome in report.outcomes if outcome.error]
        if failed:
            kind = FileRefused if all(isinstance(error, FileRefused) for _, error in failed) else LatexError
            raise kind(
                "\n".join(
                    str(error) if error.list_problems()[0].place else f"{name}.tex: {error}" for name, error in failed
                )
            )
        return {job.name: job.choose_target("pdf").read_bytes() for job in jobs}


def _is_tex(file: Path | None) -> bool:
    return file is not None and file.suffix.lower() == ".tex"
