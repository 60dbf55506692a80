"""Rules of the prose linter, and the findings in a piece of prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from prose.pieces import Piece, count_words

HERE = Path(__file__).resolve().parent
ROOMS = ("readme", "docs", "reference", "changelog", "help", "messages", "fields", "docstrings", "comments")
_LETTERS = {
    "m": {"readme", "docs", "reference", "changelog"},
    "h": {"help"},
    "e": {"messages"},
    "f": {"fields"},
    "d": {"docstrings"},
    "c": {"comments"},
    "a": set(ROOMS),
}
"""Kinds of text by letter, as in the column `rooms` of glossary.tsv."""
MAX_SENTENCE_WORDS = 30
MAX_PARAGRAPH_WORDS = 90
MAX_ITEM_WORDS = 45
MAX_CELL_WORDS = 25
MAX_MESSAGE_CHARS = 90
MAX_HELP_CHARS = 72
MAX_SUMMARY_CHARS = 100

RULES = {
    "P001": "glossary word or phrase",
    "P101": f"sentence of more than {MAX_SENTENCE_WORDS} words",
    "P102": "sentence begins with a what/who clause used as a noun",
    "P103": "what/who clause used as a noun inside a sentence",
    "P104": "two or more passives in one sentence",
    "P105": f"paragraph of more than {MAX_PARAGRAPH_WORDS} words",
    "P106": f"list item of more than {MAX_ITEM_WORDS} words",
    "P107": f"table cell of more than {MAX_CELL_WORDS} words",
    "M201": f"message of more than {MAX_MESSAGE_CHARS} characters",
    "H301": "help does not begin with an imperative verb",
    "H302": f"option help of more than {MAX_HELP_CHARS} characters",
    "D401": "summary is a what/who/how clause",
    "D402": f"summary is longer than one line of {MAX_SUMMARY_CHARS} characters",
    "C501": "comment has an open end",
    "C502": "comment begins in mid-sentence",
}
_IRREGULAR = (
    "bound broken brought built bought caught chosen cut done drawn driven felt fitted forgotten found given grown "
    "held hidden hit kept known laid led left lent lost made meant met mistaken paid put read said seen sent set shown "
    "shut sought spelt spent split spoken struck sunk sworn taken taught thrown told torn understood won worn wound "
    "woven written fed dealt hung run"
).replace(" ", "|")
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?)\s+(?:(?:not|also|then|never|always|all|both|only|still|just|once|"
    rf"\w+ly)\s+)*(?:\w{{2,}}ed|{_IRREGULAR})\b"
)
_NOUN_OPENER = re.compile(
    r"^(?:(?:What|Whatever|Who|Whoever|Whose|Which)\s|(?:But|And|So|Only|All|Just|Also)\s(?:what|who)\s|"
    r"(?:Those|That|All|None)\s(?:who|that|of|which|with|in)\s)(?!.*\?$)"
)
_NOUN_OBJECT = re.compile(
    r"(?<!^)\bwhat(?:ever)?\b(?! (?:to|if)\b)(?!.*\?$)|"
    r"\b(?:of|by|for|from|with|to|at|on|than|after|before|as|is|are|but|and|or|says?|tells?|shows?|not|nobody) "
    r"(?:who|whom|whoever)\b"
)
_SUMMARY_OPENER = re.compile(r"(What|Who|Whose|Which|Where|How|When|Whatever|Those|That which|All that)\b")


class ProseFinding(NamedTuple):
    """A finding in a piece of prose."""

    path: str
    line: int
    room: str
    rule: str
    text: str


class GlossaryEntry(NamedTuple):
    """A word or phrase to avoid, and its replacement."""

    pattern: re.Pattern[str]
    replacement: str
    is_advice: bool


@cache
def read_glossary(room: str) -> tuple[GlossaryEntry, ...]:
    """Return the entries of glossary.tsv for a room; entries of kind `note` are advice only."""
    entries = []
    for line in (HERE / "glossary.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, replacement, kind, letters, *_ = line.split("\t")
            flags = 0 if re.search(r"[A-Z]\w|\[Ww\]", pattern.replace("TeX", "")) else re.IGNORECASE
            if any(room in _LETTERS[letter] for letter in letters.split(",")):
                entries.append(GlossaryEntry(re.compile(pattern, flags), replacement, kind == "note"))
    return tuple(entries)


@cache
def read_help_verbs() -> frozenset[str]:
    """Return the imperatives that may begin a help text."""
    return frozenset((HERE / "help_verbs.txt").read_text(encoding="utf-8").split())


def split_sentences(text: str) -> list[str]:
    """Split prose into sentences; a list of short clauses after a colon stays one sentence."""
    text = re.sub(r"\s+", " ", text).strip()
    parts = re.split(r"(?<=[.!?])[)\"']?\s+(?=[A-Z`\"(\[]|tikzgen)", text)
    return [part for part in parts if re.search(r"[A-Za-z]{2}", part)]


def check_piece(piece: Piece) -> Iterator[ProseFinding]:
    """Yield the findings in a piece of prose."""
    for rule, text in (*_glossary_hits(piece), *_sentence_hits(piece), *_length_hits(piece), *_form_hits(piece)):
        yield ProseFinding(piece.path, piece.line, piece.room, rule, re.sub(r"\s+", " ", text)[:160])


def _glossary_hits(piece: Piece) -> Iterator[tuple[str, str]]:
    """Yield the words to avoid; overlapping matches are one finding."""
    entries = read_glossary(piece.room)
    hits = [(hit, entry) for entry in entries for hit in entry.pattern.finditer(piece.text) if not entry.is_advice]
    end = -1
    for hit, entry in sorted(hits, key=lambda pair: (pair[0].start(), -pair[0].end())):
        if hit.start() >= end:
            end = hit.end()
            yield "P001", f'"{hit[0].strip()}": {entry.replacement}'


def _sentence_hits(piece: Piece) -> Iterator[tuple[str, str]]:
    for sentence in split_sentences(piece.text) if piece.kind != "heading" else ():
        length = count_words(sentence)
        if length > MAX_SENTENCE_WORDS and piece.kind != "message":
            yield "P101", f"{length} words: {sentence}"
        if piece.room != "docstrings" and _NOUN_OPENER.match(sentence):
            yield "P102", sentence
        if _NOUN_OBJECT.search(sentence):
            yield "P103", sentence
        if len(_PASSIVE.findall(sentence)) > 1:
            yield "P104", sentence


_MAX_WORDS = {
    "paragraph": ("P105", MAX_PARAGRAPH_WORDS),
    "item": ("P106", MAX_ITEM_WORDS),
    "cell": ("P107", MAX_CELL_WORDS),
}
_MAX_CHARS = {
    "message": ("M201", MAX_MESSAGE_CHARS),
    "help": ("H302", MAX_HELP_CHARS),
    "summary": ("D402", MAX_SUMMARY_CHARS),
}


def _length_hits(piece: Piece) -> Iterator[tuple[str, str]]:
    rule, limit = _MAX_WORDS.get(piece.kind, ("", 0))
    if rule and count_words(piece.text) > limit:
        yield rule, f"{count_words(piece.text)} words: {piece.text}"
    rule, limit = _MAX_CHARS.get(piece.kind, ("", 0))
    if rule and (len(piece.text) > limit or (rule == "D402" and "\n" in piece.text.strip())):
        yield rule, f"{len(piece.text)} characters: {piece.text}"


def _form_hits(piece: Piece) -> Iterator[tuple[str, str]]:
    if piece.kind in {"help", "help-summary"}:
        first = re.match(r"[\"'`(]*([A-Za-z-]+)", piece.text)
        if not (first and first[1].lower() in read_help_verbs()):
            yield "H301", piece.text
    if piece.kind == "summary" and _SUMMARY_OPENER.match(piece.text):
        yield "D401", piece.text
    if "-open" in piece.kind:
        yield "C501", piece.text
    if piece.kind.endswith("-mid"):
        yield "C502", piece.text
