"""What arXiv and Overleaf need for figures, in one folder or archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tikzgen.apart.notes import working_on
from tikzgen.base.errors import FileRefused, LatexError, Problem, TikzgenError
from tikzgen.base.record import Record
from tikzgen.compile.build_figures import Job, build
from tikzgen.compile.figure_jobs import figure_source
from tikzgen.compile.needs_sandbox import is_foreign
from tikzgen.compile.produce import Settings
from tikzgen.compile.true_text_sizes import measured
from tikzgen.compile.workplace import scratch
from tikzgen.paper.container import (
    PDFS,
    PREAMBLE,
    README,
    folder_name,
    refuse_file,
    refuse_twins,
    safe_name,
    sealed,
    write_bundle,
)
from tikzgen.paper.figure_preamble import Preamble, preamble_of
from tikzgen.paper.foreign_in_group import housed, stripped
from tikzgen.paper.join_preambles import joined_preamble
from tikzgen.tikz.environment import fill
from tikzgen.tikz.render_figure import render

if TYPE_CHECKING:
    from tikzgen.model.figure import Figure


class Member(Record):
    """A figure of a bundle: what the user called it, its name there, and its source as it goes in.

    `whole` is the source before anything was taken out of it. `file` is where it comes from, if from a file.
    """

    label: str
    name: str
    tex: str
    whole: str
    file: Path | None = None


class Bundle(Record):
    r"""What became of a bundle: its files by name, and whether anything of it was written.

    `lost` says what figures define that `\input` drops; `left` names files of an earlier bundle in that folder that
    are no longer part of it.
    """

    output: Path
    members: tuple[Member, ...]
    files: Mapping[str, bytes]
    written: bool
    lost: tuple[Problem, ...]
    left: tuple[str, ...]


def bundle(
    figures: Sequence[str | Path] | Mapping[str, Figure],
    output: str | Path,
    *,
    pdf: bool = False,
    strip: bool = False,
    engine: str = "pdflatex",
    force: bool = False,
    allow_invalid: bool = False,
    trust: bool = False,
    measure: bool = False,
) -> Bundle:
    r"""Write the figures, `figures-preamble.tex` and a README.txt into the folder `output`, or a .zip of that name.

    Args:
        figures: Paths of specs and .tex files, or figures by name. A spec is rendered with the options that the .tex
            beside it was rendered with.
        pdf: Whether to build PDFs too, in a folder `pdf` of their own, for `\includegraphics`.
        strip: Whether to take the comments out, and with them the specs inside; the pages stay the same.
        engine: Which one builds the PDFs.
        force: Whether to overwrite what no bundle wrote.
        allow_invalid: Whether to take schedules that break rules.
        trust: Whether to compile raw TeX, and .tex files that are not as tikzgen writes them, without a sandbox.
        measure: Whether TeX measures the formulas and raw TeX of specs first; .tex files stay as they are.

    Raises:
        FileRefused: a file stands in the way that no bundle wrote, or that was edited since.
        SpecError: figures whose preambles exclude each other, or that are no documents.
        LatexError: figures that do not compile, one a line, or that no engine can measure.

    >>> from tikzgen import bundle, recipes
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = bundle({"training": recipes.data_parallel()}, f"{folder}/figures.zip")
    >>> sorted(made.files)
    ['README.txt', 'figures-preamble.tex', 'training.tex']
    """
    place = Path(output)
    refuse_file(place)
    members = _members(figures, strip=strip, allow_invalid=allow_invalid, measure=measure, trust=trust)
    pdfs = _pdfs(members, engine, trust) if pdf else {}
    files, preamble = packed(members, pdfs, folder=folder_name(place), strip=strip, engine=engine)
    written, left = write_bundle(files, place, force=force)
    return Bundle(place, tuple(members), files, written, preamble.lost, tuple(left))


def packed(
    members: Sequence[Member], pdfs: Mapping[str, bytes], *, folder: str, strip: bool = False, engine: str = "pdflatex"
) -> tuple[dict[str, bytes], Preamble]:
    """The files of a bundle by name, and what the paper must load; nothing is written."""
    preamble = joined_preamble([(f"{one.name}.tex", preamble_of(one.tex, f"{one.name}.tex")) for one in members])
    files = {f"{member.name}.tex": member.tex.encode() for member in members}
    files |= {f"{PDFS}/{name}.pdf": data for name, data in pdfs.items()}
    files[PREAMBLE] = fill("paper.tex.j2", preamble=preamble).encode()
    digests = {name: sha256(files[name]).hexdigest() for name in sorted(files)}
    facts: dict[str, Any] = {"members": members, "preamble": preamble, "digests": digests}
    text = fill("bundle.txt.j2", **facts, folder=folder, pdfs=PDFS, pdf=bool(pdfs), strip=strip, engine=engine)
    files[README] = sealed(text).encode()
    return files, preamble


def _tex_of(figure: Figure) -> str:
    return render(figure).tex


def _members(
    figures: Sequence[str | Path] | Mapping[str, Figure],
    *,
    strip: bool,
    allow_invalid: bool,
    measure: bool,
    trust: bool,
) -> list[Member]:
    if isinstance(figures, Mapping):
        given = {name: measured(figure, trust=trust) if measure else figure for name, figure in figures.items()}
        sources: list[tuple[str, Path | None, Callable[[], str]]] = [
            (name, None, partial(_tex_of, figure)) for name, figure in given.items()
        ]
    else:
        paths = list(dict.fromkeys(map(Path, figures)))
        read = partial(figure_source, allow_invalid=allow_invalid, measure=measure, trust=trust)
        sources = [(str(path), path, read(path, before=path.with_suffix(".tex"))) for path in paths]
    if not sources:
        raise TikzgenError("a bundle of no figures", hint="name specs or .tex files")
    names = [safe_name(file.stem if file else label) for label, file, _ in sources]
    refuse_twins((label, name) for (label, _, _), name in zip(sources, names, strict=True))
    members = []
    for (label, file, tex), name in zip(sources, names, strict=True):
        working_on(label)
        found = tex()
        placed = housed(found) if _is_tex(file) and is_foreign(found) else found
        members.append(Member(label, name, stripped(placed) if strip else placed, found, file))
    return members


def _pdfs(members: Sequence[Member], engine: str, trust: bool) -> dict[str, bytes]:
    """Every figure as PDF, from what goes into the bundle."""
    with scratch() as folder:
        jobs = []
        for one in members:
            how: dict[str, Any] = {"found": _is_tex(one.file), "trust": trust, "judged": one.whole}
            jobs.append(Job(one.name, partial(str, one.tex), folder / one.name, one.file, **how))
        report = build(jobs, settings=Settings(engine=engine))
        failed = [(outcome.job.name, outcome.error) for outcome in report.outcomes if outcome.error]
        if failed:
            kind = FileRefused if all(isinstance(error, FileRefused) for _, error in failed) else LatexError
            raise kind(
                "\n".join(str(error) if error.told()[0].place else f"{name}.tex: {error}" for name, error in failed)
            )
        return {job.name: job.target("pdf").read_bytes() for job in jobs}


def _is_tex(file: Path | None) -> bool:
    return file is not None and file.suffix.lower() == ".tex"
