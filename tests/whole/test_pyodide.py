"""Python in the browser (Pyodide) has no processes, no sockets and fewer modules: figures are drawn there all the same.

Traces are left out: their readers need modules that Pyodide has as packages.

What no test here can show: that a browser loads Pyodide and the wheels of docs/notebooks.md, which come by network.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import EXAMPLES, ROOT

ABSENT = ["fcntl", "grp", "pwd", "resource", "termios", "syslog", "curses", "ssl", "lzma", "sqlite3", "multiprocessing"]
ABSENT += ["watchfiles", "re2", "yaml", "pypdfium2", "mcp", "selenium"]
"""What Pyodide lacks, or does not load by itself."""

CODE = f"""
import socket, subprocess, sys, sysconfig
sysconfig.get_config_vars()  # what belongs to this Python
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
for name in {ABSENT!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Absent())
sys.platform = "emscripten"
def refused(*given, **more):
    raise OSError("there is none in a browser")
subprocess.Popen = socket.socket = refused
sys.path.insert(0, {str(ROOT)!r})
import tikzgen, tikzgen.edit
from tikzgen.compile.formats_without_tex import drawn_slides
for name in {[str(each) for each in EXAMPLES if "measured" not in each.stem][::8]!r}:
    figure = tikzgen.loads(open(name, encoding="utf-8").read())
    shown = figure._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg "), shown["text/plain"][:300]
    figure.save("figure.tex")
    figure.build("figure.svg")
tikzgen.edit.open("figure.tex")
print(len(tikzgen.check(name)))
"""


@pytest.mark.slow
def test_figures_are_drawn_without_processes_sockets_and_what_pyodide_lacks(tmp_path: object) -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+\n", done.stdout)
