"""The same spec gives the same bytes: under other hash seeds, in other folders, in one process or in many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXAMPLES

from tikzgen import load


def rendered_elsewhere(example: Path, folder: Path, seed: str) -> bytes:
    folder.mkdir()
    spec = folder / example.name
    spec.write_bytes(example.read_bytes())
    env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "XDG_CACHE_HOME": os.devnull}
    command = [sys.executable, "-m", "tikzgen", "render", spec.name]
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
    return spec.with_suffix(".tex").read_bytes() + spec.with_suffix(".meta.json").read_bytes()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_hash_seed_and_folder_do_not_matter(example: Path, tmp_path: Path) -> None:
    one = rendered_elsewhere(example, tmp_path / "one", "1")
    other = rendered_elsewhere(example, tmp_path / "another folder", "4242")
    assert one == other
    assert one.startswith(load(example).tex().encode())
