r"""Embedded spec: the description after `\end{document}`, and a digest that detects manual edits.

The description is JSON, which is also YAML, so that a figure can be rendered again from its .tex alone. TeX never
reads beyond `\end{document}`, and every line is a comment anyway.

Its `tikzgen` field records the file's properties, so that they are known without rendering. They are the number of the
format, the version of the templates, the layout variant, the distances and the alternative text. A digest of the
metadata file and a short hash of every line before `\end{document}` detect changed, added and removed lines. Anyone
can write these fields, so they do not prove the origin of a file.
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
from tikzgen.base.record import NOTHING, Record, as_dict, list_record_fields, replace
from tikzgen.model.about import About

FORMAT = 4
TEMPLATES = "0.1.0"
"""First version of tikzgen whose templates write this format. Only a change of it makes existing figures outdated."""
_DIGEST_CHARS = 5  # characters per line: 30 bits
_ROW_CHARS = 100  # characters


class Identity(Record):
    """Recorded properties of a file.

    `form` are the parameters chosen for the figure's width, `values` the distances, `lines` one hash per line, and
    `metadata` the digest of the metadata file. `templates` is `own` for custom templates. `given` are overrides of the
    spec, such as `width=8.4`. `words` are the alternative text. `edited` are the changes by operations since the
    figure was rendered: paths of the description with a hash of the old value. `layout` are the layers of nodes.
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
    layout: Mapping[str, Any] = NOTHING
    needs: tuple[str, ...] = ()
    """Installed packages whose entries the description uses."""
    lifted: tuple[str, ...] = ()
    """Hashes of manually edited lines that the description expresses as different code."""

    def as_data(self) -> dict[str, Any]:
        """Return the properties as the embedded spec stores them."""
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
            "lifted": list(self.lifted),
            "layout": dict(self.layout),
            "lines": rows,
        }
        return {name: value for name, value in found.items() if value}


def identity_of(data: Mapping[str, Any]) -> Identity | None:
    """Return the metadata of a file in its embedded description; None if invalid or in another format."""
    told = data.get("tikzgen")
    if not isinstance(told, dict) or format_of(data) != FORMAT:
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
    lifted = told.get("lifted", [])
    explained = tuple(each for each in lifted if isinstance(each, str)) if isinstance(lifted, list) else ()
    needs = needed_packages(data)
    return Identity(
        version, form, values, lines, metadata, templates, said, words, edited, layout_of(data), needs, explained
    )


def layout_of(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data of the layout that an embedded description records; empty if it records none."""
    told = data.get("tikzgen")
    layout = told.get("layout") if isinstance(told, dict) else None
    return layout if isinstance(layout, dict) else NOTHING


def format_of(data: Mapping[str, Any]) -> object:
    """Return the format that an embedded description states; None if it states none."""
    recorded = data.get("tikzgen")
    return recorded.get("format") if isinstance(recorded, dict) else recorded


def needed_packages(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the packages that an embedded description records as needed."""
    told = data.get("tikzgen")
    needs = told.get("needs") if isinstance(told, dict) else None
    return tuple(each for each in needs if isinstance(each, str)) if isinstance(needs, list) else ()


def check_packages(data: Mapping[str, Any], name: str) -> None:
    """Raise `TikzgenError` if a package that a description needs is not installed."""
    for package in needed_packages(data):
        from importlib.metadata import PackageNotFoundError, distribution  # slow import; few figures need packages

        try:
            distribution(package)
        except (PackageNotFoundError, ValueError):
            message = f"{name}: requires the package {quote(package)}, which is not installed"
            raise TikzgenError(message, hint="install it if you trust it") from None


def _find_words(told: Any) -> About | None:
    named = isinstance(told, dict) and told.keys() <= set(list_record_fields(About))
    return About(**told) if named and all(isinstance(text, str) for text in told.values()) else None


def recorded_words(text: str) -> About | None:
    """Return the title and description recorded in an unedited file; None for an edited file."""
    try:
        data = json.loads(extract_spec(text) or "") if is_untouched(text) else None
    except ValueError:  # the digest is valid, but the description is not JSON
        return None
    identity = identity_of(data) if isinstance(data, dict) else None
    return identity.words if identity else None


def rows_of(text: str) -> list[str]:
    """Split text into lines with their ends; only a line feed ends a line."""
    found = [line + "\n" for line in text.split("\n")]
    last = found.pop()[:-1]
    return [*found, last] if last else found


def hash_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Return a short hash of each line; two different lines collide with probability 1 in a billion."""
    sums = (crc32(line.encode("utf-8", "surrogateescape")) for line in lines)
    packed = urlsafe_b64encode(
        b"".join((each << 16).to_bytes(6, "big") for each in sums)
    ).decode()  # eight characters each
    return tuple(packed[at : at + _DIGEST_CHARS] for at in range(0, len(packed), 8))


def digest_of_metadata(text: str) -> str:
    """Return the digest that detects changes of the metadata file."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


_SPEC = "% tikzgen spec: what this figure was rendered from; `tikzgen render` reads it"
_DIGEST = "% tikzgen digest: "
_RECORD = '\n%   "tikzgen": {'


def append_spec(body: str, described: dict[str, Any], identity: Identity) -> str:
    """Append the description, the recorded properties, and the digest to a rendered body.

    `body` ends with one line feed; its lines are the lines of `identity`.
    """
    data = entry_a_line({**described, "tikzgen": identity.as_data()}, long=_LONG_LIST_COUNT).split(
        "\n"
    )  # strings may contain U+2028
    lines = [_SPEC, *(f"% {line if _is_plain(line) else _STRING.sub(_escape_string, line)}" for line in data)]
    text = body + "\n".join(lines) + "\n"
    return f"{text}{_DIGEST}{_compute_digest(text)}\n"


SIZES = "measured"
"""Field with the sizes of labels, whose entries are written compactly."""
_ROW_FIELDS = (SIZES, "containers")
"""Fields with a list whose entries are written compactly, one per line."""
_LONG_LIST_COUNT = 100  # entries of a list that is written compactly
_LINE_CHARS = 110  # characters


def with_lifted_lines(tex: str, lines: Sequence[str]) -> str:
    """Return a rendered figure that records manually edited lines as expressed by its description."""
    data = json.loads(extract_spec(tex) or "")
    identity = identity_of(data)
    assert identity is not None, "tikzgen has just written the figure"
    described = {name: value for name, value in data.items() if name != "tikzgen"}
    return append_spec(split_file(tex)[0], described, replace(identity, lifted=tuple(dict.fromkeys(hash_lines(lines)))))


def entry_a_line(value: Any, pad: str = "", long: float = inf) -> str:
    """Format JSON with one entry per line; wrap lists longer than `long`."""
    inner = pad + "  "
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict) and value:
        entries = (
            f"{inner}{encode_basestring(key)}: "
            + (_format_rows(entry, inner) if key in _ROW_FIELDS else entry_a_line(entry, inner, long))
            for key, entry in value.items()
        )
        return "{\n" + ",\n".join(entries) + f"\n{pad}}}"
    if isinstance(value, list) and len(value) > long:
        return "[\n" + "\n".join(_wrap_entries(value, inner)) + f"\n{pad}]"
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(inner + entry_a_line(entry, inner, long) for entry in value) + f"\n{pad}]"
    return _close(value)


def _format_rows(entries: list[Any], pad: str) -> str:
    """Format a list with one compact entry per line."""
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
    """Return whether a line of JSON can be in the file unchanged."""
    return line.isascii() and line.isprintable() and "\\" not in line


_STRING = pattern_of(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_ESCAPE = pattern_of(r"\\([bfnrt])|\\.|[^ -~]")


def _escape_string(string: re.Match[str]) -> str:
    """Escape the line ends of a JSON string, and escapes that TeX would read."""

    def escape_match(match: re.Match[str]) -> str:
        found, short = match[0], match[1]
        if short and not (short == "n" and "$" not in string[0]):
            code = ord(json.loads(f'"{found}"'))
            return f"\\u{code:04x}"
        return found if found[0] == "\\" or found.isprintable() else json.dumps(found)[1:-1]

    return _ESCAPE.sub(escape_match, string[0])


def _compute_digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def is_untouched(text: str) -> bool:
    """Return whether a file is unchanged since tikzgen wrote it, by its digest."""
    head, mark, digest = text.replace("\r\n", "\n").rpartition(_DIGEST)
    return bool(mark) and _compute_digest(head) == digest.strip()


def is_manually_edited(text: str) -> bool:
    """Return whether a rendered figure has manual edits."""
    return _DIGEST in text and not is_untouched(text)


def digest_of(text: str) -> str:
    """Return the digest recorded in a file; empty without one."""
    _, mark, digest = text.replace("\r\n", "\n").rpartition(_DIGEST)
    return digest.partition("\n")[0].strip() if mark else ""


def split_file(text: str) -> tuple[str, str, str]:
    """Split a file into its figure, the description with its digest, and later additions."""
    head, mark, rest = text.partition(_SPEC + "\n")
    lines, sign, tail = rest.partition(_DIGEST)
    digest, end, tail = tail.partition("\n")
    return head, mark + lines + sign + digest + end, tail


def omit_record(text: str) -> str:
    """Return a file without the hashes and versions that tikzgen records in it."""
    figure, mark, rest = text.partition(_RECORD)
    _, sign, after = rest.partition(_DIGEST)
    return figure + mark + after.partition("\n")[2] if sign else text


def extract_spec(text: str) -> str | None:
    """Return the embedded description as JSON text with unchanged line numbers; None without one."""
    head, mark, tail = text.replace("\r\n", "\n").partition(_SPEC + "\n")
    if not mark:
        return None
    lines = [line.replace("%", " ", 1) for line in tail.partition("\n" + _DIGEST)[0].splitlines()]
    # blank lines replace the figure, to keep line numbers of messages correct
    return "\n" * (head.count("\n") + 1) + "\n".join(lines)
