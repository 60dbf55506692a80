"""The two sides of the comparison: the sources in a tree, and their drawings by the tree's own code."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from tikzgen.serve.pictures.compare import DrawnSide

__all__ = ["ReportError", "commit_of", "draw_revision", "draw_tree", "sources_in"]

PROCESSES = 2
_FEW = 8  # jobs that take no longer than the start of another process
_WORKER = Path(__file__).with_name("draw_side.py")
_CASES = "clear crowded drawing marks notes pages parts placing slides swept timelines topologies"
_GLOBS = {
    "examples": "examples/*.yaml",
    "icons": "templates/icons/*.tex.j2",
    **{name: f"tests/cases/{name}/*.yaml" for name in _CASES.split()},
    "drawings": "tests/cases/drawing/*.tex",
}
"""The kinds of sources, in the order of the page. The .tex files of `drawings` are drawn directly."""
_BOTH_PALETTES = ("examples", "icons")


class ReportError(Exception):
    """A problem that the user can solve, in one line."""


def sources_in(tree: Path) -> dict[str, Path]:
    """Return the paths of all sources, relative to the tree, by their names: "examples/ring"."""
    return {
        f"{kind}/{path.name.partition('.')[0]}": path.relative_to(tree)
        for kind, pattern in _GLOBS.items()
        for path in sorted(tree.glob(pattern))
    }


def draw_tree(tree: Path, names: Sequence[str] | None = None, *, palettes: bool = True) -> dict[str, DrawnSide]:
    """Draw sources with the code of their tree, by default all sources, in two processes."""
    sources = sources_in(tree)
    chosen = sources if names is None else {name: sources[name] for name in names if name in sources}
    jobs = [
        json.dumps({"name": name, "path": str(path), "both": palettes and name.startswith(_BOTH_PALETTES)})
        for name, path in chosen.items()
    ]
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(PROCESSES) as threads:
        env = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONHASHSEED": "0"}
        count = PROCESSES if len(jobs) > _FEW else 1
        shares = [jobs[start::count] for start in range(count)] if jobs else []
        lines = [line for done in threads.map(lambda share: _work(tree, share, env), shares) for line in done]
    drawn = {name: DrawnSide(**fields) for fields in map(json.loads, lines) for name in [fields.pop("name")]}
    return {name: drawn[name] for name in chosen}


def _work(tree: Path, jobs: Sequence[str], env: Mapping[str, str]) -> list[str]:
    command = [sys.executable, str(_WORKER), str(tree)]
    done = subprocess.run(command, input="\n".join(jobs), env=env, capture_output=True, text=True)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise ReportError(f"{tree}: cannot draw: {last[0]}")
    return done.stdout.splitlines()


def commit_of(repository: Path, revision: str) -> str:
    """Return the commit to compare with: where the work began, if it began at an ancestor of the revision."""
    found = _git(repository, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    if not found:
        raise ReportError(f'unknown revision "{revision}" (fetch it, or name another with --base)')
    return _git(repository, "merge-base", found, "HEAD").decode().strip() or found


def draw_revision(repository: Path, commit: str, cache: Path) -> dict[str, DrawnSide]:
    """Draw all sources of a commit with its own code; a commit is drawn once."""
    key = hashlib.sha256(_WORKER.read_bytes() + Path(__file__).read_bytes()).hexdigest()[:8]
    kept = cache / f"{commit[:12]}-{key}.json.gz"
    if kept.exists():
        return {name: DrawnSide(**fields) for name, fields in json.loads(gzip.decompress(kept.read_bytes())).items()}
    cache.mkdir(parents=True, exist_ok=True)
    tree = Path(tempfile.mkdtemp(prefix="tree-", dir=cache))
    try:
        with tarfile.open(fileobj=io.BytesIO(_git(repository, "archive", "--format=tar", commit))) as archive:
            archive.extractall(tree, filter="data")
        drawn = draw_tree(tree)
    finally:
        shutil.rmtree(tree, ignore_errors=True)
    whole = json.dumps({name: asdict(each) for name, each in drawn.items()}).encode()
    fresh = kept.with_suffix(".new")
    fresh.write_bytes(gzip.compress(whole, compresslevel=3))
    fresh.replace(kept)
    return drawn


def _git(repository: Path, *words: str) -> bytes:
    """Return the output of a git command; nothing if it fails."""
    return subprocess.run(["git", *words], cwd=repository, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
