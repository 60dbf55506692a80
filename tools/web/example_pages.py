"""The gallery: one page per example with its picture, and with its spec, Python and .tex to copy."""

from __future__ import annotations

import re
from pathlib import Path

from as_python import as_python
from stage_pages import ROOT, UNLISTED, shown

__all__ = ["write_examples"]

_TABS = """::::{{tab-set}}
:::{{tab-item}} Spec
```yaml
{spec}```
:::
:::{{tab-item}} Python
```python
{python}```
:::
:::{{tab-item}} .tex
```latex
{tex}```
:::
::::
"""


def write_examples(source: Path, rendered: Path) -> None:
    """Write the pages; `rendered` holds the .tex of every picture."""
    folder = source / "examples"
    folder.mkdir(exist_ok=True)
    names = sorted(path.stem for path in (ROOT / "examples").glob("*.yaml"))
    cards = ""
    for name in names:
        spec = ROOT / "examples" / f"{name}.yaml"
        title, lead, text = _words(spec.read_text(encoding="utf-8"), name)
        tex = (rendered / f"example-{name}.tex").read_text(encoding="utf-8")
        tabs = _TABS.format(spec=text, python=as_python(spec), tex=tex)
        page = f"{UNLISTED}# {title}\n\n{lead}\n\n{shown(f'example-{name}', title, '../')}\n\n{tabs}"
        (folder / f"{name}.md").write_text(page, encoding="utf-8")
        cards += f":::{{grid-item-card}} {title}\n:link: examples/{name}\n:link-type: doc\n"
        cards += f"{shown(f'example-{name}', '')}\n:::\n"
    (source / "examples.md").write_text(_GALLERY.format(cards=cards), encoding="utf-8")


_GALLERY = """# Gallery

Every example of `examples/`, with its spec, the Python that makes the same file, and the .tex. The build of this
site drew the pictures, without TeX.

::::{{grid}} 1 1 2 2
:gutter: 3
:class-container: gallery
{cards}::::
"""


def _words(text: str, name: str) -> tuple[str, str, str]:
    """Return the title of an example, its first comment, and its text without the line for editors."""
    lines = text.splitlines(keepends=True)
    kept = "".join(line for line in lines if not line.startswith("# yaml-language-server"))
    title = re.search(r"^  name: (.*)$", text, re.MULTILINE)
    lead = " ".join(re.findall(r"\A((?:^# .*\n)+)", kept, re.MULTILINE)).replace("# ", "").strip()
    return (title[1].strip("\"'") if title else name), lead, kept
