"""Write the site: `python tools/web [FOLDER]` writes build/site/html, whose pages work without a network.

`--no-playground` leaves out the playground, whose build needs npm and a package index. `--few-pictures` draws an
eighth of the pictures and copies them for the others: a quick look at the pages.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from draw_pictures import draw_pictures
from example_pages import write_examples
from playground_files import write_playground
from stage_pages import ROOT, shown_specs, stage


def _pictures(source: Path, specs: Path) -> dict[str, str]:
    """Write every shown spec into one folder, and draw it."""
    texts = shown_specs()
    specs.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (specs / f"{name}.yaml").write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "examples" / "traces", specs / "traces", dirs_exist_ok=True)
    few = "--few-pictures" in sys.argv
    draw_pictures([specs / f"{name}.yaml" for name in texts], source / "pictures", few=few)
    return texts


def main() -> None:
    """Write the pictures and the pages, and build them with Sphinx; its warnings are errors."""
    folders = [Path(word) for word in sys.argv[1:] if not word.startswith("--")]
    site = folders[0].resolve() if folders else ROOT / "build" / "site"
    source, specs, out = site / "source", site / "specs", site / "html"
    for old in (source, specs, out):
        shutil.rmtree(old, ignore_errors=True)
    source.mkdir(parents=True)
    stage(source, _pictures(source, specs))
    (source / "kept").mkdir()
    shutil.copyfile(ROOT / "examples" / "pictures" / "watch.png", source / "kept" / "watch.png")
    write_examples(source, specs)
    if "--no-playground" not in sys.argv:
        write_playground(source, ROOT / "build" / "pyodide")
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto"]
    subprocess.run([sys.executable, "-m", "sphinx", *options, source, out], check=True)
    print(f"{out / 'index.html'}")


if __name__ == "__main__":
    main()
