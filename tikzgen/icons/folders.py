"""Where the templates lie: inside the package when installed, beside it in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["plugin_folders", "template_folder"]


@cache
def template_folder() -> Path:
    """The folder of the built-in templates; its subfolder `icons` holds the icons."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "templates"
    return inside if inside.is_dir() else package.parent / "templates"


def plugin_folders() -> tuple[Path, ...]:
    """The template folders of installed packages: what their entry points in `tikzgen.templates` load, by name.

    Each is a path, or a module beside whose file `templates` lies. Looking them up takes some milliseconds, so it is
    done only for an icon that is found nowhere else.
    """
    from importlib.metadata import entry_points

    found = []
    for point in sorted(entry_points(group="tikzgen.templates"), key=lambda point: point.name):
        loaded = point.load()
        found.append(Path(loaded) if isinstance(loaded, str | Path) else Path(loaded.__file__).parent / "templates")
    return tuple(found)
