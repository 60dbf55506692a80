"""Prose linter: `python tools/prose` compares the findings of each package and kind of text with its budget.

The budgets are in tools/prose/budget.json and may only fall: `--lower` writes the current values if they are lower.
`--list PATH...` prints the findings of files or folders.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)  # the folder that holds the package `prose`

from prose.pieces import find_pieces  # noqa: E402
from prose.rules import ProseFinding, check_piece  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
BUDGET = Path(__file__).resolve().parent / "budget.json"


def list_files() -> list[str]:
    """Return the pages, modules and templates that git tracks, without tests."""
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True)
    names = done.stdout.splitlines()
    templates = [name for name in names if name.startswith("templates/") and name.endswith((".j2", ".yaml"))]
    names = [name for name in names if name.endswith((".md", ".py"))]
    modules = [name for name in names if name.startswith(("tikzgen/", "tools/")) and name.endswith(".py")]
    pages = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
    return [name for name in names if name in pages or name.startswith("docs/")] + modules + templates


def check_files(names: Iterable[str]) -> Iterator[ProseFinding]:
    """Yield the findings in files, named from the root. A line with `prose: allow` has none."""
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = text.splitlines()
        for piece in find_pieces(name, text):
            if "prose: allow" not in lines[piece.line - 1]:
                yield from check_piece(piece)


def group_of(found: ProseFinding) -> str:
    """Return the group of a finding in the budget: `docstrings of tikzgen/base`, or the kind of a page."""
    parts = found.path.split("/")
    if parts[0] == "tikzgen":
        return f"{found.room} of {'/'.join(parts[:2]) if len(parts) > 2 else 'tikzgen'}"
    return f"{found.room} of {parts[0]}" if parts[0] in ("tools", "templates") else found.room


def count_groups(findings: Iterable[ProseFinding]) -> dict[str, int]:
    """Return the number of findings of each group."""
    return dict(sorted(Counter(map(group_of, findings)).items()))


def main(words: list[str]) -> int:
    """Print the findings or the groups; return 1 if a group is over its budget."""
    if words[:1] == ["--list"]:
        wanted = [name for name in list_files() if any(name == word or name.startswith(f"{word}/") for word in words)]
        for found in check_files(wanted):
            print(f"{found.path}:{found.line}: {found.rule} [{found.room}] {found.text}")
        return 0
    counts = count_groups(check_files(list_files()))
    budget: dict[str, int] = json.loads(BUDGET.read_text(encoding="utf-8"))
    if words == ["--lower"]:
        budget = {name: min(number, counts[name]) for name, number in budget.items() if counts.get(name)}
        BUDGET.write_text(json.dumps(budget, indent=1) + "\n", encoding="utf-8")
    for name, count in counts.items():
        print(f"{count:6} {budget.get(name, 0):6}  {name}")
    print(f"{sum(counts.values()):6} {sum(budget.values()):6}  in all")
    return int(any(count > budget.get(name, 0) for name, count in counts.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
