"""Many figures to PDF, PNG and SVG: in parallel, and only those that changed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tikzgen.base.child import ResourceLimits, limit_error, run_each, working_on
from tikzgen.base.defaults import PNG_DPI
from tikzgen.base.errors import ExitStatus, FileRefused, LatexError, TikzgenError, system_error
from tikzgen.base.record import Record
from tikzgen.base.write_files import write_file
from tikzgen.compile.formats.format_table import FORMATS
from tikzgen.compile.make_formats import Product, Settings, Workshop, open_workshop
from tikzgen.compile.tex.engines import Engine
from tikzgen.compile.tex.workplace import sweep
from tikzgen.model.about import About

if TYPE_CHECKING:
    from tikzgen.compile.sandbox.sandbox import ProcessSandbox


class Job(Record):
    """One figure: `source` makes its TeX when its turn comes, `stem` is the target without its suffix.

    `file` is where it comes from, if from a file. `found`: its TeX was found, not made here; it is compiled in
    a sandbox if `sandbox.needs_sandbox` says so, unless `trust`. `judged` stands in for a source.
    `exact` is the target itself, where one file was asked for. `slides` tells whether pictures are made of each, too.
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

    def target(self, suffix: str) -> Path:
        """Where that format goes: `figs/a` and `pdf` give `figs/a.pdf`."""
        return self.exact or self.stem.with_name(f"{self.stem.name}.{suffix}")

    def targets(self, made: Mapping[str, bytes], workshop: Workshop, source: str) -> Iterator[tuple[Path, bytes]]:
        """What goes where: each format, and the slides of a picture: `figs/a-1.svg` …, `figs/a-steps.svg`."""
        for suffix in workshop.formats:
            target = self.target(suffix)
            yield target, made[suffix]
            if self.slides and not FORMATS[suffix].has_pages:
                every = workshop.slides(source, suffix, self.name, cell=partial(self.cell, source, workshop))
                for slide, data in every.items():
                    yield target.with_name(f"{target.stem}-{slide}.{suffix}"), data

    def cell(self, source: str, workshop: Workshop) -> ProcessSandbox | None:
        """The sandbox that its TeX runs in, if any."""
        from tikzgen.compile.sandbox.needs_sandbox import cell_for

        facts: dict[str, Any] = {"file": self.file, "found": self.found, "trust": self.trust}
        return cell_for(self.judged or source, self.name, cache=workshop.settings.cache, **facts)


class BuildOutcome(Record):
    """What became of a job: `written` are the files that changed, `notes` what its author should know."""

    job: Job
    status: Literal["built", "unchanged", "failed"]
    written: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    error: TikzgenError | None = None


class BuildReport(Record):
    """All outcomes, in the order of the jobs."""

    outcomes: tuple[BuildOutcome, ...]

    def count(self, status: str) -> int:
        """How many jobs ended so."""
        return sum(outcome.status == status for outcome in self.outcomes)

    @property
    def exit_status(self) -> ExitStatus:
        """0 where all went well, 3 where LaTeX failed, 2 where only descriptions were wrong."""
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
    """Build every job into every format; a job that fails does not keep the others from being built.

    `workers` compile at a time (null: one a processor). `progress(done, total, outcome)` is called after each job; with
    no outcome, before the first and, where figures are made `apart`, a few times a second. What is made is given to
    `write`; each source is given to `guard` before, and to `report` after. With `apart`, figures are made in children
    of this process, which has one thread: each has the time limit for what is not TeX's, too, and is killed after it.

    Raises `LatexMissing` before anything is done where a program is missing.
    """
    workshop = open_workshop(formats, settings)
    outcomes: dict[int, BuildOutcome] = {}
    if progress:
        progress(0, len(jobs), None)
    at_once = max(1, min(workers or processors(), len(jobs)))
    make = partial(_build_job, workshop, write, guard, report)
    tick = (lambda: progress(len(outcomes), len(jobs), None)) if progress else (lambda: None)
    each = _in_children(jobs, make, workshop, at_once, tick) if apart else _in_threads(jobs, make, workshop, at_once)
    for number, outcome in each:
        outcomes[number] = outcome
        if progress:
            progress(len(outcomes), len(jobs), outcome)
    if any(outcome.written for outcome in outcomes.values()):
        settings.cache.prune()
        sweep()
        if workshop.preambles:
            sweep(workshop.preambles.folder)
    return BuildReport(tuple(outcomes[number] for number in range(len(jobs))))


_Make = Callable[[Job], BuildOutcome]


def _in_children(
    jobs: Sequence[Job], make: _Make, workshop: Workshop, at_once: int, tick: Callable[[], None]
) -> Iterator[tuple[int, BuildOutcome]]:
    def work(number: int) -> tuple[Any, ...]:
        made = make(jobs[number])
        return made.status, made.written, made.notes, made.error

    for number, made in run_each(work, len(jobs), at_once, ResourceLimits(workshop.settings.time_limit), tick):
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


def processors() -> int:
    """How many programs this process may have at work at once."""
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
    """Compile one figure into `path`, a .pdf, .png or .svg; `LatexError` says why not, `LatexMissing` what lacks.

    A source that holds raw TeX, or was `found` and is not as tikzgen writes it, is compiled in a sandbox, or refused
    (`FileRefused`), unless `trust`. `file` is where it comes from.
    """
    suffix = path.suffix.lower().removeprefix(".")
    workshop = open_workshop((suffix,), Settings(words, engine=engine, dpi=dpi, transparent=transparent))
    job = Job(path.stem, lambda: source, path, file, found=found, trust=trust, exact=path)
    made = workshop.produce(source, path.stem, cell=partial(job.cell, source, workshop))
    for target, data in job.targets(made.files, workshop, source):
        write_file(target, data)
    return path


def notes_of(source: str) -> list[str]:
    """What the file says of its own drawing: what was merged or left out."""
    return re.findall(r"^ +% note: (.+)$", source.partition("\\end{document}")[0], flags=re.MULTILINE)


def _build_job(workshop: Workshop, write: Write, guard: Look, report: Look, job: Job) -> BuildOutcome:
    try:
        working_on(str(job.file or job.name))
        source = job.source()
        guard(job, source)
        made = _make_product(job, source, workshop)
        every = list(job.targets(made.files, workshop, source))
        written = tuple(target for target, data in every if write(target, data))
        findings = report(job, source)
    except TikzgenError as error:
        return BuildOutcome(job, "failed", error=error)
    except (MemoryError, RecursionError) as error:
        return BuildOutcome(job, "failed", error=limit_error(error))
    except OSError as error:  # no room for temporary files, for one
        return BuildOutcome(job, "failed", error=FileRefused(f"{job.name}: {system_error(error)}"))
    notes = dict.fromkeys((*getattr(job.source, "notes", ()), *notes_of(source), *made.notes, *findings))
    return BuildOutcome(job, "built" if written else "unchanged", written, tuple(notes))


def _make_product(job: Job, source: str, workshop: Workshop) -> Product:
    try:
        return workshop.produce(source, job.name, cell=partial(job.cell, source, workshop))
    except LatexError as error:
        from tikzgen.compile.diagnosis import with_cause

        raise with_cause(error, source, job.file) from None
