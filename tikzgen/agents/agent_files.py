"""Where the files of an agent stand: inside one folder, whatever they are called and wherever links lead."""

from __future__ import annotations

import os
from pathlib import Path

from tikzgen.base.errors import FileRefused, shortened
from tikzgen.specfile.source import SUFFIXES

_BESIDE = (".meta.json", ".contract.json")
_LONGEST = 1000  # letters in a path
_LONGEST_PART = 255  # bytes, on most file systems
_SPECS = (".yaml", ".yml", ".json")


class AgentFiles:
    """The files below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def there(self, name: str) -> Path:
        """Where a file really stands that is to be read."""
        path = self.within(name)
        if not os.path.exists(path):  # noqa: PTH110  # pathlib raises where a name is too long
            raise FileRefused(f"{shortened(name)}: there is no such file")
        return path

    def figure(self, name: str) -> Path:
        """Where a figure really stands that is to be written."""
        return self._written(name, (".tex",), "only figures are written, and nothing hidden", "name a .tex file")

    def spec(self, name: str) -> Path:
        """Where a spec really stands that is to be written."""
        beside = any(name.lower().endswith(end) for end in (*_BESIDE, ".schema.json"))
        what = "only specs are written, and nothing hidden"
        return self._written(name, () if beside else _SPECS, what, "name a .yaml or a .json file")

    def is_shown(self, path: Path) -> bool:
        """Whether a file is a figure or a spec of the folder, and nothing hidden."""
        inside = Path(os.path.realpath(path)).is_relative_to(self.root)
        return inside and path.suffix in (".tex", ".csv", *SUFFIXES) and not self._is_hidden(path) and path.is_file()

    def _written(self, name: str, ends: tuple[str, ...], message: str, hint: str) -> Path:
        path = self.within(name)
        if path.suffix not in ends or self._is_hidden(path):
            raise FileRefused(f"{shortened(name)}: {message}", hint=hint)
        return path

    def _is_hidden(self, path: Path) -> bool:
        return any(part.startswith(".") for part in path.relative_to(self.root).parts)

    def within(self, name: str) -> Path:
        """Where a name really leads; `FileRefused` where that is outside."""
        if len(name) > _LONGEST or not name.isprintable() or max(map(len, name.encode().split(b"/"))) > _LONGEST_PART:
            raise FileRefused(f"{shortened(name)}: is no name of a file")
        path = Path(os.path.realpath(self.root / name))
        for each in (path, *(path.with_name(path.name.removesuffix(".tex") + end) for end in _BESIDE)):
            if not Path(os.path.realpath(each)).is_relative_to(self.root):  # a link, too, may lead out
                raise FileRefused(f"{shortened(name)}: lies outside {self.root}")
        return path
