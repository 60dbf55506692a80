"""The same spec gives the same bytes: under other hash seeds, in other folders, in one process or in many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXAMPLES, scaled, with_traces
from hypothesis import HealthCheck, given, settings
from strategies import figures

from tikzgen import Figure, load
from tikzgen.model.base import shortest

# one line a figure: the digest of its files, or why it is refused
_DIGESTS = """
import hashlib, json, sys
from tikzgen import TikzgenError, loads, render
for line in sys.stdin:
    try:
        done = render(loads(line, name="fig.json"))
        print(hashlib.sha256((done.tex + json.dumps(done.metadata)).encode()).hexdigest())
    except TikzgenError as refused:
        print(json.dumps(str(refused)))
"""


def rendered_elsewhere(example: Path, folder: Path, seed: str) -> bytes:
    spec = with_traces(example, folder)
    env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "XDG_CACHE_HOME": os.devnull}
    command = [sys.executable, "-m", "tikzgen", "render", spec.name]
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
    return spec.with_suffix(".tex").read_bytes() + spec.with_suffix(".meta.json").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_hash_seed_and_folder_do_not_matter(example: Path, tmp_path: Path) -> None:
    one = rendered_elsewhere(example, tmp_path / "one", "1")
    other = rendered_elsewhere(example, tmp_path / "another folder", "4242")
    assert one == other
    assert one.startswith(load(example).tex().encode())


@pytest.mark.slow
def test_hash_seed_locale_and_time_zone_do_not_matter_to_random_figures() -> None:
    specs: list[str] = []

    @settings(max_examples=scaled(3000), suppress_health_check=list(HealthCheck))
    @given(figures)
    def collect(figure: Figure) -> None:
        specs.append(json.dumps(shortest(figure)))

    collect()
    first, second = (
        subprocess.run(
            [sys.executable, "-c", _DIGESTS],
            input="\n".join(specs),
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for seed, locale, zone in (("1", "C", "UTC"), ("4242", "C.UTF-8", "Asia/Kathmandu"))
    )
    assert first == second
    assert len(first) == len(specs) >= scaled(3000) // 2
    assert sum(len(digest) == 64 for digest in first) > len(first) // 2
