"""Worker that draws pictures with the tikzgen of one tree.

`python draw_side.py TREE` reads jobs from stdin and writes one line of JSON per job to stdout. It runs in a separate
interpreter, so that an earlier revision draws with its own code. It uses only functions that earlier revisions have.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

PALETTES = ("light", "dark")
_ICON = """\
palette: {palette}
panels: [{{content: [{{type: topology, nodes: [{{kind: node, id: n, icon: {icon}, label: ""}}]}}]}}]
"""


def draw_job(path: Path, both: bool) -> dict[str, Any]:
    """Return the TeX, the metadata and the pictures of one source.

    After an error, return the completed ones and the error.
    """
    done: dict[str, Any] = {"tex": "", "metadata": "", "pictures": {}, "error": ""}
    try:
        if path.suffix == ".tex":
            done["tex"] = path.read_text(encoding="utf-8")
            from tikzgen import edit

            done["pictures"]["light"] = _svg(edit.open(path))
        else:
            _draw_figure(path, both, done)
    except Exception as error:  # the page shows it
        done["error"] = _told(error)
    return done


def _draw_figure(path: Path, both: bool, done: dict[str, Any]) -> None:
    from tikzgen import render

    figure = _load(path, None)
    own = str(figure.palette)
    rendered = render(figure)
    done["tex"] = rendered.tex
    done["metadata"] = json.dumps(rendered.metadata, ensure_ascii=False, indent=2) + "\n"
    done["pictures"][own] = _svg(rendered)
    for palette in PALETTES if both else ():
        if palette != own:
            done["pictures"][palette] = _svg(render(_load(path, palette)))


def _load(path: Path, palette: str | None) -> Any:
    from tikzgen import load, loads

    if path.name.endswith(".tex.j2"):
        icon = path.name.partition(".")[0]
        return loads(_ICON.format(palette=palette or "light", icon=icon), name=f"{icon}.yaml")
    return load(path, settings=[f"palette={palette}"] if palette else [])


def _svg(figure: Any) -> str:
    """Return the picture for notebooks; raise `ValueError` with the reason if it is missing."""
    shown: dict[str, str] = figure._repr_mimebundle_()
    if "image/svg+xml" not in shown:
        raise ValueError(shown["text/plain"].partition("\n")[0])
    return shown["image/svg+xml"]


def _told(error: Exception) -> str:
    """Return the message of an error, with the traceback of a bug."""
    from tikzgen import TikzgenError

    message = " ".join(str(error).split())
    if isinstance(error, TikzgenError):
        return message
    steps = "".join(traceback.format_tb(error.__traceback__)[1:]).replace(str(Path.cwd()) + os.sep, "")
    return f"{type(error).__name__}: {message}\n{steps}"


def main() -> None:
    """Draw all jobs."""
    tree = Path(sys.argv[1]).resolve()
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    import tikzgen

    if not Path(tikzgen.__file__).is_relative_to(tree):
        sys.exit(f"{tree} has no package tikzgen")
    for line in sys.stdin:
        job = json.loads(line)
        done = draw_job(Path(job["path"]), job["both"])
        print(json.dumps({"name": job["name"], **done}), flush=True)


if __name__ == "__main__":
    main()
