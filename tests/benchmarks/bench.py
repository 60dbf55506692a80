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
from random import Random
from statistics import median
from typing import Any, NamedTuple

from tikzgen import Figure, Lane, Panel, Span, TikzgenError, Timeline, load, loads, metrics, recipes, render
from tikzgen.compile.convert import to_png
from tikzgen.compile.draw.draw_tex import draw
from tikzgen.compile.formats_without_tex import drawn_pdf, drawn_svg
from tikzgen.edit.find_words import find_words
from tikzgen.lint.check_figure import broken_rules
from tikzgen.recipe.recipe_names import recipe
from tikzgen.schedule import actions, pipeline, plan, write_csv
from tikzgen.spec.files_beside.pytorch_schedule_csv import parse_actions
from tikzgen.spec.load_figure import validate_description
from tikzgen.texfile import scan
from tikzgen.texfile.code import group
from tikzgen.texfile.source_text import decode
from tikzgen.texfile.tokens import tokenize

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


def changed(text: str, folder: Path, env: Mapping[str, str]) -> Cost:
    """Render a spec that is another file each time: nothing of it lies in the cache."""
    spec = folder / "changed.yaml"
    spec.write_text(f"{text}\n# {time.monotonic_ns()}\n", encoding="utf-8")
    return process([*TIKZGEN, "render", str(spec), "-o", "-"], folder, env)


def processes(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Whole processes, against a Python that does nothing."""
    uncached = {**env, "XDG_CACHE_HOME": os.devnull}  # a place where no cache can be
    first = [*TIKZGEN, "render", str(ROOT / "examples" / "distributed-training.yaml"), "-o", "-"]
    actions = {
        "`python -c pass`": partial(process, [sys.executable, "-c", "pass"], folder, env),
        "`tikzgen --help`": partial(process, [*TIKZGEN, "--help"], folder, env),
        "`tikzgen render` distributed-training, without a cache": partial(process, first, folder, uncached),
        "`tikzgen render` distributed-training, changed": partial(
            changed, example("distributed-training"), folder, env
        ),
    }
    for spec in EXAMPLES:
        command = [*TIKZGEN, "render", str(spec), "-o", "-"]
        actions[f"`tikzgen render` {spec.stem}"] = partial(process, command, folder, env)
    figure = folder / "figure.tex"
    figure.write_bytes((ROOT / "tests" / "goldens" / "distributed-training.tex").read_bytes())
    for verb in ("show", "check", "edit"):
        more = ["add-worker", "--dry-run"] if verb == "edit" else []
        actions[f"`tikzgen {verb}` distributed-training"] = partial(
            process, [*TIKZGEN, verb, str(figure), *more], folder, env
        )
    found = in_turns(actions, 3 if quick else 15)
    targets = {"`tikzgen --help`": "150", "`tikzgen render` distributed-training, changed": "300"} | {
        f"`tikzgen {verb}` distributed-training": "300" for verb in ("render", "show", "check", "edit")
    }
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


def reading(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """The layers that read a .tex, in one process, and `tikzgen show` as a whole one."""
    rows = []
    for path in (SEEDS / "distributed-training.tex", *(ROOT / "tests" / "goldens" / f"{name}.tex" for name in FIGURES)):
        text = decode(path.read_bytes())
        actions = {
            "tokens": partial(call, partial(tokenize, text)),
            "groups": partial(call, lambda text=text: group(text, tokenize(text)[0])),
            "facts": partial(call, partial(scan, text)),
            "show": partial(process, [*TIKZGEN, "show", str(path)], folder, env),
        }
        costs = in_turns(actions, 3 if quick else 15)
        rates = [f"{1 / costs[name].cpu:,.0f}" for name in ("tokens", "groups", "facts")]
        where = f"{path.parent.name}/{path.stem}"
        rows.append([where, f"{len(text):,}", *rates, ms(costs["show"].cpu), ms(costs["show"].wall)])
    head = "source | characters | tokens, files/s | with groups | with facts | show, CPU ms | wall ms"
    table("Reading a .tex", head, rows)


def topologies(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Random graphs that find their own places, each in a process, against a Python that does nothing."""
    nothing = "`python -c pass`"
    actions = {nothing: partial(process, [sys.executable, "-c", "pass"], folder, env)}
    for nodes, flows in ((20, 30), (60, 100)):
        for framed in (False, True):
            name = f"{nodes} entities, {flows} flows" + (" with labels, in frames" if framed else "")
            actions[name] = partial(changed, _random_graph(nodes, flows, framed=framed), folder, env)
    found = in_turns(actions, 1 if quick else 5)
    rows = [[name, ms(cost.cpu), f"{cost.cpu / found[nothing].cpu:.0f}"] for name, cost in found.items()]
    table("Random topologies", "process | CPU ms | ratio", rows)


def _random_graph(nodes: int, flows: int, *, framed: bool) -> str:
    """A spec in which any entity may be joined to any other one; a frame holds five of them."""
    random = Random(nodes)
    names = [f"n{index}" for index in range(nodes)]
    joined = [dict(zip(("source", "target"), random.sample(names, 2), strict=True)) for _ in range(flows)]
    content: dict[str, object] = {"type": "topology", "nodes": [{"kind": "node", "id": n, "label": n} for n in names]}
    content["flows"] = [
        {**flow, "label": random.choice(["", "push", "KV blocks"])} if framed else flow for flow in joined
    ]
    if framed:
        content["groups"] = [{"id": f"g{low}", "members": names[low : low + 5]} for low in range(0, nodes, 10)]
    return json.dumps({"panels": [{"content": content}]})


def scaling(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Ten times as many parts should take ten times as long: the time for each part, decade by decade."""
    workers: dict[str, Callable[[int], Callable[[], object]]] = {
        "workers: recipe to figure": lambda count: partial(recipes.data_parallel, workers=_shown(count)),
        "workers: figure to .tex": lambda count: recipes.data_parallel(workers=_shown(count), spacing=_DENSE).tex,
    }
    spans: dict[str, Callable[[int], Callable[[], object]]] = {
        "spans: Python to figure": lambda count: partial(_figure, *_timeline(count)),
        "spans: YAML to figure": lambda count: partial(loads, _yaml(*_timeline(count))),
        "spans: JSON to figure": lambda count: partial(loads, _json(*_timeline(count))),
        "spans: figure to .tex": lambda count: _figure(*_timeline(count)).tex,
    }
    _scaling(workers, (5, 50, 500))  # a figure shows 512 at most
    _scaling(spans, (10, 100, 1_000) if quick else (10, 100, 1_000, 10_000))


def _shown(count: int) -> dict[str, int]:
    """So many workers, all of them drawn."""
    return {"count": count, "show": count}


def _scaling(kinds: Mapping[str, Callable[[int], Callable[[], object]]], counts: Sequence[int]) -> None:
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

Facts = dict[str, Any]


def _timeline(count: int) -> tuple[list[Facts], list[Facts]]:
    """The lanes and spans of a timeline: eight GPUs, each with labelled spans that follow each other."""
    lanes: list[Facts] = [{"id": f"gpu{number}", "label": f"GPU {number}"} for number in range(8)]
    phases = ("forward", "backward")
    spans: list[Facts] = [
        {"lane": f"gpu{k % 8}", "start": k // 8 * 2, "duration": 2, "phase": phases[k // 8 % 2], "label": "F"}
        for k in range(count)
    ]
    return lanes, spans


def _figure(lanes: list[Facts], spans: list[Facts]) -> Figure:
    timeline = Timeline(lanes=[Lane(**lane) for lane in lanes], spans=[Span(**span) for span in spans])
    return Figure(panels=[Panel(content=[timeline])])


def _json(lanes: list[Facts], spans: list[Facts]) -> str:
    return json.dumps({"panels": [{"content": {"type": "timeline", "lanes": lanes, "spans": spans}}]}, indent=1)


def _yaml(lanes: list[Facts], spans: list[Facts]) -> str:
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


def masses(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Timelines of more spans than nodes can draw: what a span costs here and in pdfTeX, in its own memory."""
    empty = folder / "empty.tex"
    empty.write_text(_figure(*_timeline(1)).tex(), encoding="utf-8")
    floor = process([*LATEX, str(empty)], folder, env).cpu
    rows = []
    for count in (1_000, 10_000) if quick else (1_000, 10_000, 100_000):
        figure, path = _figure(*_timeline(count)), folder / f"mass{count}.tex"
        made = in_turns({"": partial(call, figure.tex)}, 1)[""].cpu
        path.write_text(figure.tex(), encoding="utf-8")
        cost = process([*LATEX, str(path)], folder, env).cpu
        each = [f"{seconds / count * 1e6:.0f}" for seconds in (made, cost - floor)]
        size = path.stat().st_size / count
        rows.append([f"{count:,}", ms(made), ms(cost), *each, f"{size:.0f}"])
    head = "spans | to .tex, CPU ms | pdflatex, CPU ms | to .tex, µs a span | pdflatex, µs a span | bytes a span"
    table("Big timelines", head, rows)


def drawings(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Pictures without TeX, in turns with pdflatex on the same file: warm, as PNG, and by a process of its own."""
    rows = []
    for name in (*FIGURES, "pipeline-schedules", "zero-bubble", "vector-clocks"):
        source, path = load(ROOT / "examples" / f"{name}.yaml").tex(), folder / f"{name}.tex"
        path.write_text(source, encoding="utf-8")
        pdf = drawn_pdf(source, find_words(source))
        build = [*TIKZGEN, "build", "--no-cache", str(path), "-f", "svg", "-o", str(folder / "svg")]
        steps: dict[str, Callable[[], Cost]] = {
            "pdflatex": partial(process, [*LATEX, path.name], folder, env),
            "SVG": partial(call, partial(_drawn, source)),
            "PNG": partial(call, partial(to_png, pdf, dpi=150)),
            "cold": partial(process, build, folder, env),
        }
        costs = in_turns(steps, 3 if quick else 9)
        floor = costs["pdflatex"].cpu
        ratios = [f"{costs[step].cpu / floor:.3f}" for step in ("SVG", "PNG", "cold")]
        rows.append([name, ms(floor), ms(costs["SVG"].cpu), *ratios])
    head = "figure | pdflatex, CPU ms | SVG, CPU ms | SVG, ratio | PNG on top, ratio | cold process, ratio"
    table("Pictures without TeX", head, rows)
    many = _figure(*_timeline(10_000 if quick else 100_000)).tex()
    print(f"\n{'10,000' if quick else '100,000'} spans as SVG: {ms(call(partial(_drawn, many)).cpu)} ms CPU")


def _drawn(source: str) -> bytes:
    draw.cache_clear()
    return drawn_svg(source, find_words(source))


def building(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """`tikzgen build examples`: every figure compiled, then nothing left to do."""
    command = [*TIKZGEN, "build", str(ROOT / "examples"), "-o", str(folder / "built")]
    runs = (f"{len(EXAMPLES)} figures, for the first time", "again, nothing changed")
    costs = [process(command, folder, env) for _ in runs]
    rows = [[run, ms(c.cpu), ms(c.wall), f"{c.cpu / costs[0].cpu:.3f}"] for run, c in zip(runs, costs, strict=True)]
    table("`tikzgen build examples`", "run | CPU, ms | wall, ms | CPU ratio", rows)


def batch(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """Copies of the seeds' figures with labels of their own: `latexmk`, one by one, against `tikzgen build`.

    Half of the copies are compiled by latexmk before the build and half after it; the cache is empty at first.
    """
    specs, sources = folder / "copies", folder / "sources"
    specs.mkdir()
    sources.mkdir()
    count = 24 if quick else 99
    for number in range(count):
        name = FIGURES[number % len(FIGURES)]
        text = _LABELS[name](example(name), number)
        (specs / f"copy{number}.yaml").write_text(text, encoding="utf-8")
        (sources / f"copy{number}.tex").write_text(loads(text).tex(), encoding="utf-8")
    latexmk = [["latexmk", "-norc", "-pdf", "-silent", f"copy{number}.tex"] for number in range(count)]
    build = [*TIKZGEN, "build", str(specs), "-o", str(folder / "batch"), "--quiet"]
    empty = {**env, "XDG_CACHE_HOME": str(folder / "empty")}
    before = [process(command, sources, env) for command in latexmk[: count // 2]]
    first, again = (process(build, folder, empty) for _ in range(2))
    one_by_one = [*before, *(process(command, sources, env) for command in latexmk[count // 2 :])]
    slow = Cost(*map(sum, zip(*one_by_one, strict=True)))
    rows = []
    for name, cost in {"latexmk, one by one": slow, "tikzgen build": first, "tikzgen build, unchanged": again}.items():
        ratios = [f"{slow.wall / cost.wall:.1f}", f"{slow.cpu / cost.cpu:.1f}"]
        rows.append([name, f"{cost.wall:.2f}", f"{cost.cpu:.2f}", *ratios])
    head = "way | wall, s | CPU, s | times faster, wall | times less CPU"
    table(f"{count} copies with distinct labels (targets: 3 times faster; unchanged in 0.3 s)", head, rows)


_LABELS: dict[str, Callable[[str, int], str]] = {
    "distributed-training": lambda text, number: f"{text}labels: {{server: Server {number}}}\n",
    "gradient-accumulation": lambda text, number: text.replace("空闲", f"空闲 {number}"),
    "parameter-server": lambda text, number: text.replace("同步更新", f"同步更新 {number}"),
}
"""How a copy of each gets labels of its own."""


def schedules(folder: Path, env: Mapping[str, str], quick: bool) -> None:
    """1F1B at growing sizes: order to exact times, to measures, to .tex, to PDF; and a list of it, checked."""
    rows = []
    for devices, microbatches in SIZES[: 2 if quick else 3]:
        cells = 2 * devices * microbatches
        facts: Facts = {"schedule": "1f1b", "devices": devices, "microbatches": microbatches}
        listed = write_csv(actions(plan("1f1b", devices, microbatches)))
        steps: dict[str, Callable[[], Cost]] = {
            "simulate": partial(call, partial(pipeline, "1f1b", devices, microbatches)),
            "`metrics`: facts to JSON": partial(call, partial(_measured, facts)),
            "`check`: CSV to findings": partial(call, partial(_checked, listed)),
            "`render`: facts to .tex": partial(call, partial(_rendered, facts)),
        }
        if shutil.which(LATEX[0]):
            steps["compile with pdflatex"] = partial(_compiled, facts, folder, env)
        for name, step in steps.items():
            size = [f"{devices} × {microbatches}", f"{cells:,}", name]
            try:
                cost = step() if cells > MOST_REPEATED else in_turns({name: step}, 3 if quick else 9)[name]
            except (SystemExit, TikzgenError) as error:
                rows.append([*size, "–", "–", str(error).splitlines()[0][:60]])
            else:
                rows.append([*size, ms(cost.cpu), ms(cost.wall), f"{cost.cpu / cells * 1e6:.1f}"])
    table("1F1B, devices × microbatches", "size | cells | step | CPU, ms | wall, ms | CPU for each cell, µs", rows)


SIZES = ((8, 32), (64, 512), (256, 1024))
"""Devices and microbatches of the schedules that are measured."""

MOST_REPEATED = 10_000
"""What has more cells is measured once: it takes long enough to be told from noise."""


def _checked(text: str) -> int:
    findings = broken_rules(*validate_description(parse_actions(text, "ranks.csv"), ["schedule=1f1b"]))
    assert not findings
    return len(findings)


def _measured(facts: Facts) -> dict[str, object]:
    return metrics(recipe("pipeline")(**facts)).as_json()


def _rendered(facts: Facts) -> str:
    return render(recipe("pipeline")(**facts).make_figure_with_origin()).tex


def _compiled(facts: Facts, folder: Path, env: Mapping[str, str]) -> Cost:
    """The whole run of pdflatex, at its default memory."""
    file = folder / "cells.tex"
    file.write_text(_rendered(facts), encoding="utf-8")
    return process([*LATEX, file.name], folder, env)


_PARTS = (processes, figures, reading, topologies, scaling, schedules, masses, compiling, drawings, building, batch)
SECTIONS = {section.__name__: section for section in _PARTS}


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
            if section in ("masses", "compiling", "drawings", "building", "batch") and shutil.which(LATEX[0]) is None:
                print(f"\n{section}: left out, there is no {LATEX[0]} here")
                continue
            SECTIONS[section](Path(name), env, options.quick)


if __name__ == "__main__":
    main()
