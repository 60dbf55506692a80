"""Mutation testing: `python tools/mutation` changes about 300 places, and runs the tests that cover each.

Each result is stored immediately in build/mutation, so that an interrupted run can continue. Results of several
machines in one folder are one run. The exit status is 1 below a minimum score, and 3 while results are missing.
"""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from dataclasses import asdict
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import click

sys.path[0] = str(Path(__file__).resolve().parent.parent)  # the folder that holds the package `mutation`

from mutation.mutants import Mutant, compiles, find_mutants  # noqa: E402
from mutation.report import find_too_low, raise_floors, read_equivalents, write_table  # noqa: E402
from mutation.run import Limits, Result, Workspace  # noqa: E402
from mutation.sample import choose_mutants  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = Path(__file__).resolve().parent
SOURCES = ("tikzgen/**/*.py", "templates/**/*.tex.j2")


@click.command(help=__doc__)
@click.option("--seed", default=1, show_default=True, help="Set the seed of the choice.")
@click.option("--count", default=300, show_default=True, help="Run about this many mutants.")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Run this number of tests in parallel.")
@click.option("--shard", default="1/1", show_default=True, help="Run part K of N only: every Nth mutant.")
@click.option("--package", "packages", multiple=True, help="Run mutants of this package only.")
@click.option("--operator", "operators", multiple=True, help="Choose among changes of this operator, such as string.")
@click.option("--files", multiple=True, help="Choose among changes of these files, such as 'tikzgen/text/*'.")
@click.option("--survivors", type=click.Path(exists=True, path_type=Path), help="Run the survivors of a report again.")
@click.option("--tests", multiple=True, help="Run these test files on each mutant, without a coverage run.")
@click.option("--raise-floors", "raising", is_flag=True, help="Write the results as the new lower bounds.")
@click.option("--root", type=click.Path(exists=True, path_type=Path), default=ROOT, help="Test this tree.")
@click.option(
    "--folder", type=click.Path(path_type=Path), help="Write the results to this folder.  [default: build/mutation]"
)
@click.option("--sources", multiple=True, default=SOURCES, help="Use only these files.")
@click.option("--pytest", "options", default="--plain -n 0", show_default=True, help="Pass these options to pytest.")
@click.option(
    "--cpu", default=15, show_default=True, help="Limit a test run to this CPU time in s, plus five times the usual."
)
@click.option("--most", default=0.0, help="Run tests of at most this many seconds.  [default: all tests]")
@click.option(
    "--floors",
    type=click.Path(path_type=Path),
    default=HERE / "floors.json",
    help="Read the lower bounds from this file.",
)
def main(
    seed: int,
    count: int,
    jobs: int,
    shard: str,
    packages: tuple[str, ...],
    operators: tuple[str, ...],
    files: tuple[str, ...],
    survivors: Path | None,
    tests: tuple[str, ...],
    raising: bool,
    root: Path,
    folder: Path | None,
    sources: tuple[str, ...],
    options: str,
    cpu: int,
    most: float,
    floors: Path,
) -> None:
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # ends the test runs too
    part, parts = _read_shard(shard)
    root = root.resolve()
    folder = (folder or root / "build" / "mutation").resolve()
    workspace = Workspace(root, folder, jobs, shlex.split(options), Limits(cpu, most))
    texts = {
        path.relative_to(root).as_posix(): path.read_bytes() for glob in sources for path in sorted(root.glob(glob))
    }
    mutants = [
        mutant
        for path, source in texts.items()
        if not files or any(fnmatch(path, pattern) for pattern in files)
        for mutant in find_mutants(path, source)
        if not operators or mutant.operator in operators
    ]
    if survivors:
        sample = _find_again(mutants, texts, json.loads(survivors.read_text(encoding="utf-8")))
    else:
        sample = choose_mutants(mutants, count, seed, lambda mutant: compiles(mutant, texts[mutant.path]))
    sample = [mutant for mutant in sample if not packages or mutant.package in packages]
    equivalents = read_equivalents(floors.with_name("equivalent.json"))
    marked = [mutant for mutant in sample if (mutant.path, mutant.diff(texts[mutant.path])) in equivalents]
    sample = [mutant for mutant in sample if mutant not in marked]
    workspace.copy_tree()
    if not tests and find_spec("coverage") is None:
        raise click.ClickException("needs the package coverage (tests/setup-python dev)")
    coverage = None if tests else workspace.read_coverage()
    if coverage and coverage.failed:
        click.echo(f"left out, as they fail without a mutant: {', '.join(coverage.failed)}", err=True)
    known = workspace.results() if coverage else {}
    left = [mutant for mutant in sample[part - 1 :: parts] if mutant.id not in known]
    click.echo(f"{len(sample)} mutants, {len(left)} to run", err=True)
    stored = workspace.run([(mutant, texts[mutant.path]) for mutant in left], coverage, tests)
    results = [found for mutant in sample if (found := (known | stored).get(mutant.id))]
    report = results + [_mark(mutant, texts[mutant.path]) for mutant in marked]
    written = workspace.folder / "report.json"
    written.write_text(json.dumps([asdict(result) for result in report], indent=1), encoding="utf-8")
    click.echo(write_table(report))
    click.echo(f"written: {written}", err=True)
    if len(results) < len(sample):
        click.echo(f"missing: {len(sample) - len(results)} mutants (run the other shards)", err=True)
        sys.exit(3)
    if packages or operators or files or survivors or tests or most:
        return
    wanted = json.loads(floors.read_text(encoding="utf-8")) if floors.exists() else {}
    too_low = find_too_low(report, wanted)
    for line in too_low:
        click.echo(line, err=True)
    if raising:
        floors.write_text(json.dumps(raise_floors(report, wanted), indent=2) + "\n", encoding="utf-8")
    sys.exit(1 if too_low else 0)


def _read_shard(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdigit() and parts.isdigit() and 1 <= int(part) <= int(parts)):
        raise click.BadParameter(f'expected a part such as 1/4, found "{text}"', param_hint="--shard")
    return int(part), int(parts)


def _mark(mutant: Mutant, source: bytes) -> Result:
    place = mutant.id, mutant.package, mutant.operator, mutant.path, mutant.line
    return Result(*place, mutant.diff(source), "equivalent", "", 0)


def _find_again(mutants: list[Mutant], texts: dict[str, bytes], report: list[dict[str, str]]) -> list[Mutant]:
    """Return the mutants that survived in a report, even if their lines moved."""
    wanted = {(old["path"], old["diff"]) for old in report if old["outcome"] in ("survived", "uncovered")}
    paths = {path for path, _ in wanted}
    found: dict[tuple[str, str], Mutant] = {}
    for mutant in mutants:
        if mutant.path in paths:
            found.setdefault((mutant.path, mutant.diff(texts[mutant.path])), mutant)
    return [mutant for key, mutant in found.items() if key in wanted]


if __name__ == "__main__":
    main()
