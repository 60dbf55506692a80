"""`tikzgen metrics`: measures of schedules as text, as JSON, and as macros for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tikzgen.cli import shared_options as shared
from tikzgen.cli.shared_options import Bounded
from tikzgen.cli.voice import print_output, spelt_json, tell_of

if TYPE_CHECKING:
    from tikzgen.lint.measures import Report


@click.command(cls=Bounded)
@click.argument("spec")
@click.option(
    *("--format", "format_"),
    type=click.Choice(["text", "json", "tex"]),
    default="text",
    show_default=True,
    help=shared.FORMAT_HELP,
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file; - is stdout, the default.")
@shared.set_option
@shared.allow_invalid
@shared.stdin_filename
@shared.trust_option()
def command(spec: str, format_: str, output: str | None, settings: tuple[str, ...], allow_invalid: bool) -> None:
    """Print makespan, busy time, bubbles and other measures of SPEC.

    \b
      tikzgen metrics fig.yaml --format tex -o fig-metrics.tex

    The measures are exact. Each timeline has its own. SPEC is YAML, JSON, a rendered .tex, or a PyTorch schedule CSV; -
    is stdin. The output of --format tex belongs in the preamble of the paper. Macros such as \\pipelineMakespan contain
    the numbers of the figure.
    """
    from tikzgen.lint.measures import report_of
    from tikzgen.lint.read_valid import read_valid

    found, document = read_valid(spec, settings, allow_invalid=allow_invalid, drawn=False)
    text = _format_report(report_of(found, document.name), format_, document.name)
    if output in (None, "-"):
        print_output(text, nl=False)
    else:
        assert output is not None
        _write(Path(output), text, format_)


def _format_report(report: Report, format_: str, name: str) -> str:
    if format_ == "json":
        return spelt_json(report.as_json()) + "\n"
    # A folder's name would differ between machines.
    return report.as_text() if format_ == "text" else report.as_tex(Path(name).name)


def _write(path: Path, text: str, format_: str) -> None:
    """Write the file; never write macros over a .tex of another origin."""
    from tikzgen.base.errors import FileRefused
    from tikzgen.base.folders import lock_folder
    from tikzgen.base.write_files import write_file
    from tikzgen.lint.measures import MARK

    with lock_folder(path):
        if format_ == "tex" and path.is_file():
            with path.open("rb") as file:
                ours = file.read(len(MARK)) in (MARK.encode(), b"")
            if not ours:
                message = f"{path}: not overwritten: `tikzgen metrics` did not write this file"
                raise FileRefused(message, hint="-o writes elsewhere")
        tell_of(path, write_file(path, text.encode()))
