"""The report of changed pictures: one HTML page with the old and new pictures, differences and text.

`python tools/picture_report.py` draws all examples, icons and drawn test cases twice, without TeX: with the code of a
commit, and with the code of the working tree. `--accept` then writes the goldens that the page showed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from pictures.goldens import Pending, accept, pending_goldens, save_page_state, stray_goldens
from pictures.page import goldens_page
from pictures.sides import ReportError, commit_of, draw_revision, draw_tree

from tikzgen.serve.pictures.compare import STATUSES, Change, compare_all

ROOT = Path(__file__).parent.parent


def main(words: list[str] | None = None, root: Path = ROOT) -> int:
    """Write the page or accept goldens; return the exit status."""
    options = _options(words)
    page = options.output or root / "build" / "pictures.html"
    try:
        if options.accept is not None:
            return _accept(root, page, options.accept)
        return _report(root, page, options.base, options.check)
    except ReportError as error:
        print(f"picture_report: {error}", file=sys.stderr)
        return 2


def _options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tools/picture_report.py",
        description="Show which pictures changed, on one HTML page, and accept goldens.",
        epilog="Exit status: 0 done, 1 a figure no longer renders (or, with --check, a picture or golden differs), "
        "2 not done.",
    )
    parser.add_argument("--base", metavar="REV", default="HEAD", help="Use this revision as the base. (default: HEAD)")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="Write the page to this file. (default: build/pictures.html)"
    )
    parser.add_argument("--check", action="store_true", help="Exit with 1 if a picture or a golden differs.")
    parser.add_argument(
        "--accept", nargs="*", metavar="NAME", help="Write the goldens that the page showed, all or these."
    )
    return parser.parse_args(words)


def _report(root: Path, page: Path, base: str, check: bool) -> int:
    commit = commit_of(root, base)
    before = draw_revision(root, commit, root / "build" / "pictures")
    after = draw_tree(root)
    changes = compare_all(before, after)
    pending = [*pending_goldens(root, after), *stray_goldens(root)]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(goldens_page(changes, pending, f"{base} ({commit[:9]})"), encoding="utf-8")
    save_page_state(page, pending)
    print(f"{os.path.relpath(page)}: {_summary(changes, pending)}")
    for change in changes:
        if change.status == "broken":
            print(f"  {change.name}: no longer renders: {change.errors[-1].splitlines()[0]}")
    if pending:
        print("  look at the page, then accept the goldens: python tools/picture_report.py --accept")
    broken = any(change.status == "broken" for change in changes)
    differs = bool(pending) or any(change.status != "unchanged" for change in changes)
    return int(broken or (check and differs))


def _summary(changes: list[Change], pending: list[Pending]) -> str:
    counts = {status: sum(change.status == status for change in changes) for status in STATUSES}
    told = [f"{count} {status}" for status, count in counts.items() if count]
    waiting = f"; {len(pending)} golden{'s' * (len(pending) > 1)} to accept" if pending else ""
    return ", ".join(told) + waiting


def _accept(root: Path, page: Path, names: list[str]) -> int:
    done = accept(root, page, names)
    for each in done:
        print(f"{'removed' if each.new is None else 'accepted'} {each.slot}")
    if not done:
        print("the page shows no golden to accept")
    return 0


if __name__ == "__main__":
    sys.exit(main())
