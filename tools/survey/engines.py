"""Run the three TeX engines on a document full of labels, and read their errors."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tikzgen.text.escape_characters import LOANS

__all__ = ["ENGINES", "document", "faults", "reports", "run"]

ENGINES = ("pdflatex", "xelatex", "lualatex")
_CJK = {
    "pdflatex": r"\usepackage{CJKutf8}\AtBeginDocument{\begin{CJK*}{UTF8}{gbsn}}\AtEndDocument{\end{CJK*}}",
    "xelatex": r"\usepackage{xeCJK}\setCJKmainfont{FandolSong-Regular.otf}[BoldFont=FandolSong-Bold.otf]"
    r"\setCJKsansfont{FandolHei-Regular.otf}[BoldFont=FandolHei-Bold.otf]\setCJKmonofont{FandolFang-Regular.otf}",
    "lualatex": r"\usepackage{luatexja-fontspec}\setmainjfont{FandolSong-Regular.otf}[BoldFont=FandolSong-Bold.otf]"
    r"\setsansjfont{FandolHei-Regular.otf}[BoldFont=FandolHei-Bold.otf]\setmonojfont{FandolFang-Regular.otf}",
}
_FAULT = re.compile(r"^! (?!OK\.)|Missing character|^LaTeX Error|mktex", re.MULTILINE)


def document(body: str, engine: str, packages: Iterable[str] = (), *, cjk: bool = False) -> str:
    """Return a minimal document of a figure around `body`."""
    from tikzgen.emit.environment import fill

    uses = "".join(f"\\usepackage{{{package}}}\n" for package in packages)
    chinese = _CJK[engine] + "\n" if cjk else ""
    head = f"\\documentclass{{standalone}}\n\\usepackage{{tikz}}\n{uses}{chinese}"
    loans = fill("borrowed.tex.j2", loans=list(LOANS.values()))
    return f"{head}\\begin{{document}}\n\\tracinglostchars=2\n{loans}{body}\n\\end{{document}}\n"


def run(engine: str, source: str) -> str:
    """Compile, without stopping at errors, and return the log."""
    environment = {**os.environ, "max_print_line": "10000", "MKTEXPK": "0", "MKTEXTFM": "0"}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "labels.tex").write_text(source, encoding="utf-8")
        command = [engine, "-no-shell-escape", "-interaction=nonstopmode", "labels.tex"]
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=600)
        return Path(folder, "labels.log").read_text(encoding="utf-8", errors="replace")


def reports(log: str) -> dict[int, str]:
    r"""Return the part of a log for each numbered source, which follows its `\typeout{<<7>>}`."""
    parts = re.split(r"<<(\d+)>>", log)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True)}


def faults(log: str, count: int) -> dict[int, str]:
    """Return the failed sources of a log, numbered from 0 to `count`, with TeX's messages."""
    found = reports(log)
    if count not in found:
        raise RuntimeError(f"TeX gave up before the last of {count} labels: ...{log[-2000:]}")
    return {number: part for number, part in found.items() if number < count and _FAULT.search(part)}
