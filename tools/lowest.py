"""The lowest releases that pyproject.toml declares, as pins: `python tools/lowest.py png test > pins.txt`.

The arguments name extras; required dependencies are always included.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

__all__ = ["lowest"]

ROOT = Path(__file__).parent.parent


def lowest(project: str, *extras: str) -> list[str]:
    """Return one pin per requirement of a pyproject.toml and of some extras.

    Every requirement must have a lower bound.
    """
    table = tomllib.loads(project)["project"]
    wanted = [*table["dependencies"]]
    for extra in extras:
        wanted += table["optional-dependencies"][extra]
    return sorted({_pin(requirement) for requirement in wanted})


def _pin(requirement: str) -> str:
    found = re.match(r"([A-Za-z0-9._-]+)>=([0-9][^,;]*)", requirement)
    if found is None:
        raise SystemExit(f"{requirement!r} does not begin with its lowest release: write it as name>=1.2")
    return f"{found[1]}=={found[2].strip()}"


if __name__ == "__main__":
    print("\n".join(lowest((ROOT / "pyproject.toml").read_text(encoding="utf-8"), *sys.argv[1:])))
