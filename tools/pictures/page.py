"""The page: counts by kind, and every changed figure with its pictures, difference and text.

The page needs no other file and no network. Pictures are compressed; the browser unpacks visible pictures.
"""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pictures.compare import STATUSES, Change
from pictures.goldens import Pending

__all__ = ["write_page"]

_FOLDER = Path(__file__).parent


def write_page(path: Path, changes: Sequence[Change], pending: Sequence[Pending], base: str) -> None:
    """Write the page of all changes and all goldens to accept."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"anchor": _anchor, "packed": _packed, "colored": _colored, "counts": _line_counts}
    names = {change.name for change in changes}
    waiting = {name: [each for each in pending if each.name == name] for name in names}
    unchanged = {change.name for change in changes if change.status == "unchanged"}
    path.write_text(
        environment.get_template("page.html.j2").render(
            base=base,
            changes=[change for change in changes if change.status != "unchanged"],
            stale=[each for each in pending if each.name in unchanged and not each.is_record_only],
            records=[each for each in pending if each.is_record_only],
            texts=[each for each in pending if each.name not in names],
            waiting=waiting,
            pending=pending,
            statuses=STATUSES,
            counts=_counts(changes),
            style=Markup((_FOLDER / "page.css").read_text(encoding="utf-8")),
            script=Markup((_FOLDER / "page.js").read_text(encoding="utf-8")),
        ),
        encoding="utf-8",
    )


def _counts(changes: Sequence[Change]) -> dict[str, dict[str, int]]:
    """Return how many figures of each kind have each status."""
    kinds = dict.fromkeys(change.kind for change in sorted(changes, key=lambda each: each.kind))
    return {
        kind: {status: sum((each.kind, each.status) == (kind, status) for each in changes) for status in STATUSES}
        for kind in kinds
    }


def _anchor(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name)


def _packed(change: Change) -> str:
    """Return the pictures of a figure, each once, and which of them is shown where."""
    drawings: dict[str, int] = {"": -1}
    shown = {
        palette: [
            drawings.setdefault(side.pictures.get(palette, "") if side else "", len(drawings) - 1)
            for side in (change.before, change.after)
        ]
        for side in (change.before, change.after)
        for palette in (side.pictures if side else ())
    }
    data = json.dumps({"drawings": [svg for svg in drawings if svg], "shown": shown}, ensure_ascii=False)
    return b64encode(gzip.compress(data.encode(), mtime=0)).decode()


def _colored(difference: str) -> Markup:
    """Return the lines of a difference as HTML, by their kind."""
    classes = {"+": "new", "-": "old", "@": "place"}
    rows = (
        Markup('<span class="{}">{}</span>').format(classes.get(line[:1], "same"), line)
        for line in difference.splitlines()
    )
    return Markup("\n").join(rows)


def _line_counts(difference: str) -> str:
    lines = difference.splitlines()
    return f"+{sum(line.startswith('+') for line in lines)} −{sum(line.startswith('-') for line in lines)} lines"
