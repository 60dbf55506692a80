"""Which figures `tikzgen build` is asked for: files and folders in, jobs out; and what these depend on, for make."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tikzgen.base.cache import Cache
from tikzgen.base.errors import FileRefused, TikzgenError, read_error, shorten
from tikzgen.base.read_files import read_bounded, record_files
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.compile.build_figures import Job
from tikzgen.compile.rendered_before import render_or_reuse
from tikzgen.compile.tex.engines import engines_here
from tikzgen.emit.figure_files import given_before
from tikzgen.spec.source import find_specs, refuse_twins

if TYPE_CHECKING:
    from tikzgen.model.figure import FigureModel


ReadFigure = Callable[[Path, Sequence[str], bool], "FigureModel"]
"""Reads the figure of a spec with settings; refuses a schedule that breaks rules unless the third argument is true."""

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
    """One job for each spec or .tex file, folders standing for their specs; and the files that were passed over.

    A schedule that breaks rules makes its job fail, unless `allow_invalid`. With `trust`, nothing is compiled in a
    sandbox. What was rendered before may lie in `cache`. With `measure`, TeX measures the texts of specs first;
    `settings` (`width=8.4`) go over their fields, and .tex files are refused then; with `as_before`, those that the
    .tex beside a spec was rendered with come first.
    Targets stand beside the file, or in the folder `output`. Two files with one
    target are refused. `-` is a spec on standard input, called `stdin`.
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
    refuse_twins((file, job.target(formats[0])) for file, job in zip(files, jobs, strict=True))
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
    """Return what renders a spec, which `read` reads with `settings`, or reads a .tex file, when it is called.

    The options that the figure `before` was rendered with come before them.
    """
    if before and not _is_tex(file):
        settings = [*given_before(before), *settings]

    def figure() -> FigureModel:
        found = read(file, settings, allow_invalid)
        if not measure:
            return found
        from tikzgen.compile.true_text_sizes import (
            with_true_sizes,  # with the model, which what was rendered before does not need
        )

        return with_true_sizes(found, trust=trust)

    facts = (allow_invalid, measure, *settings, *((*engines_here(), trust) if measure else ()))

    if _is_tex(file):
        return FigureSource(lambda: (read_tex(file), ()))

    def figure_to_draw() -> tuple[str, tuple[str, ...]]:
        found = render_or_reuse(file, figure, cache or Cache(None), *facts)
        return found.tex, found.notes

    return FigureSource(figure_to_draw)


def read_tex(file: Path) -> str:
    """Read a .tex file, with `\\n` for each line end; `FileRefused` if it cannot be read or is not UTF-8."""
    try:
        return read_bounded(file).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise read_error(file, error) from None
    except UnicodeDecodeError:
        raise FileRefused(f"{file}: is not UTF-8") from None


class FigureSource:
    """Makes the TeX of a figure when it is called; then it has the `notes` on what the author should know."""

    def __init__(self, make: Callable[[], tuple[str, tuple[str, ...]]]) -> None:
        self._make = make
        self.notes: tuple[str, ...] = ()

    def __call__(self) -> str:
        """The TeX."""
        tex, self.notes = self._make()
        return tex


def _is_tex(file: Path) -> bool:
    return file.suffix.lower() == ".tex"


def make_rules(jobs: Sequence[Job], formats: Sequence[str], read: Callable[[Path], Sequence[str]]) -> str:
    """For each figure a rule `targets: sources`, as compilers write them with -MMD -MP: `include` reads it.

    The sources are the figure's file and those that `read` gives for it. Each is also a target without a recipe,
    so that make does not stop where one was deleted. GNU make takes a `%` as it stands in sources, but in targets with
    a backslash. `FileRefused` for a name that it would take for something else.

    >>> from pathlib import Path
    >>> jobs = [Job("a", str, Path("out/a"), Path("my a.yaml"))]
    >>> print(make_rules(jobs, ["pdf", "png"], lambda _: ["t.csv"]), end="")
    out/a.pdf out/a.png: my\\ a.yaml t.csv
    <BLANKLINE>
    my\\ a.yaml:
    <BLANKLINE>
    t.csv:
    """
    rules = []
    known: set[str] = set()
    for job in jobs:
        if job.file is not None:
            of_job = [job.file.as_posix(), *read(job.file)]  # make takes a backslash for what comes after it
            targets = [job.target(suffix).as_posix() for suffix in formats]
            for name in (*targets, *of_job):
                if _MEANS_MORE.search(name):
                    message = f"{shorten(name)}: make would take this name for something else"
                    raise FileRefused(message, hint="use letters, digits, blanks, - and _")
            rules.append(f"{' '.join(map(_target, targets))}: {' '.join(map(_escape_path, of_job))}\n")
            rules += [f"{_target(source)}:\n" for source in of_job if source not in known]
            known.update(of_job)
    return "\n".join(rules)


_MEANS_MORE = re.compile(r"[=;\x00-\x1f\x7f\ud800-\udfff]")


def files_read(file: Path, settings: Sequence[str] = ()) -> list[str]:
    """The files besides itself that a spec is made of, as seen from here; none where it is refused."""
    if _is_tex(file):
        return []
    from tikzgen.emit.spec_in_three_stages import SpecReading

    with record_files() as read, suppress(TikzgenError):
        _ = SpecReading(file, settings).facts
    own, ours = os.path.realpath(file), str(template_folder())
    held = (place for place in read.read_files() if place != own and not place.startswith(ours))
    return [Path(os.path.relpath(place)).as_posix() for place in held]


def _target(path: str) -> str:
    return _escape_path(path).replace("%", "\\%")


def _escape_path(path: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], path).replace("$", "$$")
