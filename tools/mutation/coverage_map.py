"""The tests that cover a line, from the data of coverage.py, whose contexts are the names of tests."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from mutation.mutants import Mutant

_FEW = 40
"""A line with fewer tests may run once and be cached; then it belongs to all tests of their files."""


class CoverageMap:
    """Lines of a tree that each test runs, and the duration of each test."""

    def __init__(self, folder: Path, tree: Path) -> None:
        self.seconds: dict[str, float] = json.loads((folder / "durations.json").read_text(encoding="utf-8"))
        self.failed: list[str] = json.loads((folder / "failed.json").read_text(encoding="utf-8"))
        """Tests that fail without a mutant; they are left out."""
        self.tree = tree
        self._connection = sqlite3.connect(folder / "combined")
        rows = self._connection.execute("select id, context from context")
        self._contexts = {number: re.sub(r" \((setup|call|teardown)\)$", "", context) for number, context in rows}
        # forked processes record paths of separate copies of the tree
        self._files: dict[str, list[int]] = defaultdict(list)
        for number, path in self._connection.execute("select id, path from file"):
            self._files[re.sub(r"^.*/tree-\d+/", "", path)].append(number)
        self._words: dict[str, _Words] | None = None

    def find_tests(self, mutant: Mutant) -> tuple[set[str], set[str]]:
        """Return the tests that run the changed line or, if it runs at import, the code that uses its names.

        The second set is the subset of tests that run code of the same file.
        """
        near: set[str] = set()
        if mutant.path.endswith(".j2"):
            tests = self._covering(mutant.path, None)
        elif mutant.scope is None:
            tests = self._covering(mutant.path, {mutant.line})
        else:
            tests = set()
            for path, lines in self._find_uses(mutant).items():
                tests |= (found := self._covering(path, lines))
                near |= found if path == mutant.path else set()
            named = {path for path, words in self._read_words().items() if words.names(mutant.path, mutant.scope)}
            direct = {test for test in self.seconds if test.split("::")[0] in named}
            tests, near = tests | direct, near | direct
        if len(tests) < _FEW:
            files = {test.split("::")[0] for test in tests}
            tests |= {test for test in self.seconds if test.split("::")[0] in files}
        return tests, near

    def lines_by_test(self) -> dict[str, set[int]]:
        """Return the lines that each test runs; a number identifies one line of one file."""
        found: dict[str, set[int]] = defaultdict(set)
        for order, numbers in enumerate(self._files.values()):
            for file in numbers:
                query = "select context_id, numbits from line_bits where file_id = ?"
                for context, bits in self._connection.execute(query, (file,)):
                    lines = (8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1)
                    found[self._contexts[context]].update(order << 20 | line for line in lines)
        return {test: lines for test, lines in found.items() if test in self.seconds}

    def _covering(self, path: str, lines: set[int] | None) -> set[str]:
        mask = sum(1 << line for line in lines) if lines is not None else -1
        found = set()
        for file in self._files.get(path, ()):
            query = "select context_id, numbits from line_bits where file_id = ?"
            for context, bits in self._connection.execute(query, (file,)):
                if int.from_bytes(bits, "little") & mask:
                    found.add(self._contexts[context])
        return found & self.seconds.keys()

    def _find_uses(self, mutant: Mutant) -> dict[str, set[int]]:
        """Return the lines in functions that use the names of a changed line.

        The use may be direct, or through other definitions.
        """
        words = self._read_words()
        uses: dict[str, set[int]] = defaultdict(set)
        if not mutant.scope:
            uses[mutant.path] |= {line for lines in words[mutant.path].in_functions.values() for line in lines}
            return uses
        left, seen = [(mutant.path, name) for name in mutant.scope], set()
        while left:
            origin, name = left.pop()
            if (origin, name) in seen:
                continue
            seen.add((origin, name))
            for path in [origin] if name.startswith("_") else words:
                if words[path].may_import(origin, mutant.scope[0]):
                    uses[path] |= words[path].in_functions.get(name, set())
                    left += [(path, other) for other in words[path].at_import.get(name, ())]
        return uses

    def _read_words(self) -> dict[str, _Words]:
        if self._words is None:
            files = sorted(self.tree.rglob("*.py"))
            inside = [path.relative_to(self.tree).as_posix() for path in files]
            self._words = {path: _Words((self.tree / path).read_bytes()) for path in inside if "/" in path}
        return self._words


class _Words:
    """Uses of names in a module: lines in functions, and names that are defined with it at import."""

    def __init__(self, source: bytes) -> None:
        self.in_functions: dict[str, set[int]] = defaultdict(set)
        self.at_import: dict[str, set[str]] = defaultdict(set)
        self._lines = source.decode().splitlines()
        self._all = self._names(range(1, len(self._lines) + 1))
        self._read(ast.parse(source).body, ())

    def names(self, path: str, scope: tuple[str, ...]) -> bool:
        """Return whether a file contains the names of a module and of its definition.

        A test may compare a constant directly.
        """
        return bool(scope) and Path(path).stem in self._all and scope[-1] in self._all

    def may_import(self, path: str, name: str) -> bool:
        """Return whether the module contains the name of another one, or of its definition."""
        return Path(path).stem in self._all or name in self._all or path.endswith("__init__.py")

    def _read(self, statements: Iterable[ast.stmt], outer: tuple[str, ...]) -> None:
        for statement in statements:
            span = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            if isinstance(statement, ast.ClassDef):
                for word in self._names(range(statement.lineno, statement.body[0].lineno)):
                    self.at_import[word] |= {statement.name}
                self._read(statement.body, (*outer, statement.name))
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                names = (*outer, statement.name)
                body = range(statement.body[0].lineno, span.stop)
                for line in body:
                    for word in {*names, *self._names(range(line, line + 1))}:
                        self.in_functions[word].add(line)
                for word in self._names(range(statement.lineno, statement.body[0].lineno)):
                    self.at_import[word] |= {*names}
            elif isinstance(statement, ast.If | ast.Try | ast.With):
                self._read([part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.stmt)], outer)
            elif not isinstance(statement, ast.Import | ast.ImportFrom):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement]
                nodes = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
                bound = {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}
                for word in self._names(span):
                    self.at_import[word] |= {*bound, *outer}

    def _names(self, lines: range) -> set[str]:
        return {word for line in lines for word in re.findall(r"[A-Za-z_]\w*", self._lines[line - 1])}
