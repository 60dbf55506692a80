"""Measure the goals of speed: `python tests/benchmarks/goals.py [--quick]` prints a Markdown table of ratios.

A ratio is CPU of whole processes, a median, measured in turns with its divisor in the same run. `libraries` is the
import of pydantic, jinja2, click and ruamel.yaml. A run is uncached where its row says so.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from functools import partial
from pathlib import Path
from random import Random

from bench import LATEX, ROOT, TIKZGEN, in_turns, process, table

PYTHON = TIKZGEN[0]
LIBRARIES = "import click, jinja2, pydantic, ruamel.yaml\nclass Model(pydantic.BaseModel):\n    size: int\n"
RENDERS = {"data-parallel": 2.1, "parameter-server": 2.1, "pipeline-schedules": 2.5, "serving-system": 2.5}
"""The ratios of uncached renders to reach, by example or recipe."""
LARGE = "recipe: pipeline\nschedule: 1f1b\ndevices: 64\nmicrobatches: 512\n"


def spans(count: int) -> str:
    """A timeline of that many spans on eight lanes."""
    chance, at = Random(count), [0] * 8
    rows = []
    for number in range(count):
        lane, long = number % 8, chance.randint(1, 9)
        rows.append(f"      - {{lane: l{lane}, start: {at[lane]}, duration: {long}, phase: forward}}")
        at[lane] += long
    lanes = ", ".join(f"{{id: l{lane}, label: L{lane}}}" for lane in range(8))
    return "\n".join(["panels:", "- content:", "  - type: timeline", f"    lanes: [{lanes}]", "    spans:", *rows, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three rounds, and no large figures")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env |= {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": f"{name}/bytecode", "XDG_CACHE_HOME": f"{name}/cache"}
        print_goals(folder, env, rounds=3 if quick else 9)
        if not quick:
            print_large(folder, {**env, "XDG_CACHE_HOME": os.devnull})


def print_goals(folder: Path, env: dict[str, str], rounds: int) -> None:
    """Print the ratios of small figures."""
    uncached = {**env, "XDG_CACHE_HOME": os.devnull}  # a place where no cache can be
    for recipe in ("data-parallel", "parameter-server"):
        (folder / f"{recipe}.yaml").write_text(f"recipe: {recipe}\nworkers: 3\n", encoding="utf-8")
    process([*TIKZGEN, "render", "data-parallel.yaml"], folder, env)
    small = ["data-parallel.tex"]
    verbs = {"show": small, "check": small, "pull": [*small, "-o", "-"], "new": ["data-parallel", "-o", "-"]}
    commands = {
        "libraries": ([PYTHON, "-c", LIBRARIES], env),
        "`import click`": ([PYTHON, "-c", "import click"], env),
        "`--help`": ([*TIKZGEN, "--help"], env),
        "cached render": ([*TIKZGEN, "render", "data-parallel.yaml", "-o", "-"], env),
        **{f"`{verb}` of a small file": ([*TIKZGEN, verb, *words], uncached) for verb, words in verbs.items()},
        "`edit set` of a small file": ([*TIKZGEN, "edit", *small, "set", "rowsep=3", "--dry-run"], uncached),
        "pdflatex of the same .tex": ([*LATEX, *small], env),
        "cold SVG": ([*TIKZGEN, "build", "data-parallel.yaml", "-f", "svg"], uncached),
    }
    for figure in RENDERS:
        spec = folder / f"{figure}.yaml"
        spec = spec if spec.exists() else ROOT / "examples" / spec.name
        commands[f"uncached render of {figure}"] = [*TIKZGEN, "render", str(spec), "-o", "-"], uncached
    goals = {f"uncached render of {figure}": goal for figure, goal in RENDERS.items()}
    goals |= {f"`{verb}` of a small file": 1.6 for verb in verbs}
    goals |= {"`--help`": 1.1, "cached render": 0.6, "`edit set` of a small file": 2.0, "cold SVG": 1.0}
    divisors = {"`--help`": "`import click`", "cold SVG": "pdflatex of the same .tex"}
    actions = {each: partial(process, command, folder, where) for each, (command, where) in commands.items()}
    found = in_turns(actions, rounds)
    rows = []
    for each, goal in goals.items():
        divisor = divisors.get(each, "libraries")
        rows.append([each, divisor, f"{found[each].cpu / found[divisor].cpu:.2f}", f"{goal}"])
    table("Small figures", "CPU of | divided by that of | ratio | goal", rows)


def print_large(folder: Path, env: dict[str, str]) -> None:
    """Print the CPU of large figures in seconds, and the libraries for comparison."""
    (folder / "large.yaml").write_text(LARGE, encoding="utf-8")
    for count in (10_000, 100_000):
        (folder / f"spans-{count}.yaml").write_text(spans(count), encoding="utf-8")
    process([*TIKZGEN, "render", "large.yaml"], folder, env)
    render = [*TIKZGEN, "render"]
    commands = {
        "libraries": ([PYTHON, "-c", LIBRARIES], ""),
        "10,000 spans, YAML": ([*render, "spans-10000.yaml", "-o", "-"], "1.5"),
        "100,000 spans, YAML": ([*render, "spans-100000.yaml", "-o", "-"], "10"),
        "64 × 512: render": ([*render, "large.yaml", "-o", "-"], "2.5"),
        "64 × 512: one edit": ([*TIKZGEN, "edit", "large.tex", "set-title", "A", "--dry-run"], "3"),
    }
    found = in_turns({each: partial(process, command, folder, env) for each, (command, _) in commands.items()}, 3)
    rows = [[each, f"{found[each].cpu:.2f}", goal] for each, (_, goal) in commands.items()]
    table("Large figures", "run | CPU, s | goal, s", rows)


if __name__ == "__main__":
    main()
