"""What a build depends on, as rules for make."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tikzgen.compile.build_figures import Job

__all__ = ["make_rules"]

_SPECIAL = re.compile(r"[\s#:\\]")


def make_rules(jobs: Sequence[Job], formats: Sequence[str]) -> str:
    """For each figure a rule `targets: source`, as compilers write them with -MMD -MP: `include` reads it.

    Each source is also a target without a recipe, so that make does not stop where one was deleted. GNU make cannot
    name files with line ends, and takes a `%` as it stands in sources, but in targets with a backslash.

    >>> from pathlib import Path
    >>> print(make_rules([Job("a", str, Path("out/a"), Path("my a.yaml"))], ["pdf", "png"]), end="")
    out/a.pdf out/a.png: my\\ a.yaml
    <BLANKLINE>
    my\\ a.yaml:
    """
    rules = []
    for job in jobs:
        if job.file is not None:
            source = _spelt(str(job.file))
            targets = " ".join(_target(str(job.target(suffix))) for suffix in formats)
            rules.append(f"{targets}: {source}\n\n{_target(str(job.file))}:\n")
    return "\n".join(rules)


def _target(path: str) -> str:
    return _spelt(path).replace("%", "\\%")


def _spelt(path: str) -> str:
    return _SPECIAL.sub(lambda found: "\\" + found[0], path).replace("$", "$$")
