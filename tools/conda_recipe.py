"""The recipe for conda-forge, from pyproject.toml and a source distribution.

`python tools/conda_recipe.py dist/tikzgen-1.2.3.tar.gz > recipe.yaml`. `TIKZGEN_ADDRESS` is the address of the
repository, as `https://host/owner/name`; its owner becomes the maintainer.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

__all__ = ["make_recipe"]

ROOT = Path(__file__).parent.parent


def make_recipe(project: str, version: str, digest: str, address: str) -> dict[str, Any]:
    """Return the recipe of a version, in schema version 1; `digest` is the SHA-256 of the source distribution.

    A package for all platforms has no markers: it requires the packages of every platform.
    """
    table = tomllib.loads(project)
    about = table["project"]
    name = about["name"]
    extras = {each for group in ("png", "patterns") for each in about["optional-dependencies"][group]}
    return {
        "schema_version": 1,
        "context": {"version": version, "python_min": about["requires-python"].removeprefix(">=")},
        "package": {"name": name, "version": "${{ version }}"},
        "source": {
            "url": f"https://pypi.org/packages/source/{name[0]}/{name}/{name}-${{{{ version }}}}.tar.gz",
            "sha256": digest,
        },
        "build": {
            "number": 0,
            "noarch": "python",
            "script": "${{ PYTHON }} -m pip install . -vv --no-deps --no-build-isolation",
            "python": {"entry_points": [f"{left} = {right}" for left, right in about["scripts"].items()]},
        },
        "requirements": {
            "host": ["python ${{ python_min }}.*", "pip", *map(_spell, table["build-system"]["requires"])],
            "run": ["python >=${{ python_min }}", *map(_spell, about["dependencies"])],
            "run_constraints": sorted(map(_spell, extras)),
        },
        "tests": [
            {"python": {"imports": [name], "pip_check": True, "python_version": ["${{ python_min }}.*", "*"]}},
            {"script": [f"{name} --version", f"{name} new data-parallel -o -"]},
        ],
        "about": {
            "summary": about["description"],
            "license": about["license"],
            "license_file": ["LICENSE", "NOTICE", "LICENSES/"],
            **({"homepage": address, "repository": address} if address else {}),
        },
        "extra": {"recipe-maintainers": [address.rstrip("/").split("/")[-2]] if address else []},
    }


def _spell(requirement: str) -> str:
    """Return a requirement as conda spells it: `name >=1.2`, without the marker of a platform."""
    found = re.match(r"([A-Za-z0-9._-]+)([<>=!~].*)?$", requirement.partition(";")[0].strip())
    if found is None:
        raise SystemExit(f"{requirement!r} has extras: write it as name>=1.2")
    return f"{found[1]} {found[2] or ''}".strip()


if __name__ == "__main__":
    source = Path(sys.argv[1])
    found = re.search(r"-(\d[^-]*)\.tar\.gz$", source.name)
    if found is None:
        raise SystemExit(f"{source}: is not a source distribution (name it …-1.2.3.tar.gz)")
    yaml = YAML()
    yaml.width = 120
    yaml.indent(sequence=4, offset=2)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    yaml.dump(make_recipe(text, found[1], digest, os.environ.get("TIKZGEN_ADDRESS", "")), sys.stdout)
