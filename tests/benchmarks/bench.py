"""Measure tikzgen: `python tests/benchmarks/bench.py [--quick] [SECTION…]` prints Markdown tables.

What a ratio compares was measured in the same run, in turns (A B A B …), and every figure is a median. CPU is user plus
system time, which hardly depends on what else the machine does; wall time does. Processes run with caches of their own,
filled by a round that does not count: they find compiled modules and templates, as a user's do.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from tikzgen import Figure, Lane, Panel, Span, Timeline, loads, recipes

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
FIGURES = ("distributed-training", "gradient-accumulation", "parameter-server")
SEEDS = Path(__file__).resolve().parent / "seeds"
TIKZGEN = [sys.executable, "-m", "tikzgen"]
LATEX = ["pdflatex", "-no-shell-escape", "-interaction=batchmode", "-halt-on-error"]


class Cost(NamedTuple):
    """What something took, in seconds."""

    cpu: float
    wall: float


def process(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> Cost:
    """Run a process to its end; its children count."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return Cost(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall)


def call(function: Callable[[], object]) -> Cost:
    """Call a function in this process."""
    cpu, start = time.process_time(), time.perf_counter()
    function()
    return Cost(time.process_time() - cpu, time.perf_counter() - start)


def in_turns(actions: Mapping[str, Callable[[], Cost]], rounds: int) -> dict[str, Cost]:
    """The median cost of each action, all of them once a round; the first round does not count."""
    costs: dict[str, list[Cost]] = {name: [] for name in actions}
    for count in range(rounds + 1):
        for name, action in actions.items():
            cost = action()
            if count:
                costs[name].append(cost)
    return {name: Cost(*map(median, zip(*found, strict=True))) for name, found in costs.items()}


def table(title: str, head: str, rows: Sequence[Sequence[str]]) -> None:
    """Print a Markdown table; `head` holds the names of its columns, with bars between."""
    lines = [head, "|".join("---" for _ in head.split("|")), *(" | ".join(row) for row in rows)]
    print(f"\n### {title}\n\n" + "\n".join(f"| {line} |" for line in lines), flush=True)


def ms(seconds: float) -> str:
    """Spell a time in milliseconds, to three digits or to the whole number."""
    return f"{seconds * 1000:.3g}" if seconds < 1 else f"{seconds * 1000:,.0f}"


def example(name: str) -> str:
    """The spec of an example."""
    return (ROOT / "examples" / f"{name}.yaml").read_text(encoding="utf-8")


def processes(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Whole processes, against a Python that does nothing."""
    uncached = {**env, "XDG_CACHE_HOME": os.devnull}  # a place where no cache can be
    first = [*TIKZGEN, "render", str(ROOT / "examples" / "distributed-training.yaml"), "-o", "-"]
    actions = {
        "`python -c pass`": partial(process, [sys.executable, "-c", "pass"], folder, env),
        "`tikzgen --help`": partial(process, [*TIKZGEN, "--help"], folder, env),
        "`tikzgen render` distributed-training, for the first time": partial(process, first, folder, uncached),
    }
    for spec in EXAMPLES:
        command = [*TIKZGEN, "render", str(spec), "-o", "-"]
        actions[f"`tikzgen render` {spec.stem}"] = partial(process, command, folder, env)
    found = in_turns(actions, 3 if quick else 15)
    targets = {"`tikzgen --help`": "150", "`tikzgen render` distributed-training": "300"}
    floor = found["`python -c pass`"].cpu
    rows = [[k, ms(v.cpu), ms(v.wall), f"{v.cpu / floor:.1f}", targets.get(k, "")] for k, v in found.items()]
    table("Whole processes", "process | CPU, ms | wall, ms | CPU, `python -c pass` = 1 | target, wall ms", rows)


def figures(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """One figure in a process that has made it before."""
    actions: dict[str, Callable[[], Cost]] = {}
    for name in FIGURES:
        actions[f"{name}, spec to .tex"] = partial(call, partial(_spec_to_tex, example(name)))
        actions[f"{name}, model to .tex"] = partial(call, loads(example(name)).tex)
    found = in_turns(actions, 20 if quick else 200)
    rows = [[name, ms(cost.cpu), ms(cost.wall), "3"] for name, cost in found.items()]
    table("A figure, once warm", "from, to | CPU, ms | wall, ms | target, wall ms", rows)


def _spec_to_tex(text: str) -> str:
    return loads(text).tex()


def scaling(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Ten times as many parts should take ten times as long: the time for each part, decade by decade."""
    counts = (10, 100, 1_000) if quick else (10, 100, 1_000, 10_000)
    kinds: dict[str, Callable[[int], Callable[[], object]]] = {
        "workers: recipe to figure": lambda count: partial(recipes.data_parallel, workers=count),
        "workers: figure to .tex": lambda count: recipes.data_parallel(workers=count, spacing=_DENSE).tex,
        "spans: Python to figure": lambda count: partial(_figure, *_timeline(count)),
        "spans: YAML to figure": lambda count: partial(loads, _yaml(*_timeline(count))),
        "spans: JSON to figure": lambda count: partial(loads, _json(*_timeline(count))),
        "spans: figure to .tex": lambda count: _figure(*_timeline(count)).tex,
    }
    rows = []
    for name, make in kinds.items():
        each = []
        for count in counts:
            rounds = max(1, min(9, 3000 // count))
            each.append(in_turns({name: partial(call, make(count))}, rounds)[name].cpu / count)
        growth = ", ".join(f"{after / before:.2f}" for before, after in pairwise(each))
        rows.append([name, *(f"{seconds * 1e6:.0f}" for seconds in each), growth])
    head = " | ".join(["from, to", *(f"{count:,} parts" for count in counts), "growth by decade: 1 is linear"])
    table("Scaling: CPU for each part, µs", head, rows)


_DENSE = {"rowsep": 0.05}  # cm: ten thousand rows within TeX's largest dimension

Facts = list[dict[str, Any]]


def _timeline(count: int) -> tuple[Facts, Facts]:
    """The lanes and spans of a timeline: eight GPUs, each with labelled spans that follow each other."""
    lanes: Facts = [{"id": f"gpu{number}", "label": f"GPU {number}"} for number in range(8)]
    phases = ("forward", "backward")
    spans: Facts = [
        {"lane": f"gpu{k % 8}", "start": k // 8 * 2, "duration": 2, "phase": phases[k // 8 % 2], "label": "F"}
        for k in range(count)
    ]
    return lanes, spans


def _figure(lanes: Facts, spans: Facts) -> Figure:
    timeline = Timeline(lanes=[Lane(**lane) for lane in lanes], spans=[Span(**span) for span in spans])
    return Figure(panels=[Panel(content=[timeline])])


def _json(lanes: Facts, spans: Facts) -> str:
    return json.dumps({"panels": [{"content": {"type": "timeline", "lanes": lanes, "spans": spans}}]}, indent=1)


def _yaml(lanes: Facts, spans: Facts) -> str:
    head = f"panels:\n- content:\n    type: timeline\n    lanes: {json.dumps(lanes)}\n    spans:\n"
    return head + "".join(f"    - {json.dumps(span)}\n" for span in spans)


def compiling(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Our source of each seed's figure against the seed's own, written by hand."""
    actions: dict[str, Callable[[], Cost]] = {}
    names = [name for name in FIGURES if (SEEDS / f"{name}.tex").exists()]
    for name in names:
        ours = folder / f"{name}.tex"
        ours.write_text(loads(example(name)).tex(), encoding="utf-8")
        actions[f"{name} by hand"] = partial(process, [*LATEX, str(SEEDS / ours.name)], folder, env)
        actions[f"{name} ours"] = partial(process, [*LATEX, str(ours)], folder, env)
    found = in_turns(actions, 3 if quick else 15)
    pairs = [(name, found[f"{name} by hand"].cpu, found[f"{name} ours"].cpu) for name in names]
    rows = [[name, ms(theirs), ms(made), f"{made / theirs:.3f}", "1.1"] for name, theirs, made in pairs]
    table("Compiling with pdflatex", "figure | by hand, CPU ms | ours, CPU ms | ratio | target", rows)


def building(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """`tikzgen build examples`: every figure compiled, then nothing left to do."""
    command = [*TIKZGEN, "build", str(ROOT / "examples"), "-o", str(folder / "built")]
    runs = (f"{len(EXAMPLES)} figures, for the first time", "again, nothing changed")
    costs = [process(command, folder, env) for _ in runs]
    rows = [[run, ms(c.cpu), ms(c.wall), f"{c.cpu / costs[0].cpu:.3f}"] for run, c in zip(runs, costs, strict=True)]
    table("`tikzgen build examples`", "run | CPU, ms | wall, ms | CPU ratio", rows)


SECTIONS = {section.__name__: section for section in (processes, figures, scaling, compiling, building)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"some of {', '.join(SECTIONS)}; else all")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, and no more than 1,000 parts")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    gc.disable()  # as timeit does: it would be charged to whatever happens to run when it comes
    with tempfile.TemporaryDirectory() as name:
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env |= {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": f"{name}/bytecode", "XDG_CACHE_HOME": f"{name}/cache"}
        os.environ["XDG_CACHE_HOME"] = env["XDG_CACHE_HOME"]
        for section in options.sections or SECTIONS:
            if section in ("compiling", "building") and shutil.which(LATEX[0]) is None:
                print(f"\n{section}: left out, there is no {LATEX[0]} here")
                continue
            SECTIONS[section](Path(name), env, options.quick)


if __name__ == "__main__":
    main()
