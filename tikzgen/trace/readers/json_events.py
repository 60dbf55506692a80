"""Stream of the events of a Chrome trace, of which only wanted events are decoded.

The text is cut between events: where the first key of an event follows `}, {`. A JSON string cannot contain that,
because its quotes are escaped. A list of objects inside an event can. Such a cut leaves invalid JSON, and the piece is
read again, value by value.
"""

from __future__ import annotations

import lzma
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from json import JSONDecoder
from typing import Any, BinaryIO, TypeAlias

Plain: TypeAlias = tuple[bytes, bytes, bytes, bytes]
"""Category, process, thread and beginning of an event."""

_PIECE_BYTES = 1 << 20
_EVENT_BYTES = 64 << 20
"""No event, and nothing before the first one, takes more bytes."""
_CUT = re.compile(rb'\},\s*(?=\{\s*"(?:ph|name|cat|pid|tid|ts|dur|args|id|bp|s)"\s*:)')
_CATEGORY = re.compile(rb'"cat"\s*:\s*"([^"]*)"')
_END = re.compile(rb'\}\s*\](?:\s*,\s*"[^"]*"\s*:|\s*\}?\s*\Z)')
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_PLAIN = re.compile(
    rb'\s*(?:\{\s*)?"ph": ?"X",\s*"cat": ?"([^"\\]*)",\s*"name": ?"[^"\\]*",\s*"pid": ?(\d+),\s*"tid": ?(\d+),'
    rb'\s*"ts": ?(\d{1,30}(?:\.\d{1,3})?),\s*"dur": ?\d+(?:\.\d+)?(?:,|\Z)'
)
"""An event as Kineto spells it, up to its arguments."""
_RESUME_BYTES = 4 << 20
"""An object that is longer than this has a quote too many."""
_BRACES = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]', re.DOTALL)
_NEXT = re.compile(r'\},?\s*(?=\{\s*"(?:ph|name|cat|pid|tid|ts|dur|args|id|bp|s)"\s*:)')
_VALUE_END = re.compile(r"[,\]]")
_BARE = re.compile(r"(:\s*)([-+]?(?:0[xX][0-9a-fA-F]+|[A-Za-z_][\w.+-]*))(?=\s*[,}\]])")
_WORDS = {"true", "false", "null", "NaN", "Infinity", "-Infinity"}
_ANYTHING = re.compile(b"")
_BLANK = re.compile(r"[\s,]*")
_DECODE = JSONDecoder(parse_float=str, strict=False).raw_decode
"""Digits remain text. Names may contain control characters, which profilers write."""


class EventCutter:
    """Reader of the wanted events of `stream`.

    `wanted` has a regular expression for the text of an event by category; None means all events. Events without a
    category are always wanted. Reading value by value selects by category only.

    `bare` are categories whose arguments may be left out. `plain` receives their process, thread and start, unparsed,
    if the event is in the usual notation.

    `header` has the other fields of the file, and `sorts` the number of events by category. `stopped` is the byte at
    which the file is truncated. `found` states whether the file has a list of events. `spoilt` counts invalid values.
    """

    def __init__(
        self,
        stream: BinaryIO,
        wanted: Mapping[str, str] | None,
        bare: Collection[str] = (),
        plain: Callable[[Sequence[Plain]], object] | None = None,
    ) -> None:
        self._stream = stream
        self._plain = plain
        self._bare = {sort.encode() for sort in bare}
        self._wanted: dict[bytes, re.Pattern[bytes]] | None = None
        if wanted is not None:
            self._wanted = {sort.encode(): re.compile(named.encode()) for sort, named in wanted.items()}
            self._wanted[b""] = _ANYTHING
        self._held = b""
        self._offset = 0  # where in the file `_held` begins
        self._over = False
        self.header: dict[str, Any] = {}
        self.sorts: Counter[bytes] = Counter()
        self.spoilt = 0
        self.stopped: int | None = None
        self.found = False

    def events(self) -> Iterator[dict[str, Any]]:
        """The wanted events, in the order of the file."""
        opened = self._open()
        if opened is None:
            return
        self.found, done = True, False
        while not done:
            more = not self._over and self._read_more()
            done, found = self._take(last=not more)
            yield from found
        if self.stopped is None:
            self._rest(opened)
        else:
            self.header = _object(opened.rstrip().rstrip(b",") + b"}")

    def _open(self) -> bytes | None:
        """Skip to the first event and return the text before the events."""
        while self._read_more() or self._held:
            text = self._held.lstrip(b"\xef\xbb\xbf \t\r\n")
            if text.startswith(b"["):
                self._pass(len(self._held) - len(text) + 1)
                return b""
            found = _EVENTS.search(self._held)
            if found:
                opened = self._held[: found.start()]
                self._pass(found.end())
                return opened
            if self._over or len(self._held) > _EVENT_BYTES:
                self.header = _object(self._held)
                break
        if not self.header:
            self.stopped = self._offset + len(self._held)
        return None

    def _read_more(self) -> bool:
        """Read more text and return whether there was any; double a buffer without complete events."""
        asked = missing = max(_PIECE_BYTES, len(self._held))
        pieces = []
        while missing > 0 and not self._over:
            piece = read_some(self._stream, missing)
            pieces.append(piece)
            missing -= len(piece)
            self._over = not piece
        self._held += b"".join(pieces)
        return missing < asked

    def _pass(self, length: int) -> None:
        self._held = self._held[length:]
        self._offset += length

    def _take(self, *, last: bool) -> tuple[bool, list[dict[str, Any]]]:
        """Return whether the list of events is complete, and the events in the buffer."""
        held = self._held
        if last or _END.search(held):
            return self._take_one_by_one(last=last)
        pieces = _CUT.split(held)
        if len(pieces) == 1:
            return self._take_one_by_one(last=last) if len(held) > 4 * _PIECE_BYTES else (False, [])
        chosen, sorts = [], Counter[bytes]()
        plain: list[Plain] = []
        category, wanted = _CATEGORY.search, self._wanted
        usual, bare = _PLAIN.match if self._plain else _never, self._bare
        for piece in pieces[:-1]:
            if (short := usual(piece)) and short[1] in bare:
                plain.append(short.groups())  # type: ignore[arg-type]  # they are four
                continue
            filed = category(piece)
            named = wanted.get(filed[1]) if filed and wanted is not None else _ANYTHING
            if named and named.search(piece):
                chosen.append(_without_arguments(piece) if filed and filed[1] in self._bare else piece)
            # a cut inside an event leaves a brace too many
            elif filed and piece.count(b'"ph"') == 1 and piece.count(b"{") == piece.count(b"}") + 1:
                sorts[filed[1]] += 1
            else:
                return self._take_one_by_one(last=last)
        found = _values(b"[" + b"},".join(chosen) + b"}]") if chosen else []
        if found is None or len(found) != len(chosen):
            return self._take_one_by_one(last=last)
        if self._plain and plain:
            self._plain(plain)
            sorts.update(sort for sort, *_ in plain)
        sorts.update(str(event.get("cat", "")).encode("utf-8", "surrogateescape") for event in found)
        self.sorts += sorts
        self._pass(len(held) - len(pieces[-1]))
        return False, found

    def _take_one_by_one(self, *, last: bool) -> tuple[bool, list[dict[str, Any]]]:
        """Read the buffer value by value; skip a value that is not valid JSON."""
        text, at, found = self._held.decode("utf-8", "surrogateescape"), 0, []
        done = False
        while True:
            at = _BLANK.match(text, at).end()  # type: ignore[union-attr]
            if at >= len(text) or text[at] == "]":
                done = at < len(text)
                break
            try:
                value, end = _DECODE(text, at)
            except (ValueError, RecursionError):
                found_end = _find_end(text, at, resume=last or len(text) > _RESUME_BYTES)
                if found_end is None:
                    break
                end = found_end
                value = _decode_spoilt(text[at:end])
            if end == len(text) and not last and not isinstance(value, dict):
                break  # more digits may follow
            at = end
            if isinstance(value, dict):
                sort = str(value.get("cat", "")).encode("utf-8", "surrogateescape")
                self.sorts[sort] += 1
                if not sort or self._wanted is None or sort in self._wanted:
                    found.append(value)
            else:
                self.spoilt += 1
        self._pass(len(text[:at].encode("utf-8", "surrogateescape")))
        if done:
            self._pass(1)
        elif last or len(self._held) > _EVENT_BYTES:
            self.stopped, done = self._offset, True
        return done, found

    def _rest(self, opened: bytes) -> None:
        """Read the fields before and after the events, where they are no longer than an event may be."""
        while not self._over and len(self._held) <= _EVENT_BYTES and self._read_more():
            pass
        before = opened.rstrip().rstrip(b",")
        after = self._held.strip().lstrip(b",")
        if opened:  # an object, not a bare list
            comma = b"," if before.strip() != b"{" and after not in (b"}", b"") else b""
            self.header = _object(before + comma + after) or _object(before + b"}")


def _never(piece: bytes) -> re.Match[bytes] | None:
    """Match no event."""


def _without_arguments(piece: bytes) -> bytes:
    """Return an event that lacks its closing brace without its arguments, if its times precede them."""
    end = piece.find(b'"args"')
    return piece if end < 0 or b'"dur"' not in piece[:end] else piece[:end].rstrip(b", \t\r\n")


def read_some(stream: BinaryIO, most: int) -> bytes:
    """Read a part of the rest; return nothing at the end, or where a compressed file is truncated."""
    try:
        piece: bytes = getattr(stream, "read1", stream.read)(most)
    except (EOFError, OSError, zlib.error, lzma.LZMAError):
        return b""
    return piece


def _values(text: bytes) -> list[dict[str, Any]] | None:
    """The events of a list, if it is one of events."""
    try:
        values, _ = _DECODE(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None
    return values if all(isinstance(value, dict) for value in values) else None


def _object(text: bytes) -> dict[str, Any]:
    try:
        value, _ = _DECODE(text.decode("utf-8", "surrogateescape").lstrip("\ufeff \t\r\n"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _find_end(text: str, start: int, *, resume: bool) -> int | None:
    """Return the end of the object at `start`, by braces outside of strings; None for a truncated object.

    A missing quote hides braces: with `resume` the object then ends where the next event begins.
    """
    if text[start] not in "{[":
        following = _VALUE_END.search(text, start)
        return following.start() if following else None
    depth = 0
    for token in _BRACES.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth == 0 and token[0] in "}]":
            if _decode_spoilt(text[start : token.end()]) is not None:
                return token.end()
            following = _NEXT.search(text, start, token.end())
            return following.start() + 1 if following else token.end()
    following = _NEXT.search(text, start) if resume else None
    return following.start() + 1 if following else None


def _decode_spoilt(text: str) -> Any:
    """Decode JSON with bare words or hexadecimal numbers as strings; return None if it is invalid."""
    spelt = _BARE.sub(lambda match: match[0] if match[2] in _WORDS else f'{match[1]}"{match[2]}"', text)
    try:
        return _DECODE(spelt)[0]
    except (ValueError, RecursionError):
        return None
