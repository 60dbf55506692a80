"""The pages of docs/ for the site, with links between its pages and with the pictures of the build."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

__all__ = ["ROOT", "UNLISTED", "is_in_list", "moved_addresses", "shown_specs", "stage"]

ROOT = Path(__file__).resolve().parents[2]
_DRAWN = re.compile(r"^```yaml\n(?P<spec>[^`]*?)^```\n\n!\[[^]]*\]\((?P<file>[\w/-]+)\.png\)", re.MULTILINE)
_IMAGE = re.compile(r"!\[(?P<alt>[^]]*)\]\((?P<file>[\w./-]+)\.png\)")
_LINK = re.compile(r"\]\((?P<target>[^)#\s]+)(?P<place>#[^)]*)?\)")
_BESIDE = {"README.md": "index.md", "examples": "examples.md"}
_MOVED = Path(__file__).with_name("moved.tsv")
_STUB = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>This page moved</title>
<noscript><meta http-equiv="refresh" content="0; url={address}"></noscript>
<p>This page moved to <a href="{address}">{address}</a>.</p>
<script src="_static/moved.js"></script>
<script src="_static/site.js"></script>
</html>
"""
UNLISTED = "---\norphan: true\n---\n\n"
"""Front matter of a page that its list names, and the menu does not: 170 more entries would hide the others."""
_TAKEN = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}


def shown_specs() -> dict[str, str]:
    """Return every spec with a picture on the site, by the picture's name.

    These are the examples, and spec blocks above a picture.
    """
    specs = {f"example-{path.stem}": path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.yaml")}
    for page in sorted((ROOT / "docs").glob("*.md")):
        for found in _DRAWN.finditer(page.read_text(encoding="utf-8")):
            specs[_name(found["file"])] = found["spec"]
    return specs


def _name(file: str) -> str:
    """Return the name of the site's picture for a file of docs/ or examples/."""
    if file.startswith("../examples/pictures/"):
        return f"example-{Path(file).name}"
    return file.replace("/", "-")


def stage(source: Path, pictures: Mapping[str, str]) -> None:
    """Write the pages of docs/ and the root's pages into a folder; `pictures` has the picture sources by name."""
    docs = ROOT / "docs"
    for kept in ("paper/paper.tex", "styles", "conf.py", "_static"):
        if (docs / kept).is_dir():
            shutil.copytree(docs / kept, source / kept, dirs_exist_ok=True)
        else:
            (source / kept).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(docs / kept, source / kept)
    for page in docs.rglob("*.md"):
        place = page.relative_to(docs)
        (source / place).parent.mkdir(parents=True, exist_ok=True)
        text = _staged(page.read_text(encoding="utf-8"), place, pictures)
        (source / place).write_text(UNLISTED * is_in_list(place) + text, encoding="utf-8")
    for name, place in _TAKEN.items():
        text = re.sub(r"\]\(docs/", "](", (ROOT / name).read_text(encoding="utf-8"))
        (source / place).write_text(_staged(text, Path(place), pictures), encoding="utf-8")
    _write_moved(source)


def is_in_list(place: Path) -> bool:
    """Return whether a page of docs/ describes one rule, command or recipe of the list above it."""
    return len(place.parts) > 2


def moved_addresses() -> dict[str, str]:
    """Return the new page and heading of each page and heading that moved: `page#heading`, without a suffix."""
    lines = _MOVED.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def _html(address: str) -> str:
    """Return the address of a page, with or without a heading, on the site."""
    page, sign, heading = address.partition("#")
    return f"{page}.html{sign}{heading}"


def _write_moved(source: Path) -> None:
    """Write the table of moved pages and headings for site.js, and a page at each old address."""
    moved = {_html(old): _html(new) for old, new in moved_addresses().items()}
    table = f"const moved = {json.dumps(moved, indent=1)};\n"
    (source / "_static" / "moved.js").write_text(table, encoding="utf-8")
    (source / "moved").mkdir()
    for old, new in moved.items():
        if "#" not in old:
            (source / "moved" / old).write_text(_STUB.format(address=new), encoding="utf-8")


def _staged(text: str, place: Path, pictures: Mapping[str, str]) -> str:
    up = "../" * (len(place.parts) - 1)

    def image(found: re.Match[str]) -> str:
        name = _name(found["file"])
        if name in pictures:
            return shown(name, found["alt"], up)
        file = (ROOT / "docs" / place.parent / f"{found['file']}.png").resolve()
        return f"![{found['alt']}]({up}kept/{file.name})" if file.parent == ROOT / "examples" / "pictures" else found[0]

    def link(found: re.Match[str]) -> str:
        return f"]({_target(found['target'], up)}{found['place'] or ''})"

    return _LINK.sub(link, _IMAGE.sub(image, text))


def shown(name: str, alt: str, up: str = "") -> str:
    """Return the Markdown of a picture in its two palettes."""
    return "".join(f"![{alt}]({up}pictures/{each}/{name}.svg){{.only-{each}}}" for each in ("light", "dark"))


def _target(target: str, up: str) -> str:
    if target == "paper":
        return f"{up}paper/paper.tex"
    if not target.startswith("../"):
        return target
    name = target.removeprefix("../")
    if found := re.fullmatch(r"examples/([\w-]+)\.yaml", name):
        return f"{up}examples/{found[1]}.md"
    known = _BESIDE | _TAKEN
    return f"{up}{known[name]}" if name in known else target
