"""A sandbox by Landlock, which Linux has from 6.7 on where it is not turned off: nothing needs to be installed for it.

The program sees the names of other files, and neither what is in them nor what is in folders.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tikzgen.compile import landlocked
from tikzgen.compile.walls import SYSTEM, readable

__all__ = ["Landlock"]

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Landlock:
    """The launcher `tikzgen.compile.landlocked` is run by `python`, this one if none is named."""

    name: ClassVar[str] = "Landlock"
    python: str = os.path.realpath(sys.executable)

    def argv(self, argv: Sequence[str], work: Path, reads: Sequence[str] = ()) -> list[str]:
        """`argv` inside, with `work` as its folder, and more folders that it may read."""
        rules = ["--write", str(work)]
        for kind, places in (("--read", (*SYSTEM, *readable(argv[0]), *reads)), ("--device", _DEVICES)):
            for place in places:
                rules += [kind, place]
        return [self.python, "-I", "-S", "-B", landlocked.__file__, *rules, "--", *argv]

    def folder(self, work: Path) -> str:
        """What `work` is called inside."""
        return str(work)
