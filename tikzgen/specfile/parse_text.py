"""From a file, standard input or a text to a `Document`."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from tikzgen.specfile.compose import Builder
from tikzgen.specfile.document import Document
from tikzgen.specfile.json import NotJson, build_json
from tikzgen.specfile.source import check_text, read_text
from tikzgen.specfile.yaml import build_yaml

__all__ = ["parse", "read"]


def read(source: str | Path, *, stdin: BinaryIO | None = None, stdin_name: str | None = None) -> Document:
    """Read the description in a file, or on standard input where `source` is `-` (called `stdin_name` in messages).

    Raises `FileRefused` for a file that cannot be read and `SpecError` for one that is no description.
    """
    text, name = read_text(source, stdin=stdin, stdin_name=stdin_name)
    return _build(text, name).document()


def parse(text: str, name: str = "<text>") -> Document:
    """Read the description that `text` holds, YAML or JSON; messages call it `name`. Raises `SpecError`."""
    return _build(check_text(text, name), name).document()


def _build(text: str, name: str) -> Builder:
    named_json = name.lower().endswith(".json")
    if named_json or text.lstrip()[:1] in ("{", "["):
        try:
            return build_json(text, name)
        except NotJson:
            if named_json:
                raise
            # a YAML flow collection begins like JSON
    return build_yaml(text, name)
