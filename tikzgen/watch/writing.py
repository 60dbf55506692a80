"""A spec with something in it changed: only the lines that say so, everything else to the byte."""

from __future__ import annotations

from typing import Any

from tikzgen.errors import TikzgenError

__all__ = ["encoded", "rewritten"]


def rewritten(text: str, name: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    """The spec that says `after` where `text` says `before`, both in their shortest form.

    A writer of YAML spells what it did not change in its own way. So it writes both, and what differs between the two
    is merged into the text as its author made it; where that cannot be, its own spelling stands.
    """
    if before == after:
        return text
    spell = _json if _is_json(text, name) else _yaml
    base, ours = spell(text, before, before), spell(text, before, after)
    from tikzgen.edit.merge import merge

    theirs = text.splitlines(keepends=True)
    merged = "".join(merge(base.splitlines(keepends=True), ours.splitlines(keepends=True), theirs, "ours").lines)
    for candidate in (merged, ours):
        if _says(candidate, name) == after:
            return candidate
    raise TikzgenError("the file is written in a way that cannot be kept", hint="change it in the file")


def encoded(text: str, before: bytes) -> bytes:
    """The bytes of a text with the line ends and the byte order mark that the file had."""
    if b"\r\n" in before:
        text = text.replace("\n", "\r\n")
    return (b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b"") + text.encode()


def _is_json(text: str, name: str) -> bool:
    return name.lower().endswith(".json") or text.lstrip()[:1] == "{"


def _yaml(text: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    from ruamel.yaml.error import YAMLError

    from tikzgen.spec.writing import to_yaml

    try:
        return to_yaml(after, text, before)
    except YAMLError as error:
        raise TikzgenError(f"the file cannot be rewritten: {str(error).splitlines()[0]}") from None


def _json(text: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    from tikzgen.spec.writing import to_json

    try:
        return to_json(after, text, before)
    except ValueError:
        raise TikzgenError("the file is no plain JSON", hint="change it in the file") from None


def _says(text: str, name: str) -> Any:
    """What a text says in its shortest form; None where it says nothing."""
    from tikzgen.loading import loads
    from tikzgen.rendering.capsule import description

    try:
        return description(loads(text, name=name))
    except TikzgenError:
        return None
