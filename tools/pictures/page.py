"""The page of the report: the changed pictures, and the goldens that wait for acceptance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pictures.goldens import Pending
from tikzgen.serve.pictures.compare import Change
from tikzgen.serve.pictures.page import PageContents, fill_page

__all__ = ["goldens_page"]


def goldens_page(changes: Sequence[Change], pending: Sequence[Pending], base: str) -> str:
    """Return the page of all changes and all goldens to accept."""
    names = {change.name for change in changes}
    unchanged = {change.name for change in changes if change.status == "unchanged"}
    texts = PageContents(
        "tools/picture_report.py",
        f"Changed pictures since {base}",
        "Changed pictures",
        f"Before: {base}. After: the working tree. Both sides are drawn by their own code, without TeX.",
    )
    return fill_page(
        changes,
        texts,
        Path(__file__).with_name("goldens.html.j2"),
        waiting={each.name for each in pending},
        stale=[each for each in pending if each.name in unchanged and not each.is_record_only],
        records=[each for each in pending if each.is_record_only],
        received=[each for each in pending if each.name not in names],
        pending=pending,
    )
