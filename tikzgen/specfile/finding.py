"""Which files are specs: by their names, and by how they begin."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["looks_like_spec", "may_be_spec", "specs_in"]

_SUFFIXES = (".yaml", ".yml", ".json")
_BESIDE = (".meta.json", ".schema.json", ".contract.json")
# A spec names its recipe or lists its panels, at the top level.
_SPEC = re.compile(r"""^(?:[ \t]*[{,][ \t]*)?["']?(?:recipe|panels)["']?[ \t]*:""", re.MULTILINE)
_HEAD = 64 * 1024


def specs_in(folder: Path) -> tuple[list[Path], list[Path]]:
    """The specs of a folder by name, and the YAML and JSON files beside them that are something else."""
    candidates = sorted(file for file in folder.iterdir() if may_be_spec(file) and file.is_file())
    specs = [file for file in candidates if looks_like_spec(file)]
    return specs, [file for file in candidates if file not in specs]


def may_be_spec(file: Path) -> bool:
    """Whether its name lets it be one: what stands beside figures does not."""
    return file.suffix.lower() in _SUFFIXES and not file.name.endswith(_BESIDE)


def looks_like_spec(file: Path) -> bool:
    """Whether `recipe:` or `panels:` stands at the top level of the file's beginning."""
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return True  # reading it as a spec will say what is wrong
    if file.suffix.lower() == ".json":
        return re.search(r'"(?:recipe|panels)"\s*:', head) is not None
    return _SPEC.search(head) is not None
