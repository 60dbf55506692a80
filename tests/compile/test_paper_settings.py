"""What a paper has set before a figure does not reach into it: a page for each setting, compared with a clean page."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import run
from conftest import ENGINES, NIGHTLY, ROOT, written
from papers import SHIP, Page, typeset

from tikzgen import recipes

pytestmark = pytest.mark.tex

FIGURES = ["distributed-training", "one-f-one-b", "cluster"]
LINES = (ROOT / "tests/cases/paper-settings.txt").read_text("utf-8").splitlines()
SETTINGS = [line for line in LINES if not line.startswith("%")]
LIBRARIES = "positioning,fit,decorations.pathmorphing,patterns,fadings,quotes"
ARTICLE = r"\documentclass{article}"
CLASSES = {
    "12pt": r"\documentclass[12pt]{article}",
    "KOMA": r"\documentclass[12pt]{scrartcl}\addtokomafont{disposition}{\color{red}}",
    "beamer": r"\documentclass[11pt]{beamer}\usefonttheme{serif}",
    "double": r"\documentclass{article}\usepackage{setspace,microtype}\doublespacing",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A figure of icons, a timeline and a figure of boxes, with `preamble.tex`."""
    made = tmp_path_factory.mktemp("figures")
    timeline = recipes.pipeline(schedule=["1f1b"], microbatches=6 if NIGHTLY else 2).tex()
    for name in FIGURES:
        text = timeline if name == "one-f-one-b" else written(ROOT / "examples" / f"{name}.yaml")
        (made / f"{name}.tex").write_text(text, "utf-8")
    printed = run("preamble", *(str(made / f"{name}.tex") for name in FIGURES))
    assert printed.status == 0
    (made / "preamble.tex").write_text(printed.out, "utf-8")
    return made


def pages(
    folder: Path, engine: str, name: str, settings: list[str], head: str = r"\documentclass{article}"
) -> list[Page]:
    """Typeset the figure once after each of the settings."""
    body = "\n".join(
        rf"\begingroup\typeout{{NOW \detokenize{{{setting}}}}}%"
        "\n"
        rf"{setting}\setbox\shipped\hbox{{\input{{{name}}}}}\global\setbox\shipped\box\shipped\endgroup"
        r"\ship{\box\shipped}"
        for setting in settings
    )
    source = f"{head}\n\\input{{preamble}}\n\\usetikzlibrary{{{LIBRARIES}}}\n{SHIP}\\begin{{document}}\n{body}\n"
    return typeset(folder, f"set-{name}-{engine}", source + "\\end{document}\n", engine=engine).pages()


def settings_that_reach_in(folder: Path, engine: str, name: str, settings: list[str], together: int) -> list[str]:
    """Return the settings after which the figure looks different; typeset `together` settings on a page at first."""
    groups = [settings[start : start + together] for start in range(0, len(settings), together)]
    clean, *found = pages(folder, engine, name, [r"\relax", *("".join(group) for group in groups)])
    assert len(found) == len(groups)
    changed = [group for group, page in zip(groups, found, strict=True) if not page.looks_like(clean)]
    suspects = [setting for group in changed for setting in group]
    return suspects if together == 1 or not suspects else settings_that_reach_in(folder, engine, name, suspects, 1)


@pytest.mark.parametrize("engine", ENGINES if NIGHTLY else ENGINES[:1])
@pytest.mark.parametrize("place", range(len(FIGURES)), ids=FIGURES)
def test_no_setting_of_a_paper_reaches_into_a_figure(folder: Path, place: int, engine: str) -> None:
    """By day, each setting meets one of the figures, together with two others."""
    settings = SETTINGS if NIGHTLY else SETTINGS[place :: len(FIGURES)]
    assert settings_that_reach_in(folder, engine, FIGURES[place], settings, 1 if NIGHTLY else 3) == []


@pytest.mark.parametrize("engine", ENGINES if NIGHTLY else ENGINES[:1])
@pytest.mark.parametrize("place", range(len(CLASSES)), ids=CLASSES)
def test_settings_do_not_reach_in_in_other_classes(folder: Path, place: int, engine: str) -> None:
    """A class has other sizes of text, which figures follow: a figure is compared with itself in the class.

    By day, each class has one of the figures.
    """
    head = [*CLASSES.values()][place]
    settings = SETTINGS if NIGHTLY else SETTINGS[::16]
    for name in FIGURES if NIGHTLY else [FIGURES[place % len(FIGURES)]]:
        clean, *found = pages(folder, engine, name, [r"\relax", *settings], head)
        assert [setting for setting, page in zip(settings, found, strict=True) if not page.looks_like(clean)] == []
