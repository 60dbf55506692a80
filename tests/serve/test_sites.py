"""Figures in pages of others, built with the real tools and seen in Chromium; what cannot be drawn fails a build."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypandoc
import pytest
from browser import open_browser
from conftest import ROOT

from tikzgen.serve.sites import FILTER
from tikzgen.serve.sites.mkdocs import FencedBlock, split_page

SPEC = "recipe: data-parallel\nworkers: 2\nwidth: 8.4\n"
WRONG = SPEC.replace("workers", "wrokers")
SAYS = 'wrokers: unknown field (did you mean "workers"?)'
ALT = "Data-parallel training: 2 workers"

RST = """A page
======

.. tikzgen::
   :caption: Two *workers*
   :name: talks

{indented}

See :numref:`talks`.

.. tikzgen:: fig.yaml
   :alt: the same
   :width: 50%
   :set: workers=3
"""
MYST = """# Another page

```{{tikzgen}}
:dark:
{text}```
"""
MARKDOWN = """---
title: A page
---

# Figures

```tikzgen width=8.4
{text}```

````markdown
```tikzgen
this is shown, not drawn
```
````
"""
CONF = """extensions = ["tikzgen.sites.sphinx", "myst_parser"]
html_theme = "furo"
numfig = True
"""
MKDOCS = """site_name: A site
theme: {name: material, font: false, palette: {scheme: default}}
plugins: [{tikzgen: {dark: true}}]
"""
QUARTO = """# A page

```{{.tikzgen workers=3 caption="Who *talks*" #fig-talk}}
{text}```
"""
PLAIN = "\n```{.tikzgen}\nrecipe: ring-all-reduce\n```\n"


def notebook(text: str) -> str:
    """A notebook that loads the magic, draws a cell and goes on with its figure."""
    import nbformat

    cells = ["%load_ext tikzgen", f"%%tikzgen fig workers=3\n{text}", "print(len(fig.panels), repr(fig))"]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nbformat.writes(made)


def call(folder: Path, *command: str) -> tuple[int, str]:
    """What a tool ends with, and all it says; `tikzgen` of this project stands first on the PATH."""
    here = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": here, "NO_COLOR": "1", "COLUMNS": "1000"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def build(tool: str, folder: Path, text: str) -> tuple[int, str, Path]:
    """A small site with that spec, its page, and what the tool said."""
    python = sys.executable
    (folder / "fig.yaml").write_text(SPEC, encoding="utf-8")
    if tool in ("sphinx", "myst"):
        (folder / "conf.py").write_text(CONF, encoding="utf-8")
        rst, indented = tool == "sphinx", re.sub("^", "   ", text, flags=re.MULTILINE)
        page = folder / ("index.rst" if rst else "index.md")
        page.write_text(RST.format(indented=indented) if rst else MYST.format(text=text), encoding="utf-8")
        return *call(folder, python, "-m", "sphinx", "-W", "-b", "html", ".", "out"), folder / "out" / "index.html"
    if tool == "mkdocs":
        (folder / "docs" / "sub").mkdir(parents=True)
        (folder / "mkdocs.yml").write_text(MKDOCS, encoding="utf-8")
        (folder / "docs" / "index.md").write_text("# Home\n\n[on](sub/page.md)\n", encoding="utf-8")
        (folder / "docs" / "sub" / "page.md").write_text(MARKDOWN.format(text=text), encoding="utf-8")
        done = call(folder, python, "-m", "mkdocs", "build", "--strict", "--no-directory-urls")
        return *done, folder / "site" / "sub" / "page.html"
    if tool == "pandoc":
        (folder / "page.md").write_text(QUARTO.format(text=text) + PLAIN, encoding="utf-8")
        command = (pypandoc.get_pandoc_path(), "page.md", "--lua-filter", str(FILTER), "--standalone")
        done = call(folder, *command, "--metadata", "title=A page", "--extract-media=media", "-o", "page.html")
        return *done, folder / "page.html"
    (folder / "page.ipynb").write_text(notebook(text), encoding="utf-8")
    done = call(folder, python, "-m", "nbconvert", "--execute", "--to", "html", "page.ipynb")
    return *done, folder / "page.html"


TOOLS = ("sphinx", "myst", "mkdocs", "pandoc", "jupyter")
PICTURES = {"sphinx": 2, "myst": 2, "mkdocs": 2, "pandoc": 2, "jupyter": 1}
"""How many a page has; with a second one for dark pages."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with open_browser(tmp_path_factory.mktemp("browser") / "profile") as found:
        yield found


SHOWN = """return [...document.querySelectorAll('svg[role=img], img')]
  .filter(each => !each.closest('nav, header, footer'))
  .filter(each => each.tagName == 'svg' || /tikzgen-|^data:image.svg/.test(each.src))
  .map(each => [each.getBoundingClientRect().width, each.tagName == 'svg' || each.naturalWidth > 100,
       each.alt || each.textContent])"""


@pytest.mark.browser
@pytest.mark.parametrize("tool", TOOLS)
def test_a_page_shows_its_figures(tool: str, tmp_path: Path, browser: Any) -> None:
    status, said, page = build(tool, tmp_path, SPEC)
    assert status == 0, said
    browser.get(page.as_uri())
    found = browser.execute_script(SHOWN)
    assert len(found) == PICTURES[tool]
    assert all(loaded for _, loaded, _ in found)
    shown = [text for width, _, text in found if width > 150]
    assert len(shown) == (2 if tool in ("sphinx", "pandoc") else 1), "of two colourings one is seen"
    if tool != "jupyter":  # nbconvert puts no text beside its picture; it has its own inside
        assert shown[0] == "Who talks" if tool == "pandoc" else shown[0].startswith(ALT)
    text = browser.find_element("tag name", "body").text
    if tool == "sphinx":
        assert "Fig. 1\nTwo workers" in text or "Fig. 1 Two workers" in text.replace("\n", " ")
        assert shown[1] == "the same"
    elif tool == "pandoc":
        assert shown[1].startswith("Ring all-reduce")
    elif tool == "mkdocs":
        assert "this is shown, not drawn" in text
    elif tool == "jupyter":
        assert "1 <Figure distributed-training: " in text
    errors = [each["message"] for each in browser.get_log("browser") if each["level"] == "SEVERE"]
    assert [each for each in errors if "https://" not in each] == []  # nbconvert's page asks for MathJax


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_a_figure_that_cannot_be_drawn_fails_the_build(tool: str, tmp_path: Path) -> None:
    status, said, page = build(tool, tmp_path, WRONG)
    assert status != 0
    assert SAYS in said
    assert "Traceback (most recent call last)" not in said or tool == "jupyter"  # nbconvert's own
    assert not page.exists()
    line = {"sphinx": "index.rst:9:", "myst": "index.md:6:", "mkdocs": "sub/page.md:9:", "jupyter": "cell:2:"}
    assert line.get(tool, "<stdin>:2:") in said


@pytest.mark.slow
def test_sphinx_hands_latex_a_pdf(tmp_path: Path) -> None:
    build("sphinx", tmp_path, SPEC)
    status, said = call(tmp_path, sys.executable, "-m", "sphinx", "-W", "-b", "latex", ".", "tex")
    assert status == 0, said
    (tex,) = (tmp_path / "tex").glob("*.tex")
    name = re.findall(r"includegraphics(?:\[[^]]*\])?\{\{(tikzgen-\w+)\}", tex.read_text("utf-8"))
    assert (tmp_path / "tex" / f"{name[0]}.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("to", "suffix", "signature"),
    [("html", "svg", b"<svg"), ("latex", "pdf", b"%PDF"), ("beamer", "pdf", b"%PDF"), ("docx", "png", b"\x89PNG")],
)
def test_pandoc_gets_the_format_that_its_output_takes(to: str, suffix: str, signature: bytes, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(QUARTO.format(text=SPEC), encoding="utf-8")
    filtered = ("page.md", "--lua-filter", str(FILTER), "-t", to, "-o", f"page.{to}", "--extract-media=media")
    status, said = call(tmp_path, pypandoc.get_pandoc_path(), *filtered)
    assert status == 0, said
    (picture,) = (tmp_path / "media").iterdir()
    assert picture.suffix == f".{suffix}"
    assert signature in picture.read_bytes()[:200]


def test_the_page_on_sites_shows_these_pages() -> None:
    shown = (ROOT / "docs" / "sites.md").read_text(encoding="utf-8")
    told = MARKDOWN.partition("\n````markdown")[0].format(text=SPEC)
    rst = RST.format(indented=re.sub("^", "   ", SPEC.rstrip(), flags=re.MULTILINE))
    for page in (
        rst,
        MYST.format(text=SPEC),
        MKDOCS,
        told,
        QUARTO.format(text=SPEC),
        f"%%tikzgen fig workers=3\n{SPEC}",
    ):
        assert page in shown


def test_blocks_in_a_page() -> None:
    text = "a\n  ~~~tikzgen x=1 y=2\n  recipe: ring\n    k: v\n  ~~~\nb\n```python\n~~~tikzgen\n```\n"
    block = FencedBlock(("x=1", "y=2"), "recipe: ring\n  k: v\n", "  ", 2)
    assert [*split_page(text)] == ["a\n", block, "b\n", "```python\n", "~~~tikzgen\n", "```\n"]
