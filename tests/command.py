"""Running the command line inside the test's process."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from unittest import mock

from tikzgen.cli import main

__all__ = ["Done", "run"]


@dataclass(frozen=True)
class Done:
    """What a command did."""

    status: int
    out: str
    err: str


def run(*arguments: str, stdin: str | bytes = "") -> Done:
    """Run `tikzgen` with these arguments and this standard input."""
    out, err = io.StringIO(), io.StringIO()
    data = stdin.encode() if isinstance(stdin, str) else stdin
    with (
        mock.patch.object(sys, "argv", ["tikzgen", *arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as done:
            status = int(done.code or 0)
    return Done(status, out.getvalue(), err.getvalue())
