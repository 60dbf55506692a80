"""Sandboxes for untrusted figures, and programs that read PDFs in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tikzgen.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from tikzgen.compile.sandbox.needs_sandbox import cell_for as cell_for
    from tikzgen.compile.sandbox.reader_process import ReaderProcess as ReaderProcess
    from tikzgen.compile.sandbox.reader_process import made_of as made_of
    from tikzgen.compile.sandbox.sandbox import ProcessSandbox as ProcessSandbox
    from tikzgen.compile.sandbox.sandbox import sandbox_argv as sandbox_argv
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "needs_sandbox": "cell_for",
            "reader_process": "ReaderProcess made_of",
            "sandbox": "ProcessSandbox sandbox_argv",
        },
    )
