"""What `tikzgen edit FIG.tex set …` takes beside `tikzgen render` of the same spec: `python tests/benchmarks/edits.py`.

Both are processes without a cache, in turns; CPU time, the median of three. An edit plans one layout, as a render does.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench import EXAMPLES, TIKZGEN, process

_MOST = 1.3


def main(names: list[str]) -> int:
    """Print a row for every example; whether one took too long."""
    print("| figure | render | edit … set | ratio |\n|---|---|---|---|")
    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for example in EXAMPLES:
            if names and example.stem not in names:
                continue
            render, edit = _costs(example, Path(folder))
            slow += edit > _MOST * render
            print(
                f"| {example.stem} | {render * 1000:.0f} ms | {edit * 1000:.0f} ms | {edit / render:.2f} |", flush=True
            )
    return int(slow > 0)


def _costs(example: Path, folder: Path) -> tuple[float, float]:
    """Seconds of CPU for a render, and for an edit of a text."""
    costs: tuple[list[float], list[float]] = ([], [])
    text = _text_of(example)
    for turn in range(3):
        calls = (["render", str(example), "-o", "fig.tex", "--force"], ["edit", "fig.tex", "set", f"{text}=T{turn}"])
        for found, words in zip(costs, calls, strict=True):
            env = {**os.environ, "XDG_CACHE_HOME": str(folder / f"cache{turn}{words[0]}")}
            found.append(process([*TIKZGEN, *words], folder, env).cpu)
    return median(costs[0]), median(costs[1])


def _text_of(example: Path) -> str:
    """The first parameter of the example that is a text."""
    from tikzgen import load, show

    with tempfile.TemporaryDirectory() as folder:
        path = load(example).save(Path(folder) / "fig.tex")
        return next(each.name[1:] for each in show(path).parameters if each.type == "text")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
