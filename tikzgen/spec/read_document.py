"""Reader of files that describe a figure: a spec, a rendered .tex, or a PyTorch schedule."""

from __future__ import annotations

from pathlib import Path

from tikzgen.base.errors import Place, Problem, SpecError
from tikzgen.base.record import replace
from tikzgen.spec.document import Document
from tikzgen.spec.embedded_spec import extract_spec, identity_of
from tikzgen.spec.files_beside.pytorch_schedule_csv import looks_like_actions, parse_actions
from tikzgen.spec.parse_text import parse
from tikzgen.spec.source import PIPED_NAME, read_text


def read_document(path: str | Path) -> Document:
    """Read a description from a file, or from standard input if `path` is `-`.

    The file is a spec, a rendered .tex with its embedded spec, or a PyTorch schedule CSV. Raise `FileRefused` for an
    unreadable file and `SpecError` for an invalid description.
    """
    text, name = read_text(path)
    return parse_document(text, name, piped=name == PIPED_NAME)


def parse_document(text: str, name: str, *, piped: bool) -> Document:
    """Parse a description by the suffix of its name; the format of `piped` input is detected by contents."""
    if name.lower().endswith(".tex"):
        return _read_embedded_spec(text, name)
    if name.lower().endswith(".csv") or (piped and looks_like_actions(text)):
        return parse_actions(text, name)
    return parse(text, name)


def _read_embedded_spec(text: str, name: str) -> Document:
    """Return the embedded spec of a rendered figure."""
    found = extract_spec(text)
    if found is None:
        message = "contains no spec and cannot be rendered again"
        raise SpecError([Problem(message, place=Place(name), hint="only figures of tikzgen contain one")])
    document = parse(found, name)
    identity = identity_of(document.data)
    return replace(document, given=identity.given) if identity else document
