"""The page: counts by kind, and every changed figure with its pictures, difference and text.

The page needs no other file and no network. Pictures are compressed; the browser unpacks visible pictures.
"""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from tikzgen.base.record import NOTHING, Record
from tikzgen.base.version_and_cache_folder import template_folder
from tikzgen.serve.pictures.compare import STATUSES, Change, count_lines

__all__ = ["PageContents", "fill_page"]

_PAGE = "page.html.j2"


class PageContents(Record):
    """Strings of a page: `lead` is its first paragraph, `labels` replace names of statuses.

    `generator` names the program in the head of the page; `notes` are lines below a figure's name.
    """

    generator: str
    title: str
    heading: str
    lead: str
    labels: Mapping[str, str] = NOTHING
    notes: Mapping[str, Sequence[str]] = NOTHING


def fill_page(
    changes: Sequence[Change],
    page: PageContents,
    template: Path | None = None,
    waiting: Container[str] = (),
    **more: Any,
) -> str:
    """Return the page of all changes; a `template` that extends it gets `more` values.

    Figures in `waiting` are marked as pending.
    """
    folder = template_folder() / "pictures"
    environment = Environment(
        loader=FileSystemLoader([folder, *((template.parent,) if template else ())]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "anchor": _anchor,
        "packed": _pack_pictures,
        "colored": _color_lines,
        "counts": _spell_counts,
    }
    style, script = (Markup((folder / f"page.{suffix}").read_text(encoding="utf-8")) for suffix in ("css", "js"))
    return environment.get_template(template.name if template else _PAGE).render(
        **{name: getattr(page, name) for name in ("generator", "title", "heading", "lead", "labels", "notes")},
        changes=[change for change in changes if change.status != "unchanged"],
        statuses=[status for status in STATUSES if any(change.status == status for change in changes)],
        counts=_count_statuses(changes),
        waiting=waiting,
        style=style,
        script=script,
        **more,
    )


def _count_statuses(changes: Sequence[Change]) -> dict[str, dict[str, int]]:
    """Return how many figures of each kind have each status."""
    kinds = dict.fromkeys(change.kind for change in sorted(changes, key=lambda each: each.kind))
    return {
        kind: {status: sum((each.kind, each.status) == (kind, status) for each in changes) for status in STATUSES}
        for kind in kinds
    }


def _anchor(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name)


def _pack_pictures(change: Change) -> str:
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


def _color_lines(difference: str) -> Markup:
    """Return the lines of a difference as HTML, by their kind."""
    classes = {"+": "new", "-": "old", "@": "place"}
    rows = (
        Markup('<span class="{}">{}</span>').format(classes.get(line[:1], "same"), line)
        for line in difference.splitlines()
    )
    return Markup("\n").join(rows)


def _spell_counts(difference: str) -> str:
    added, removed = count_lines(difference)
    return f"+{added} −{removed} lines"
