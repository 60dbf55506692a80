"""Descriptions in: YAML and JSON with the place of every value, overrides, readable errors; the JSON Schema out."""

from __future__ import annotations

from tikzgen.specfile.document import Document, Places, format_path
from tikzgen.specfile.parse_text import parse, read
from tikzgen.specfile.settings import apply

__all__ = ["Document", "Places", "apply", "format_path", "parse", "read"]
