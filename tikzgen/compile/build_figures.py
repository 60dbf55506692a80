"""Builds of many figures as PDF, PNG and SVG: in parallel, changed figures only."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tikzgen.base.child import ResourceLimits, limit_error, run_each, working_on
from tikzgen.base.defaults import PNG_DPI
from tikzgen.base.errors import ExitStatus, FileRefused, LatexError, TikzgenError, system_error
from tikzgen.base.read_files import read_bounded
from tikzgen.base.record import Record
from tikzgen.base.write_files import write_file
from tikzgen.compile.formats.format_table import FORMATS
from tikzgen.compile.make_formats import Product, Settings, Workshop, open_workshop
from tikzgen.compile.tex.engines import Engine
from tikzgen.compile.tex.workplace import remove_old_folders
from tikzgen.model.about import About

if TYPE_CHECKING:
    from tikzgen.compile.sandbox.sandbox import ProcessSandbox


class Job(Record):
    """A figure to build: `source` returns its TeX, `stem` is the target without its suffix.

    `file` is the file that it comes from, if any. `found` states that its TeX was not made by this program. Such a
    figure is compiled in a sandbox if `sandbox.needs_sandbox` requires it, unless `trust`. `judged` replaces the
    source in this decision. `exact` is the target itself, if one file was requested. With `slides`, there is also a
    picture of each slide.
    """

    name: str
    source: Callable[[], str]
    stem: Path
    file: Path | None = None
    found: bool = False
    trust: bool = False
    judged: str = ""
    exact: Path | None = None
    slides: bool = True

    def choose_target(self, suffix: str) -> Path:
        """Return the target of a format: `figs/a` and `pdf` give `figs/a.pdf`."""
        return self.exact or self.stem.with_name(f"{self.stem.name}.{suffix}")

    def iterate_targets(
        self, made: Mapping[str, bytes], workshop: Workshop, source: str
    ) -> Iterator[tuple[Path, bytes]]:
        """Yield each target with its data: each format, and the slides of a picture.

        Slides of `figs/a` are `figs/a-1.svg` …, and all slides in one file are `figs/a-steps.svg`.
        """
        for suffix in workshop.formats:
            target = self.choose_target(suffix)
            yield target, made[suffix]
            if self.slides and not FORMATS[suffix].has_pages:
                every = workshop.make_slides(
                    source, suffix, self.name, cell=partial(self.choose_sandbox, source, workshop)
                )
                for slide, data in every.items():
                    yield target.with_name(f"{target.stem}-{slide}.{suffix}"), data

    def choose_sandbox(self, source: str, workshop: Workshop) -> ProcessSandbox | None:
        """Return the sandbox in which its TeX runs, or None."""
        from tikzgen.compile.sandbox.needs_sandbox import cell_for

        facts: dict[str, Any] = {"file": self.file, "found": self.found, "trust": self.trust}
        return cell_for(self.judged or source, self.name, cache=workshop.settings.cache, **facts)

    def is_rendered(self, source: str) -> bool:
        """Return whether `tikzgen render` wrote this TeX next to the spec, and so printed its notes and findings."""
        if self.file is None or self.file.suffix == ".tex":
            return False
        with suppress(OSError):
            return read_bounded(self.file.with_suffix(".tex")) == source.encode()
        return False


class BuildOutcome(Record):
    """Result of a job: `written` are the files that changed, `notes` are for the figure's author."""

    job: Job
    status: Literal["built", "unchanged", "failed"]
    written: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    error: TikzgenError | None = None


class BuildReport(Record):
    """Results of all jobs, in the order of the jobs."""

    outcomes: tuple[BuildOutcome, ...]

    def count(self, status: str) -> int:
        """Return the number of jobs with a status."""
        return sum(outcome.status == status for outcome in self.outcomes)

    @property
    def exit_status(self) -> ExitStatus:
        """Exit status: 0 if all jobs succeeded, 3 if LaTeX failed, 2 if only descriptions were invalid."""
        return max((outcome.error.exit_status for outcome in self.outcomes if outcome.error), default=ExitStatus.OK)

    def __str__(self) -> str:
        counts = [(self.count(status), status) for status in ("built", "unchanged", "failed")]
        return ", ".join(f"{number} {status}" for number, status in counts if number) or "nothing to build"


Progress = Callable[[int, int, BuildOutcome | None], None]

Write = Callable[[Path, bytes], bool]
"""Makes a file hold data; whether that changed anything."""

Look = Callable[[Job, str], Sequence[str]]
"""A check of the TeX of a job: it returns notes on it, or raises an error."""


def _look_away(job: Job, source: str) -> Sequence[str]:
    return ()


def build(
    jobs: Sequence[Job],
    settings: Settings,
    *,
    formats: Sequence[str] = ("pdf",),
    workers: int | None = None,
    progress: Progress | None = None,
    write: Write = write_file,
    apart: bool = False,
    guard: Look = _look_away,
    report: Look = _look_away,
) -> BuildReport:
    """Build every job in every format; a failed job does not stop the other jobs.

    `workers` is the number of parallel jobs, by default the number of processors. `progress(done, total, outcome)` is
    called after each job. Without an outcome, it is called before the first job and, with `apart`, several times per
    second. `write` receives each target and its data. `guard` checks each source before the build, `report` after it.

    With `apart`, figures are built in child processes of this process, which must have one thread. The time limit then
    also applies to work outside of TeX, and stops a child. Raise `LatexMissing` before any work if a program is
    missing.
    """
    workshop = open_workshop(formats, settings)
    outcomes: dict[int, BuildOutcome] = {}
    if progress:
        progress(0, len(jobs), None)
    at_once = max(1, min(workers or count_processors(), len(jobs)))
    make = partial(_build_job, workshop, write, guard, report)
    tick = (lambda: progress(len(outcomes), len(jobs), None)) if progress else (lambda: None)
    each = _in_children(jobs, make, workshop, at_once, tick) if apart else _in_threads(jobs, make, workshop, at_once)
    for number, outcome in each:
        outcomes[number] = outcome
        if progress:
            progress(len(outcomes), len(jobs), outcome)
    if any(outcome.written for outcome in outcomes.values()):
        settings.cache.prune()
        remove_old_folders()
        if workshop.preambles:
            remove_old_folders(workshop.preambles.folder)
    return BuildReport(tuple(outcomes[number] for number in range(len(jobs))))


_Make = Callable[[Job], BuildOutcome]


def _in_children(
    jobs: Sequence[Job], make: _Make, workshop: Workshop, at_once: int, tick: Callable[[], None]
) -> Iterator[tuple[int, BuildOutcome]]:
    def run_job(number: int) -> tuple[Any, ...]:
        made = make(jobs[number])
        return made.status, made.written, made.notes, made.error

    for number, made in run_each(run_job, len(jobs), at_once, ResourceLimits(workshop.settings.time_limit), tick):
        job = jobs[number]
        yield number, BuildOutcome(job, *made) if isinstance(made, tuple) else BuildOutcome(job, "failed", error=made)


def _in_threads(
    jobs: Sequence[Job], make: _Make, workshop: Workshop, at_once: int
) -> Iterator[tuple[int, BuildOutcome]]:
    from concurrent.futures import ThreadPoolExecutor, as_completed

    with ThreadPoolExecutor(at_once) as pool:
        try:
            tasks = {pool.submit(make, job): number for number, job in enumerate(jobs)}
            for task in as_completed(tasks):
                yield tasks[task], task.result()
        except BaseException:
            workshop.running.stop()
            pool.shutdown(cancel_futures=True)
            raise


def count_processors() -> int:
    """Return the number of programs that this process may run in parallel."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))  # a container may have fewer than the machine
    return os.cpu_count() or 1


def build_file(
    source: str,
    path: Path,
    words: Callable[[str], About],
    *,
    engine: Engine | str = Engine.PDFLATEX,
    dpi: float = PNG_DPI,
    transparent: bool = False,
    file: Path | None = None,
    found: bool = True,
    trust: bool = False,
) -> Path:
    """Compile one figure into `path`, a .pdf, .png or .svg.

    `file` is the file that the source comes from. A source with raw TeX, or a `found` source that tikzgen did not
    write, is compiled in a sandbox, unless `trust`. Raise `FileRefused` if that is not possible, `LatexError` if the
    figure does not compile, and `LatexMissing` if a program is missing.
    """
    suffix = path.suffix.lower().removeprefix(".")
    workshop = open_workshop((suffix,), Settings(words, engine=engine, dpi=dpi, transparent=transparent))
    job = Job(path.stem, lambda: source, path, file, found=found, trust=trust, exact=path)
    made = workshop.make_product(source, path.stem, cell=partial(job.choose_sandbox, source, workshop))
    for target, data in job.iterate_targets(made.files, workshop, source):
        write_file(target, data)
    return path


def notes_of(source: str) -> list[str]:
    """Return the notes in a file on parts that the layout merged or left out."""
    return re.findall(r"^ +% note: (.+)$", source.partition("\\end{document}")[0], flags=re.MULTILINE)


def _build_job(workshop: Workshop, write: Write, guard: Look, report: Look, job: Job) -> BuildOutcome:
    try:
        working_on(str(job.file or job.name))
        source = job.source()
        guard(job, source)
        made = _make_product(job, source, workshop)
        every = list(job.iterate_targets(made.files, workshop, source))
        written = tuple(target for target, data in every if write(target, data))
        is_reported = job.is_rendered(source)
        findings = [] if is_reported else report(job, source)
    except TikzgenError as error:
        return BuildOutcome(job, "failed", error=error)
    except (MemoryError, RecursionError) as error:
        return BuildOutcome(job, "failed", error=limit_error(error))
    except OSError as error:  # for example, no space for temporary files
        return BuildOutcome(job, "failed", error=FileRefused(f"{job.name}: {system_error(error)}"))
    on_source = () if is_reported else getattr(job.source, "notes", ()) or notes_of(source)
    notes = dict.fromkeys((*on_source, *made.notes, *findings))
    return BuildOutcome(job, "built" if written else "unchanged", written, tuple(notes))


def _make_product(job: Job, source: str, workshop: Workshop) -> Product:
    try:
        cell = partial(job.choose_sandbox, source, workshop)
        return workshop.make_product(source, job.name, cell=cell, partial=job.found)
    except LatexError as error:
        from tikzgen.compile.diagnosis import with_cause

        raise with_cause(error, source, job.file) from None
