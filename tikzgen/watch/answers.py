"""What the page is told: snapshots and views as plain data, and the fixed files of the page."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from tikzgen.watch.views import Snapshot, View

__all__ = ["FILES", "details", "file_of", "overview", "page"]

FILES = {
    "/watch.js": ("watch.js", "text/javascript; charset=utf-8"),
    "/watch.css": ("watch.css", "text/css; charset=utf-8"),
    "/watch.svg": ("watch.svg", "image/svg+xml"),
}
"""The files of the page by their route: no other file is ever served."""


@cache
def file_of(route: str) -> bytes:
    """One of `FILES`, from the package."""
    return (_folder() / FILES[route][0]).read_bytes()


def page(title: str, token: str, start: str) -> bytes:
    """The page itself; everything on it that changes comes later, from `overview` and `details`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(loader=FileSystemLoader(_folder()), autoescape=True, undefined=StrictUndefined)
    filled = made.get_template("page.html.j2").render(title=title, token=token, start=start)
    return filled.encode()


def _folder() -> Path:
    from tikzgen.base.shipped import template_folder

    return template_folder() / "watch"


def overview(snapshot: Snapshot, start: str) -> dict[str, Any]:
    """All figures with their status; `start` tells one run of the server from the next."""
    figures = [
        {
            "id": view.id,
            "name": view.name,
            "status": view.status,
            "number": view.number,
            "findings": len(view.findings),
        }
        for view in snapshot.views
    ]
    return {"start": start, "number": snapshot.number, "notice": snapshot.notice, "figures": figures}


def details(view: View) -> dict[str, Any]:
    """One figure with everything that the page shows of it."""
    picture = None if view.troubles else view.picture  # one stands in place of the other
    return {
        "id": view.id,
        "name": view.name,
        "file": view.file,
        "status": view.status,
        "number": view.number,
        "looked": view.looked,
        "picture": picture
        and {
            "number": view.picture_number,
            "width": round(picture.width, 4),
            "height": round(picture.height, 4),
            "paper": picture.paper,
            "alt": picture.alt,
            "language": picture.language,
            "notes": list(picture.notes),
        },
        "troubles": [asdict(trouble) for trouble in view.troubles],
        "findings": [{**finding.as_json(), "text": str(finding)} for finding in view.findings],
        "fields": [asdict(field) for field in view.fields],
    }
