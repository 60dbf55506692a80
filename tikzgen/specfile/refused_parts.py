"""What is said of facts that Python code gave and that cannot be: the command line's words, and no place in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from tikzgen.base.errors import PartRefused
from tikzgen.model.base import Part
from tikzgen.specfile.document import Document, Places
from tikzgen.specfile.explaining import explain


def given(call: str, facts: Mapping[str, Any]) -> Document:
    """The facts of a call as a description; messages name the call where a file would stand."""
    return Document(f"<{call}>", dict(facts), Places("", call))


def refused(error: ValidationError, kind: type[Part], facts: Mapping[str, Any]) -> PartRefused:
    """Why a part could not be made of these facts."""
    return PartRefused(explain(error, given(kind.__name__, facts), kind).problems, error)


def speak_plainly() -> None:
    """From now on, parts that cannot be made are refused in these words, and not in Pydantic's."""
    Part.refused = refused
