"""Write docs/recipes.md: every recipe with a short spec and its picture, drawn without TeX.

`python tools/recipes_page.py` writes the page and the pictures; `--check` reports an outdated page.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
import tempfile
from pathlib import Path

from tikzgen.recipe.recipe_names import NAMES, NEEDS, recipe

PAGE = Path(__file__).parent.parent / "docs" / "recipes.md"
_INTRO = """# Find the recipe for your figure

A recipe draws a figure that papers often show from a few parameters. Select a link for its spec, or run `tikzgen new
NAME`. [The reference](reference/spec.md) lists all parameters. Most figures here have the width of a column (8.4 cm).
The recipe `trace` draws [profiler traces](traces.md).
"""
_COLUMNS = 3
# Parameters that show the purpose of a recipe; a recipe without an entry has its defaults.
_FACTS = {
    "data-parallel": "workers: 4",
    "gradient-accumulation": "steps: [[3, 5, 4], [4, 3, 3]]",
    "parameter-server": "workers: 3",
    "pipeline": "schedule: 1f1b\ndevices: 4\nmicrobatches: 6",
    "two-phase-commit": "direction: down",
    "paxos": "direction: down",
    "cluster": "nodes: 16\ngpus: 8\nrails: 8\nspines: 4",
    "3d-parallel": "tensor: 2\npipeline: 4\ndata: 2",
    "rlhf": "rollouts: 16\ntrainers: 8",
    "serving-system": "prefill: 4\ndecode: 8",
    "federated": "clients: 100",
    "mapreduce": "maps: 8\nreduces: 3",
    "moe": "experts: 64",
    "sharding": "then: [Shard(0), Replicate]\nwidth: 17.8",
    "ring-steps": "width: 17.8",
    "attention-mask": "blocks: 8\nranks: 4\nsplit: zigzag\nwidth: 17.8",
    "block-table": "width: 17.8",
    "memory-bars": "device: 80",
    "dispatch": "choices: [0, 2, 0, 0, 1, 0, 2, 0]\nranks: 2",
}

DRAWN = [name for name in NAMES if name not in NEEDS]
"""Recipes that need no files."""


def spec(name: str) -> str:
    """Return the spec of a recipe as the page shows it."""
    facts = _FACTS.get(name, "")
    lines = [f"recipe: {name}", *facts.splitlines(), *(() if "width" in facts else ("width: 8.4",))]
    return "\n".join(lines) + "\n"


def _grid() -> str:
    """Return the table of pictures, each with a link to its section."""
    cells = [f"![](recipes/{name}.png) [{name}](#{name})" for name in DRAWN]
    rows = ["| " + " | ".join(cells[at : at + _COLUMNS]) + " |" for at in range(0, len(cells), _COLUMNS)]
    return "\n".join(["|" + " |" * _COLUMNS, "|" + "---|" * _COLUMNS, *rows]) + "\n"


def page() -> str:
    """Return the text of the page."""
    parts = [_INTRO, _grid()]
    for name in DRAWN:
        said = (inspect.getdoc(recipe(name)) or "").splitlines()[0]
        parts.append(f"## {name}\n\n{said}\n\n```yaml\n{spec(name)}```\n\n![{name}](recipes/{name}.png)\n")
    return "\n".join(parts)


def _draw() -> None:
    folder = PAGE.with_suffix("")
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        files = []
        for name in DRAWN:
            file = Path(temporary) / f"{name}.yaml"
            file.write_text(spec(name), encoding="utf-8")
            files.append(str(file))
        where = ["--engine", "none", "--format", "png", "--dpi", "110", "--output", str(folder)]
        subprocess.run([sys.executable, "-m", "tikzgen", "build", *where, *files], check=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(None if PAGE.read_text(encoding="utf-8") == page() else f"{PAGE} is stale: run tools/recipes_page.py")
    PAGE.write_text(page(), encoding="utf-8")
    _draw()
