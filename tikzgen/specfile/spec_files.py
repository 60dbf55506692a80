"""Files and folders in, specs out: what a verb on many figures is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tikzgen.base.errors import FileRefused, TikzgenError
from tikzgen.specfile.source import specs_in


def find_specs(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files, with the specs in their place where folders are; and what was passed over there."""
    files, skipped = [], []
    for path in paths:
        if path.is_dir():
            specs, others = specs_in(path)
            if not specs:
                raise FileRefused(f"{path}: no specs here", hint="`tikzgen new RECIPE` writes one")
            files += specs
            skipped += others
        else:
            files.append(path)
    return list(dict.fromkeys(files)), skipped


def refuse_twins(targets: Iterable[tuple[Path, Path]]) -> None:
    """Refuse two files that would become one."""
    owners: dict[Path, Path] = {}
    for file, target in targets:
        owner = owners.setdefault(target.absolute(), file)
        if owner != file:
            hint = "rename one, or build them one by one with different -o"
            raise TikzgenError(f"{owner} and {file} would both become {target}", hint=hint)
