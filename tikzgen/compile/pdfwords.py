"""A figure's title, description and language in its PDF: Title and Subject of the Info dictionary, the root's Lang.

They are appended after compiling, as an incremental update, which every PDF allows: the page's bytes stay as TeX wrote
them, the .tex needs no line for it, and nothing of it can reach a paper that takes the .tex in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tikzgen.compile.pdf import object_streams
from tikzgen.describe import About

__all__ = ["with_words", "words_of"]

_TOLD_IN = b"SubjectLang"  # a key of our own: PDF knows no language of a Subject
_START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*\Z")
_REFERENCE = rb"/%s\s+(\d{1,10})\s+0\s+R"
_LONGEST = 64 * 1024  # bytes of an Info dictionary
_HEX = re.compile(rb"<([0-9A-Fa-f\s]*)>")
_ESCAPED = re.compile(rb"\\([nrtbf]|[0-7]{1,3}|\r?\n|.)", re.DOTALL)
_CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
_BOM = b"\xfe\xff"


@dataclass(frozen=True, slots=True)
class _Trailer:
    """How a PDF ends: where its last table of objects is, and what stands in it."""

    at: int
    stream: bool
    size: int
    root: int
    info: int | None
    id: bytes


def with_words(pdf: bytes, words: About) -> bytes:
    """The PDF with a title, a description and its language, where it says none itself; as it is where its end cannot
    be read.

    The same PDF and words give the same bytes.
    """
    trailer = _trailer(pdf)
    if trailer is None:
        return pdf
    info = b"" if trailer.info is None else _dictionary(pdf, trailer.info)
    root = _dictionary(pdf, trailer.root)
    number = trailer.size if trailer.info is None else trailer.info
    said = {b"Title": words.title, b"Subject": words.description, _TOLD_IN: words.told_in}
    changed = {number: (info, _unsaid(info, said))}
    if root:
        changed[trailer.root] = (root, _unsaid(root, {b"Lang": words.language}))
    made = pdf if pdf.endswith(b"\n") else pdf + b"\n"
    places: dict[int, int] = {}
    for each, (old, new) in sorted(changed.items()):
        if new:
            places[each] = len(made)
            made += b"%d 0 obj\n<<%s %s>>\nendobj\n" % (each, old, new)
    return made + _table(trailer, number, places, len(made)) if places else pdf


def _unsaid(dictionary: bytes, words: dict[bytes, str]) -> bytes:
    """The entries that a dictionary has not."""
    missing = ((key, text) for key, text in words.items() if text and not re.search(rb"/%s\b" % key, dictionary))
    return b" ".join(b"/%s %s" % (key, _string(text)) for key, text in missing)


def words_of(pdf: bytes) -> About:
    """The title, the description and the language that a PDF says; empty where it says none."""
    trailer = _trailer(pdf)
    if trailer is None:
        return About()
    info = b"" if trailer.info is None else _dictionary(pdf, trailer.info)
    language = _said(_dictionary(pdf, trailer.root), b"Lang")
    return About(_said(info, b"Title"), _said(info, b"Subject"), language, _said(info, _TOLD_IN))


def _trailer(pdf: bytes) -> _Trailer | None:
    start = _START.search(pdf[-2048:])
    at = int(start[1]) if start else len(pdf)
    stream = re.match(rb"\d+\s+0\s+obj\b", pdf[at : at + 40]) is not None
    if not stream and not pdf.startswith(b"xref", at):
        return None
    said = pdf[at if stream else max(pdf.find(b"trailer", at), at) :]
    said = said.partition(b"stream")[0] if stream else said.partition(b"startxref")[0]
    size, root, info = (
        re.search(pattern, said) for pattern in (rb"/Size\s+(\d{1,10})\b", _key(b"Root"), _key(b"Info"))
    )
    if size is None or root is None or b"/Encrypt" in said:
        return None
    name = re.search(rb"/ID\s*\[[^\]]*\]", said)
    return _Trailer(at, stream, int(size[1]), int(root[1]), int(info[1]) if info else None, name[0] if name else b"")


def _key(name: bytes) -> bytes:
    return _REFERENCE % name


def _dictionary(pdf: bytes, number: int) -> bytes:
    """What stands in the dictionary of that number, without its brackets; empty where there is none."""
    begin = rb"(?:^|[\r\n])%d\s{1,20}0\s{1,20}obj\s{0,20}<<" % number
    starts = [found.end() for found in re.finditer(begin, pdf)][-1:]
    plain = [re.match(rb"(.*?)>>\s{0,20}endobj", pdf[at : at + _LONGEST], re.DOTALL) for at in starts]
    return plain[0][1].strip() if plain and plain[0] else _packed(pdf, number)


def _packed(pdf: bytes, number: int) -> bytes:
    """The dictionary of that number in the PDF's compressed objects."""
    for head, data in object_streams(pdf):
        first = re.search(rb"/First\s{1,20}(\d{1,9})\b", head)
        begin = int(first[1]) if first else 0
        heads = [word for word in data[:begin].split() if word.isdigit()]
        places = dict(zip(map(_number, heads[::2]), map(_number, heads[1::2]), strict=False))
        if number in places:
            after = [at for at in places.values() if at > places[number]]
            found = data[begin + places[number] : begin + min(after) if after else None]
            return found[:_LONGEST].strip().removeprefix(b"<<").removesuffix(b">>").strip()
    return b""


def _number(word: bytes) -> int:
    """A place or a name among the objects; what is too long is none, and would take Python long to read."""
    return int(word) if len(word) < 12 else -1


def _table(trailer: _Trailer, info: int, places: dict[int, int], end: int) -> bytes:
    """The table of what was appended: objects by number at their bytes, this table at byte `end`."""
    told = b"/Info %d 0 R " % info if info in places or trailer.info is not None else b""
    facts = b"/Root %d 0 R %s/Prev %d %s" % (trailer.root, told, trailer.at, trailer.id)
    size = max(trailer.size, *(number + 1 for number in places))
    if trailer.stream:
        # a PDF whose table is a stream is updated by one: entries of 1, 4 and 2 bytes
        places = {**places, size: end}
        entries = b"".join(b"\1" + place.to_bytes(4, "big") + b"\0\0" for place in places.values())
        index = b" ".join(b"%d 1" % number for number in places)
        head = b"%d 0 obj\n<</Type /XRef /Size %d /Index [%s] /W [1 4 2] " % (size, size + 1, index)
        table = head + facts + b" /Length %d>>\nstream\n%s\nendstream\nendobj\n" % (len(entries), entries)
    else:
        rows = b"".join(b"%d 1\n%010d 00000 n \n" % each for each in places.items())
        table = b"xref\n%strailer\n<</Size %d %s>>\n" % (rows, size, facts)
    return table + b"startxref\n%d\n%%%%EOF\n" % end


def _string(text: str) -> bytes:
    """A PDF string: as it is where it is ASCII, UTF-16 otherwise."""
    if text.isascii():
        return b"(" + re.sub(rb"([()\\])", rb"\\\1", text.encode()) + b")"
    return b"<" + (_BOM + text.encode("utf-16-be", "replace")).hex().upper().encode() + b">"


def _said(info: bytes, key: bytes) -> str:
    found = re.search(rb"/%s\s*(\((?:\\.|[^\\()])*\)|<[0-9A-Fa-f\s]*>)" % key, info, re.DOTALL)
    if found is None:
        return ""
    packed = _HEX.fullmatch(found[1])
    raw = _unpacked(packed[1]) if packed else _ESCAPED.sub(_unescaped, found[1][1:-1])
    text = raw.removeprefix(_BOM).decode("utf-16-be", "replace") if raw.startswith(_BOM) else raw.decode("latin-1")
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _unpacked(digits: bytes) -> bytes:
    """A string in hexadecimal; where a digit lacks, it is 0."""
    plain = b"".join(digits.split()).decode()
    return bytes.fromhex(plain + "0" * (len(plain) % 2))


def _unescaped(match: re.Match[bytes]) -> bytes:
    sign = match[1]
    if sign.isdigit():
        return bytes([int(sign, 8) & 255])
    return _CONTROLS.get(sign, b"" if sign.endswith(b"\n") else sign)
