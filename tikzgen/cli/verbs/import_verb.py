"""`tikzgen import`: a diagram in another language, as a spec."""

from __future__ import annotations

from pathlib import Path

import click

from tikzgen.cli.shared_options import Bounded, stdin_filename
from tikzgen.cli.voice import print_error, print_line, print_output


@click.command(cls=Bounded)
@click.argument("diagram", metavar="DIAGRAM")
@click.option("-o", "--output", metavar="SPEC.yaml", default="-", help="Write to this file; - is stdout, the default.")
@click.option("--partial", is_flag=True, help="Leave out unsupported statements, and list them.")
@click.option("--language", default="", metavar="NAME", help="Set the language; by default, the suffix decides.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@stdin_filename
def command(diagram: str, output: str, partial: bool, language: str, force: bool) -> None:
    """Turn DIAGRAM into a spec: Mermaid, D2 or DOT.

    \b
      tikzgen import flow.mmd -o flow.yaml

    DIAGRAM is a file with the suffix .mmd, .d2, .dot or .gv; - is stdin. Every statement without a counterpart is an
    error with its line. With --partial, the spec has all other statements, and a message lists each omission.
    """
    from tikzgen.base.errors import FileRefused
    from tikzgen.base.write_files import write_files
    from tikzgen.spec.load_figure import import_diagram
    from tikzgen.spec.spec_text import to_yaml

    path = Path(output)
    if output != "-" and path.exists() and not force:
        raise FileRefused(f"{path}: exists already", hint="--force overwrites it, -o writes elsewhere")
    found = import_diagram(diagram, language=language, partial=partial)
    for problem in found.left_out:
        print_error(f"{problem.place}: left out: {problem.message}")
    for note in found.notes:
        print_error(str(note))
    text = to_yaml(found.document.data)
    if output == "-":
        print_output(text, nl=False)
        return
    write_files({path: text.encode()}, expect={} if force else {path: None})
    print_line(f"{path} written; next: tikzgen render {path}")
