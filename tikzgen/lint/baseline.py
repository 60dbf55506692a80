"""Findings that are known: `--baseline FILE` reports only what is new.

A fingerprint says which rule was broken, how, and in which words of the file; not on which line. It stays when lines
move, and goes when the line itself is edited.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tikzgen.base.errors import FileRefused, refusal
from tikzgen.base.files import write_file
from tikzgen.lint.findings import Finding
from tikzgen.texfile.text import decode, split_lines

__all__ = ["Baseline", "fingerprints"]

FORMAT = 1
_LINE = re.compile(r"\bline \d+")


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """What tells each finding from the others of its file: 16 hexadecimal digits, the same wherever its line stands."""
    lines: dict[str, list[str]] = {}
    return [_fingerprint(finding, lines) for finding in findings]


def _fingerprint(finding: Finding, lines: dict[str, list[str]]) -> str:
    place, line = finding.place, finding.line
    if line is None:
        if place.file not in lines:
            lines[place.file] = _lines_of(place.file)
        known = lines[place.file]
        line = known[place.line - 1] if place.line and place.line <= len(known) else ""
    parts = (finding.code, _LINE.sub("line", finding.message), " ".join(line.split()))
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _lines_of(file: str) -> list[str]:
    try:
        return split_lines(decode(Path(file).read_bytes()))
    except OSError:  # standard input
        return []


@dataclass(frozen=True)
class Baseline:
    """The known findings: how many of each fingerprint, by file. Files are named from the folder of the baseline."""

    path: Path
    known: dict[str, Counter[str]]

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read a baseline. `FileRefused` if it cannot be read, or is none."""
        try:
            data = json.loads(path.read_bytes())
            known = {
                str(file): Counter({str(each["fingerprint"]): int(each["count"]) for each in listed})
                for file, listed in data["files"].items()
            }
        except OSError as error:
            hint = "--write-baseline writes it" if isinstance(error, FileNotFoundError) else ""
            raise FileRefused(f"{path}: {refusal(error)}", hint=hint) from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FileRefused(f"{path}: is no baseline", hint="--write-baseline writes one") from None
        if data.get("tikzgen-baseline") != FORMAT:
            raise FileRefused(f"{path}: is a baseline of another version", hint="--write-baseline writes it again")
        return cls(path, known)

    def new(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings that are not known; of more than are known of one kind, the last ones."""
        found = list(findings)
        left = {file: Counter(known) for file, known in self.known.items()}
        new = []
        for finding, print_ in zip(found, fingerprints(found), strict=True):
            known = left.get(self._file(finding), Counter())
            if known[print_] > 0:
                known[print_] -= 1
            else:
                new.append(finding)
        return new

    def write(self, findings: Iterable[Finding]) -> bool:
        """Make these the known findings; whether the file changed. `FileRefused` if it cannot be written."""
        found = list(findings)
        files: dict[str, dict[str, dict[str, object]]] = {}
        for finding, print_ in zip(found, fingerprints(found), strict=True):
            listed = files.setdefault(self._file(finding), {})
            entry = listed.setdefault(print_, {"code": finding.code, "message": finding.message, "count": 0})
            entry["count"] = int(str(entry["count"])) + 1
        data = {
            "tikzgen-baseline": FORMAT,
            "files": {
                file: [{"fingerprint": print_, **entry} for print_, entry in listed.items()]
                for file, listed in sorted(files.items())
            },
        }
        return write_file(self.path, (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode())

    def _file(self, finding: Finding) -> str:
        """The file's path from the folder of the baseline, with slashes, wherever the command runs."""
        folder = self.path.resolve().parent
        try:
            return Path(os.path.relpath(Path(finding.place.file).resolve(), folder)).as_posix()
        except ValueError:  # on another drive
            return Path(finding.place.file).resolve().as_posix()
