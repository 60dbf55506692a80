r"""What follows `\end{document}`: the description that made the figure, and a digest that tells hand edits.

The description is JSON, which is YAML too: a figure found in an old paper can be rendered again from it. TeX never
reads past `\end{document}`, and every line is a comment besides.

Its `tikzgen` field is what the file records of itself, so that nobody has to render it again to know it: the number of
the format, the version of the templates, the form in which the figure was drawn, its distances, what it says to who
does not see it, a digest of the metadata beside it, and a short hash of every line before `\end{document}`: a line that
a person changes, adds or takes away is told by it. None of this is proof of who wrote a file, for anybody can write it.
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from json.encoder import encode_basestring
from math import inf
from typing import Any
from zlib import crc32

from tikzgen.base.errors import TikzgenError, quote
from tikzgen.base.patterns import pattern_of
from tikzgen.base.record import NOTHING, Record, as_dict, fields
from tikzgen.model.about import About

FORMAT = 4
TEMPLATES = "0.1.0"
"""The version of tikzgen since which the templates write this kind of file: a release dirties no figure."""
_DIGEST_CHARS = 5  # characters a line: 30 bits
_ROW_CHARS = 100  # characters


class Identity(Record):
    """The facts that a file records about itself.

    `form` holds the parameters that the figure's width chose, `values` the distances in cm, `lines` a hash per line,
    `metadata` the digest of the metadata file. `templates` is `own` if the templates were not tikzgen's. `given` holds
    the settings over the spec, such as `width=8.4`, and `words` the title and description of the figure. `edited` maps
    each path of the description that operations changed since the last rendering to a hash of its earlier value.
    """

    version: str = ""
    form: Mapping[str, Any] = NOTHING
    values: Mapping[str, str] = NOTHING
    lines: tuple[str, ...] = ()
    metadata: str = ""
    templates: str = ""
    given: tuple[str, ...] = ()
    words: About | None = None
    edited: Mapping[str, str] = NOTHING
    needs: tuple[str, ...] = ()
    """The installed packages whose entries the description names."""

    def as_data(self) -> dict[str, Any]:
        """The same as the description inside holds it."""
        packed = "".join(self.lines)
        rows = [packed[at : at + _ROW_CHARS] for at in range(0, len(packed), _ROW_CHARS)]
        found = {
            "format": FORMAT,
            "version": self.version,
            "form": dict(self.form),
            "values": dict(self.values),
            "metadata": self.metadata,
            "templates": self.templates,
            "given": list(self.given),
            "words": {name: text for name, text in as_dict(self.words).items() if text} if self.words else {},
            "edited": dict(self.edited),
            "needs": list(self.needs),
            "lines": rows,
        }
        return {name: value for name, value in found.items() if value}


def identity_of(data: Mapping[str, Any]) -> Identity | None:
    """Return the facts that a file records about itself in `data`; None if they are of another format or damaged."""
    told = data.get("tikzgen")
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        return None
    version, metadata, templates = (told.get(name, "") for name in ("version", "metadata", "templates"))
    form, values, rows = told.get("form", {}), told.get("values", {}), told.get("lines", [])
    texts = (version, metadata, templates, *(rows if isinstance(rows, list) else [None]))
    if not all(isinstance(text, str) for text in texts) or not isinstance(form, dict) or not isinstance(values, dict):
        return None
    packed = "".join(rows)
    lines = tuple(packed[at : at + _DIGEST_CHARS] for at in range(0, len(packed), _DIGEST_CHARS))
    given = told.get("given", [])
    said = tuple(each for each in given if isinstance(each, str)) if isinstance(given, list) else ()
    edited, words = told.get("edited", {}), _find_words(told.get("words"))
    if not isinstance(edited, dict) or not all(isinstance(was, str) for was in edited.values()):
        return None
    return Identity(version, form, values, lines, metadata, templates, said, words, edited, needed_packages(data))


def format_of(data: Mapping[str, Any]) -> object:
    """Return the format that an embedded description states; `FORMAT` for a description from outside a figure."""
    recorded = data.get("tikzgen", {"format": FORMAT})
    return recorded.get("format") if isinstance(recorded, dict) else recorded


def needed_packages(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the packages that a description inside a figure records as needed."""
    told = data.get("tikzgen")
    needs = told.get("needs") if isinstance(told, dict) else None
    return tuple(each for each in needs if isinstance(each, str)) if isinstance(needs, list) else ()


def check_packages(data: Mapping[str, Any], name: str) -> None:
    """Raise `TikzgenError` if a package that a description needs is not installed."""
    for package in needed_packages(data):
        from importlib.metadata import PackageNotFoundError, distribution  # slow, and few figures need packages

        try:
            distribution(package)
        except (PackageNotFoundError, ValueError):
            message = f"{name}: requires the package {quote(package)}, which is not installed"
            raise TikzgenError(message, hint="install it if you trust it") from None


def _find_words(told: Any) -> About | None:
    named = isinstance(told, dict) and told.keys() <= set(fields(About))
    return About(**told) if named and all(isinstance(text, str) for text in told.values()) else None


def recorded_words(text: str) -> About | None:
    """What an untouched file records that its figure says; None where it was edited."""
    try:
        data = json.loads(unseal(text) or "") if is_untouched(text) else None
    except ValueError:  # who made the digest fit wrote no JSON
        return None
    identity = identity_of(data) if isinstance(data, dict) else None
    return identity.words if identity else None


def rows_of(text: str) -> list[str]:
    """The lines of a text with their ends: only a line feed ends one."""
    found = [line + "\n" for line in text.split("\n")]
    last = found.pop()[:-1]
    return [*found, last] if last else found


def hashes(lines: Sequence[str]) -> tuple[str, ...]:
    """A short hash of each line: equal lines have equal ones, and two others the same once in a billion."""
    sums = (crc32(line.encode("utf-8", "surrogateescape")) for line in lines)
    packed = urlsafe_b64encode(
        b"".join((each << 16).to_bytes(6, "big") for each in sums)
    ).decode()  # eight characters each
    return tuple(packed[at : at + _DIGEST_CHARS] for at in range(0, len(packed), 8))


def digest_of_metadata(text: str) -> str:
    """What tells whether the metadata beside a figure are as they were written."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


_SPEC = "% tikzgen spec: what this figure was rendered from; `tikzgen render` reads it"
_DIGEST = "% tikzgen digest: "


def seal(body: str, described: dict[str, Any], identity: Identity) -> str:
    """Append the description, what the file records of itself, and the digest to a rendered body.

    `body` ends with one line feed: its lines are those that `identity` knows.
    """
    data = entry_a_line({**described, "tikzgen": identity.as_data()}, long=_LONG_LIST_COUNT).split(
        "\n"
    )  # strings may hold U+2028
    lines = [_SPEC, *(f"% {line if _is_plain(line) else _STRING.sub(_escape_string, line)}" for line in data)]
    text = body + "\n".join(lines) + "\n"
    return f"{text}{_DIGEST}{_digest(text)}\n"


SIZES = "measured"
"""The field with the sizes of texts: its entries are written close."""
_LONG_LIST_COUNT = 100  # entries of a list from which on it is written as close as it goes
_LINE_CHARS = 110  # characters


def entry_a_line(value: Any, pad: str = "", long: float = inf) -> str:
    """JSON with an entry a line; lists that are longer stand close, in lines of a hundred characters."""
    inner = pad + "  "
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict) and value:
        entries = (
            f"{inner}{encode_basestring(key)}: "
            + (_rows(entry, inner) if key == SIZES else entry_a_line(entry, inner, long))
            for key, entry in value.items()
        )
        return "{\n" + ",\n".join(entries) + f"\n{pad}}}"
    if isinstance(value, list) and len(value) > long:
        return "[\n" + "\n".join(_wrap_entries(value, inner)) + f"\n{pad}]"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(inner + entry_a_line(entry, inner, long) for entry in value) + f"\n{pad}]"
    return _close(value)


def _rows(entries: list[Any], pad: str) -> str:
    """A list with an entry a line, each as close as it goes."""
    return "[\n" + ",\n".join(f"{pad}  {_close(entry)}" for entry in entries) + f"\n{pad}]"


_close = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def _wrap_entries(entries: list[Any], pad: str) -> Iterator[str]:
    """Wrap the entries of a list into lines, as many on each as fit."""
    held: list[str] = []
    width = len(pad)
    for place, entry in enumerate(entries, 1):
        text = _close(entry) + ("," if place < len(entries) else "")
        if held and width + len(text) > _LINE_CHARS:
            yield pad + "".join(held)
            held, width = [], len(pad)
        held.append(text)
        width += len(text)
    yield pad + "".join(held)


def _is_plain(line: str) -> bool:
    """Whether a line of JSON can stand in the file as it is."""
    return line.isascii() and line.isprintable() and "\\" not in line


_STRING = pattern_of(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = pattern_of(r"\\([bfnrt])|\\.|[^ -~]")


def _escape_string(string: re.Match[str]) -> str:
    """Escape the line ends of a JSON string, and escapes that TeX would read."""

    def spell(match: re.Match[str]) -> str:
        found, short = match[0], match[1]
        if short and not (short == "n" and "$" not in string[0]):
            code = ord(json.loads(f'"{found}"'))
            return f"\\u{code:04x}"
        return found if found[0] == "\\" or found.isprintable() else json.dumps(found)[1:-1]

    return _ESCAPE.sub(spell, string[0])


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


def is_untouched(text: str) -> bool:
    """Whether a file is exactly what tikzgen wrote: its digest still fits."""
    head, mark, digest = text.replace("\r\n", "\n").rpartition(_DIGEST)
    return bool(mark) and _digest(head) == digest.strip()


def digest_of(text: str) -> str:
    """The digest that a file carries of what tikzgen wrote, empty where it carries none."""
    _, mark, digest = text.replace("\r\n", "\n").rpartition(_DIGEST)
    return digest.partition("\n")[0].strip() if mark else ""


def split_file(text: str) -> tuple[str, str, str]:
    """Split a file into its figure, the description with its digest, and later additions."""
    head, mark, rest = text.partition(_SPEC + "\n")
    lines, sign, tail = rest.partition(_DIGEST)
    digest, end, tail = tail.partition("\n")
    return head, mark + lines + sign + digest + end, tail


def unseal(text: str) -> str | None:
    """The description inside a file as JSON text, each line at its own place; None where there is none."""
    head, mark, tail = text.replace("\r\n", "\n").partition(_SPEC + "\n")
    if not mark:
        return None
    lines = [line.replace("%", " ", 1) for line in tail.partition("\n" + _DIGEST)[0].splitlines()]
    # blank lines in place of the figure keep the line numbers of messages true
    return "\n" * (head.count("\n") + 1) + "\n".join(lines)
