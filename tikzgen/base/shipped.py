"""What ships beside the code: the version, and the folder of the templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["VERSION", "template_folder"]

VERSION = "0.1.0"


@cache
def template_folder() -> Path:
    """The built-in templates, inside the package when installed, beside it in a checkout; `icons` holds the icons."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"
