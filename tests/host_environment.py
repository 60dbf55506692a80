"""The settings of the user's shell that no test may inherit."""

from __future__ import annotations

from collections.abc import MutableMapping

__all__ = ["reset_environment"]

OWN = {"TIKZGEN_ACCEPT", "TIKZGEN_NIGHTLY"}
"""Variables that the tests themselves read; every other `TIKZGEN_…` sets an option of the command line."""
FIXED = {
    "COLUMNS": "80",
    "LINES": "24",
    "PIP_COMPILE": "0",  # most modules of what a test installs are never loaded
    "TIKZGEN_PROGRESS": "never",  # the speed of the machine would change the output
}
# colors, dates and search paths of TeX, the repository of a git hook that runs the tests, Python without bytecode
_DROPPED = {"NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "SOURCE_DATE_EPOCH", "PYTHONDONTWRITEBYTECODE"}
_DROPPED_PREFIXES = ("TIKZGEN_", "TEX", "BIBINPUTS", "BSTINPUTS", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")


def reset_environment(environ: MutableMapping[str, str]) -> None:
    """Remove the settings of the user's shell, and fix those that change an output."""
    for name in [*environ]:
        if name in _DROPPED or (name.startswith(_DROPPED_PREFIXES) and name not in OWN):
            del environ[name]
    environ.update(FIXED)
