"""Where the templates lie: inside the package when installed, beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

__all__ = ["template_folder"]


def template_folder() -> Path:
    """The folder of the built-in templates; its subfolder `icons` holds the icons."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"
