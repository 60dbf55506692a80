"""The same spec gives the same bytes: under other hash seeds, in other folders, in one process or in many."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import KINDS, NIGHTLY, example_tex, with_traces
from hypothesis import HealthCheck, given, settings
from strategies import figures

from tikzgen import Figure
from tikzgen.model.part import shorten_description

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


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "name"), [("1", "one"), ("4242", "another folder")], ids=["1", "4242"])
def test_hash_seed_and_folder_do_not_matter(seed: str, name: str, tmp_path: Path) -> None:
    for example in KINDS:
        with_traces(example, tmp_path / name)
    env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "XDG_CACHE_HOME": os.devnull}
    command = [sys.executable, "-m", "tikzgen", "render", *(example.name for example in KINDS)]
    subprocess.run(command, cwd=tmp_path / name, env=env, check=True, capture_output=True)
    for example in KINDS:
        for suffix in (".tex", ".meta.json"):
            here = example_tex(example.stem).with_suffix(suffix)
            assert (tmp_path / name / here.name).read_bytes() == here.read_bytes(), here.name


@pytest.mark.slow
def test_hash_seed_locale_and_time_zone_do_not_matter_to_random_figures() -> None:
    specs: list[str] = []
    count = 2000 if NIGHTLY else 12

    @settings(max_examples=count, suppress_health_check=list(HealthCheck))
    @given(figures)
    def collect(figure: Figure) -> None:
        specs.append(json.dumps(shorten_description(figure)))

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
    assert len(first) == len(specs) >= count // 2
    assert sum(len(digest) == 64 for digest in first) > len(first) // 2
