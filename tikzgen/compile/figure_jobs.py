"""Jobs of `tikzgen build`, from files and folders, and their dependencies as rules for make."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.cache import Cache
from tikzgen.base.errors import FileRefused, TikzgenError, read_error, shorten_for_message
from tikzgen.base.read_files import read_bounded, record_files
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.compile.build_figures import Job
from tikzgen.compile.render_cache import render_or_reuse
from tikzgen.compile.tex.engines import engines_here
from tikzgen.emit.figure_files import find_layout, given_before, keep_layout_of
from tikzgen.emit.refuse_overwriting import has_manual_edits
from tikzgen.spec.source import find_specs, refuse_twins

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


ReadFigure = Callable[[Path, Sequence[str], bool], "FigureModel"]
"""Function that reads the figure of a spec with settings.

It raises an error for a schedule that breaks rules, unless the third argument is true."""

_SPECIAL = re.compile(r"[\s#:\\]")


def find_jobs(
    paths: Sequence[Path],
    read: ReadFigure,
    *,
    output: Path | None,
    formats: Sequence[str],
    allow_invalid: bool,
    trust: bool,
    cache: Cache | None,
    measure: bool,
    settings: Sequence[str],
    as_before: bool,
) -> tuple[list[Job], list[Path]]:
    """Return a job for each spec or .tex file, with the specs in folders, and the skipped files.

    A schedule that breaks rules makes its job fail, unless `allow_invalid`. With `trust`, TeX runs without a sandbox.
    `cache` may have earlier renders. With `measure`, TeX first measures the labels of specs. `settings` (`width=8.4`)
    override fields of specs and are an error for .tex files. With `as_before`, options recorded in the .tex of a spec
    precede them.

    Targets are next to the file, or in the folder `output`. Two files with one target are an error. `-` is a spec on
    standard input, named `stdin`.
    """
    files, skipped = find_specs(paths)
    if settings and (written := next(filter(_is_tex, files), None)):
        hint = f"`tikzgen render {written} --set {settings[0]} -o FIG.tex` writes another one"
        raise TikzgenError(f"{written}: fields are set in specs", hint=hint)
    jobs = [
        Job(
            name := "stdin" if str(file) == "-" else file.stem,
            figure_source(
                file,
                read,
                allow_invalid,
                cache,
                measure=measure,
                trust=trust,
                settings=settings,
                before=file.with_suffix(".tex") if as_before else None,
            ),
            (output or file.parent) / name,
            None if str(file) == "-" else file,
            found=_is_tex(file),
            trust=trust,
        )
        for file in files
    ]
    refuse_twins((file, job.choose_target(formats[0])) for file, job in zip(files, jobs, strict=True))
    return jobs, skipped


def figure_source(
    file: Path,
    read: ReadFigure,
    allow_invalid: bool = False,
    cache: Cache | None = None,
    *,
    measure: bool = False,
    trust: bool = False,
    settings: Sequence[str] = (),
    before: Path | None = None,
) -> FigureSource:
    """Return a function that renders a spec, which `read` reads with `settings`, or reads a .tex file.

    The options that the figure `before` records precede the settings. Nodes keep the layers of the figure next to the
    spec.
    """
    if before and not _is_tex(file):
        settings = [*given_before(before), *settings]

    def load_measured_figure() -> FigureModel:
        found = keep_layout_of(file.with_suffix(".tex"), read(file, settings, allow_invalid))
        if not measure:
            return found
        from tikzgen.compile.true_text_sizes import (
            with_true_sizes,  # imported late: an earlier render does not need the model
        )

        return with_true_sizes(found, trust=trust)

    facts = (allow_invalid, measure, *settings, *((*engines_here(), trust) if measure else ()))

    if _is_tex(file):
        return FigureSource(lambda: (read_tex(file), ()))

    def figure_to_draw() -> tuple[str, tuple[str, ...]]:
        kept = dict(find_layout(file.with_suffix(".tex")))
        found = render_or_reuse(file, load_measured_figure, cache or Cache(None), *facts, kept)
        if tex := find_edited_figure(file):
            return found.tex, (*found.notes, f"the picture lacks the manual edits of {tex} (build {tex} instead)")
        return found.tex, found.notes

    return FigureSource(figure_to_draw)


def find_edited_figure(spec: Path) -> str:
    """Return the name of the figure next to a spec if it was edited by hand, else an empty text."""
    tex = spec.with_suffix(".tex")
    return shorten_for_message(tex.name) if has_manual_edits(tex) else ""


def read_tex(file: Path) -> str:
    r"""Read a .tex file, with `\n` for each line end; raise `FileRefused` if it is not readable UTF-8."""
    try:
        return read_bounded(file).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise read_error(file, error) from None
    except UnicodeDecodeError:
        raise FileRefused(f"{file}: is not UTF-8") from None


class FigureSource:
    """Source of a figure: a call returns its TeX; then `notes` has notes for its author."""

    def __init__(self, make: Callable[[], tuple[str, tuple[str, ...]]]) -> None:
        self._make = make
        self.notes: tuple[str, ...] = ()

    def __call__(self) -> str:
        """Return the TeX, and set `notes`."""
        tex, self.notes = self._make()
        return tex


def _is_tex(file: Path) -> bool:
    return file.suffix.lower() == ".tex"


def make_rules(jobs: Sequence[Job], formats: Sequence[str], read: Callable[[Path], Sequence[str]]) -> str:
    r"""Return a rule `targets: sources` per figure, as compilers write them with -MMD -MP for make.

    The sources are the figure's file and the files that `read` returns for it. Each is also a target without a recipe,
    so that make does not stop if it is deleted. In targets, GNU make needs a backslash before a `%`. Raise
    `FileRefused` for a name that make would misread.

    >>> from pathlib import Path
    >>> jobs = [Job("a", str, Path("out/a"), Path("my a.yaml"))]
    >>> print(make_rules(jobs, ["pdf", "png"], lambda _: ["t.csv"]), end="")
    out/a.pdf out/a.png: my\ a.yaml t.csv
    <BLANKLINE>
    my\ a.yaml:
    <BLANKLINE>
    t.csv:
    """
    rules = []
    known: set[str] = set()
    for job in jobs:
        if job.file is not None:
            of_job = [job.file.as_posix(), *read(job.file)]  # slashes, because make treats a backslash as an escape
            targets = [job.choose_target(suffix).as_posix() for suffix in formats]
            for name in (*targets, *of_job):
                if _MEANS_MORE.search(name):
                    message = f"{shorten_for_message(name)}: make would take this name for something else"
                    raise FileRefused(message, hint="use letters, digits, spaces, - and _")
            rules.append(f"{' '.join(map(_escape_target, targets))}: {' '.join(map(_escape_path, of_job))}\n")
            rules += [f"{_escape_target(source)}:\n" for source in of_job if source not in known]
            known.update(of_job)
    return "\n".join(rules)


_MEANS_MORE = re.compile(r"[=;\x00-\x1f\x7f\ud800-\udfff]")


def files_read(file: Path, settings: Sequence[str] = ()) -> list[str]:
    """Return the other files that a spec depends on, from the current folder; empty for an invalid spec."""
    if _is_tex(file):
        return []
    from tikzgen.emit.spec_in_three_stages import SpecReading

    with record_files() as read, suppress(TikzgenError):
        _ = SpecReading(file, settings).facts
    own, ours = os.path.realpath(file), str(template_folder())
    held = (place for place in read.read_files() if place != own and not place.startswith(ours))
    return [Path(os.path.relpath(place)).as_posix() for place in held]


def _escape_target(path: str) -> str:
    return _escape_path(path).replace("%", "\\%")


def _escape_path(path: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], path).replace("$", "$$")
