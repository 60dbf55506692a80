"""Real TeX: every example through every engine, its texts found in the PDF, and a copy without comments the same."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import ENGINES, EXAMPLES, NIGHTLY, ROOT, written
from papers import as_pages
from pypdfium2 import PdfDocument

from tikzgen import load
from tikzgen.compile.tex.compile_tex import compile_tex
from tikzgen.compile.tex.failures import lost_characters
from tikzgen.layout import layout
from tikzgen.model.looks.icons import wanted

pytestmark = pytest.mark.tex

# What a reader must find, in order of reading; maths and icons speak other fonts and are left to the eye.
TEXTS = {
    "cluster": ["Two nodes, four GPUs", "Dataset", "Switch", "GPU 0", "GPU 3", "Node A", "Node B", "shards"],
    "distributed-training": ["Distributed data-parallel training", "Training data", "Worker 1", "Worker 3", "batch"],
    "gradient-accumulation": ["空闲", "前向/反向", "梯度更新", "GPU1", "GPU4", "更新", "累", "time"],
    "gradient-accumulation-en": ["idle", "forward/backward", "update", "update every step"],
    "measured-clocks": ["compute", "communication", "rank 0", "rank 3", "P2P", "NCCL", "time (ms)"],
    "measured-pipeline": ["measured", "simulated: 1F1B", "rank 0", "rank 3", "wait", "forward", "backward"],
    "measured-ranks": ["rank 0", "rank 1", "compute", "comm", "step 551", "communication"],
    "measured-streams": ["compute", "NCCL", "step 5", "exposed", "6.4", "communication"],
    "overlap": ["compute", "communication", "forward", "b3", "r0", "time", "step"],
    "parameter-server": [
        *["parameter server", "Processor 1", "on GPU3 (G3)", "push (P)", "fetch (F)", "G1", "G2", "G3"],
        *["Update", "Upd.", "Synchronous", "Asynchronous", "Training", "(a) 同步更新", "(b) 异步更新"],
    ],
    "parameter-server-en": ["(a) synchronous update", "(b) asynchronous update"],
    "parameter-server-column": ["Processor 7", "minibatch7", "GPU 7", "update", "Synchronous Training", "time line"],
    "accumulate-four": ["idle", "forward/backward", "GPU 3", "accumulate four steps, then update"],
    "ddp-overlap": ["each GPU", "compute", "comm", "all-reduce during the backward", "6 saved (1.32×)"],
    "dualpipe": [
        "GPU 0",
        "GPU 3",
        "input gradient",
        "weight gradient",
        "at the same time",
        "bubble 1/13 of total (7.7 %)",
    ],
    "fsdp-prefetch": ["all-gather", "reduce-scatter", "prefetch 0", "9 saved (1.41×)"],
    "memory": ["warm-up", "steady", "cool-down", "in flight, GPU 0", "bubble 3/11 of total (27.3 %)"],
    "pipeline-schedules": [
        "GPipe",
        "1F1B",
        "interleaved 1F1B",
        "ZB-H1",
        "bubble 1/9 of total (11.1 %)",
        "15 saved (1.29×)",
    ],
    "ring": ["GPU 0", "GPU 3", "reduce-scatter", "all-gather"],
    "stale-synchronous": ["GPU 2", "server", "update (its staleness)", "SSP: at most 1 ahead"],
    "talk": ["1F1B", "ZB-H1", "bubble 1/3 of total (33.3 %)", "6 saved (1.29×)"],
    "zero-bubble": ["1F1B", "bubble 3/11 of total (27.3 %)", "6 saved (1.22×)"],
    "two-phase-commit": ["coordinator", "worker 2", "prepare", "yes", "decide", "commit", "time"],
    "checkpoint-abort": ["coordinator", "worker 2", "aborted", "prepare", "abort", "save"],
    "login": ["client", "store", "loop", "3 times", "[known]", "opt", "denied"],
    "paxos": ["P1", "A3", "prepare 1", "promise", "accept A", "A chosen"],
    "raft-election": ["S1", "leader of 2", "heartbeat", "vote 2?", "timeout"],
    "raft-replication": ["set x", "client", "append 1", "1 committed"],
    "ring-messages": ["rank 0", "rank 3", "sum"],
    "serving": ["Clients", "by prefix", "Prefill pool", "KV cache", "Prefill and decode on separate machines"],
    "retrieval": ["Clients", "cached?", "Vector index", "4 shards", "Language model", "Replica 3"],
    "continuous-batching": ["request 0", "prefill", "decode", "idle", "static batches", "chunked prefill"],
    "asynchronous-rollouts": ["generator 0", "trainer", "training step", "synchronous", "at most 2 behind"],
    "sequence-slices": ["GPU 3", "Seq1F1B", "shades: slice 1, 2", "in flight, GPU 0"],
    "expert-overlap": ["dispatch", "combine", "comm", "overlapped 1F1B"],
    "rerouted": ["GPU 1", "pipeline 2", "all workers", "microbatches rerouted", "weight gradient"],
    "failures": ["GPU 0", "step", "lost", "checkpoint", "restart", "redundant computation"],
    "gpu-cluster": ["A rail-optimised cluster", "Spines", "Rails", "Node 15", "NVSwitch", "InfiniBand"],
    "3d-parallel": ["data-parallel replica 1", "stage 2", "all-reduce", "activations"],
    "rlhf": ["Rollout workers", "Rollout 16", "Buffer", "Reward model", "Trainer 8", "new weights"],
    "serving-system": ["Disaggregated serving", "Prefill pool", "GPU 31", "KV blocks"],
    "federated": ["Federated averaging", "Clients", "Client 100", "Server"],
    "mapreduce": ["split 0", "map 2", "reduce 1", "part 1"],
    "moe": ["tokens", "top 2 of 64", "expert 64", "output"],
    "vector-clocks": ["replica 3", "snapshot", "(1,0,0)", "(1,2,5)"],
    "ring-all-reduce": ["Ring all-reduce", "Rank 0", "Rank 3", "chunk 0", "chunk 3"],
}


# What reaches beyond the nodes: curves, labels, numbers, links.
PAGES = sorted((ROOT / "tests" / "cases" / "pages").glob("*.yaml"))


OTHERS = {
    engine: [
        example
        for place, example in enumerate(EXAMPLES)
        if NIGHTLY or place % 9 == number or example.stem in ("parameter-server", "talk")
    ]
    for number, engine in enumerate(ENGINES)
    if engine != "pdflatex"
}
"""What other engines than pdflatex set: a ninth each, with Chinese texts and slides; all in the nightly run."""


def texts_of(pdf: bytes) -> list[str]:
    """The text of each page, without blanks."""
    done = subprocess.run(["pdftotext", "-raw", "-", "-"], input=pdf, capture_output=True, check=True)
    return ["".join(page.split()) for page in done.stdout.decode().split("\f")]


def sizes_of(pdf: bytes) -> list[tuple[float, float]]:
    """Width and height of each page in cm."""
    with PdfDocument(pdf) as read:
        sizes = [read.get_page_size(number) for number in range(len(read))]
    return [(width / 72 * 2.54, height / 72 * 2.54) for width, height in sizes]


def test_pdftex_sets_every_text_and_a_copy_without_comments_is_the_same(tmp_path: Path) -> None:
    """By day, the copy of the first document."""
    for place, (numbers, document) in enumerate(as_pages([written(example) for example in EXAMPLES])):
        done = compile_tex(document)
        fonts_are_embedded_and_none_is_a_bitmap(done.pdf, tmp_path)
        for number, text, size in zip(numbers, texts_of(done.pdf), sizes_of(done.pdf), strict=False):
            holds_its_texts(EXAMPLES[number], text, done.log)
            is_as_large_as_planned(EXAMPLES[number], size)
        if NIGHTLY or place == 0:
            names = [EXAMPLES[number].stem for number in numbers]
            assert compile_tex(without_comments(document)).pdf == done.pdf, names


@pytest.mark.parametrize("engine", OTHERS)
def test_other_engines_set_every_text(engine: str) -> None:
    for numbers, document in as_pages([written(example) for example in OTHERS[engine]]):
        done = compile_tex(document, engine=engine)
        pages = texts_of(done.pdf)
        assert len(pages) > len(numbers)
        for number, page in zip(numbers, pages, strict=False):
            holds_its_texts(OTHERS[engine][number], page, done.log)


def holds_its_texts(example: Path, found: str, log: str) -> None:
    assert [text for text in TEXTS[example.stem] if text.replace(" ", "") not in found] == [], example.stem
    assert not lost_characters(log)
    assert "Overfull" not in log


def fonts_are_embedded_and_none_is_a_bitmap(pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "fig.pdf").write_bytes(pdf)
    listed = subprocess.run(["pdffonts", tmp_path / "fig.pdf"], capture_output=True, text=True, check=True).stdout
    rows = [line for line in listed.splitlines()[2:] if line.strip()]
    assert rows
    assert all(re.search(r"\byes (yes|no) +(yes|no)\b", row) for row in rows), listed
    assert "Type 3" not in listed


def without_comments(text: str) -> str:
    """What arXiv's cleaners do: drop comments, keep escaped percent signs, and stop at the end of the document."""
    body = text.partition("\\end{document}")[0] + "\\end{document}\n"
    lines = [re.sub(r"(?<!\\)%.*", "%", line) for line in body.splitlines()]
    stripped = "\n".join(line for line in lines if line.strip() != "%") + "\n"
    assert "%" not in stripped.replace("%\n", "").replace("\\%", "")
    return stripped


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_what_reaches_beyond_the_nodes_is_on_the_page(page: Path) -> None:
    [size] = sizes_of(compile_tex(load(page).tex()).pdf)
    is_as_large_as_planned(page, size)


def is_as_large_as_planned(example: Path, size: tuple[float, float]) -> None:
    figure = load(example)
    scene = layout(figure, wanted(figure))
    values = {p.name: float(p.value) for p in scene.parameters if p.type == "length-cm"}
    wanted_size = (scene.extent.width(values), scene.extent.height(values))
    assert size == pytest.approx(wanted_size, abs=0.02), f"{example.stem}: something reaches beyond the canvas"


@pytest.mark.parametrize("palette", ["light", "dark"])
@pytest.mark.parametrize("width", [8.4, 17.8])
@pytest.mark.parametrize(
    "example", ["distributed-training", "gradient-accumulation", "parameter-server"], ids=lambda name: name
)
def test_a_figure_is_as_wide_as_asked(example: str, width: float, palette: str) -> None:
    figure = load(ROOT / "examples" / f"{example}.yaml", settings=[f"width={width}", f"palette={palette}"])
    [(found, _)] = sizes_of(compile_tex(figure.tex()).pdf)
    assert width - 0.05 <= found <= width + 0.005
