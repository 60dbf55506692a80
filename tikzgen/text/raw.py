"""Check raw TeX: it may say anything that a label needs, and nothing that breaks the file or reaches out of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tikzgen.text import characters
from tikzgen.text.maths.commands import TEXTS, package_of
from tikzgen.text.refusal import TextRefused, describe

__all__ = ["FORBIDDEN", "check"]

FORBIDDEN = {
    "reads or writes files": (
        "input include InputIfFileExists IfFileExists includeonly import subimport includegraphics includestandalone "
        "includepdf pgfimage pgfuseimage pgfdeclareimage lstinputlisting verbatiminput VerbatimInput tikzexternalize "
        "openin openout closein closeout read readline write immediate label index glossary addcontentsline "
        "GraphicsRead filedump filesize filemoddate mdfivesum PDFcode "
        "addtocontents bibliography printbibliography filecontents dump saveimageresource useimageresource"
    ),
    "runs code outside the figure": "special directlua latelua directluaescape write18 ShellEscape shellescape",
    "changes TeX for what follows": (
        "def edef gdef xdef let futurelet global long outer protected newcommand renewcommand providecommand "
        "newenvironment renewenvironment DeclareRobustCommand DeclareMathOperator DeclareDocumentCommand "
        "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand newif newread newwrite newcount newdimen "
        "newskip newmuskip newtoks newbox newinsert newlength newcounter newsavebox newtheorem setcounter addtocounter "
        "stepcounter refstepcounter catcode lccode uccode mathcode delcode sfcode mathchardef chardef countdef "
        "dimendef skipdef toksdef font makeatletter makeatother ExplSyntaxOn ExplSyntaxOff usepackage RequirePackage "
        "documentclass LoadClass usetikzlibrary usepgflibrary PassOptionsToPackage AtBeginDocument AtEndDocument "
        "AddToHook everypar everymath everydisplay everyhbox everyvbox everyjob everycr everyeof output aftergroup "
        "afterassignment definecolor colorlet hyphenation patterns endlinechar newlinechar escapechar"
    ),
    "builds commands out of sight": (
        "csname begincsname endcsname lastnamedcs scantokens scantextokens uppercase lowercase MakeUppercase "
        "MakeLowercase MakeTitlecase UseName ExpandArgs"
    ),
    "ends or breaks the figure": (
        "shipout bye stop endinput newpage clearpage pagebreak par endgraf vskip vfill hrule eject verb Verb url "
        "lstinline begingroup endgroup bgroup egroup halign valign noalign omit span cr crcr insert vadjust mark "
        "else or fi loop repeat batchmode scrollmode nonstopmode errorstopmode message errmessage typeout show showthe "
        "showbox showlists interactionmode footnote caption section"
    ),
}
_REASONS = {name: reason for reason, names in FORBIDDEN.items() for name in names.split()}
_FAMILIES = (
    (re.compile(r"(pdf|lua|XeTeX|shell)[A-Za-z]*"), "reads or writes files"),
    (re.compile(r"[A-Za-z]*([Ff]ile|[Ee]xternal|graphicnamed|MPto)[A-Za-z]*"), "reads or writes files"),
    (
        re.compile(
            r"(Declare|New|Renew|Provide|Define|Undeclare|Load|Require|Execute|PassOptions)[A-Z][A-Za-z]*|"
            r"[A-Za-z]*Hook[A-Za-z]*|(pgf|tikz)declare[a-z]*|(x?define|provide)colors?[a-z]*|"
            r"new(fam|font|help|language|marks|attribute|protected|lua|catcode)[a-z]*"
        ),
        "changes TeX for what follows",
    ),
    (re.compile(r"if(?!f$)[a-zA-Z]*"), "ends or breaks the figure"),
)
_TABLES = "tabular array aligned gathered cases matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix"
_ALIGNED = frozenset(_TABLES.split())
_OPEN_TABLES = {f"\\begin{{{name}}}" for name in _ALIGNED}
_PACKAGES = dict.fromkeys(_ALIGNED - {"tabular", "array"}, "amsmath")
_ENVIRONMENTS = _ALIGNED | {"minipage", "center", "flushleft", "flushright"}
# Before a group in which TikZ cannot break a line: a change of font, or nothing.
_STYLED = re.compile(
    r"(?:\\(?:text(?!color)[a-z]+|emph|mbox|hbox|fbox|underline|textcolor\s*\{[^{}]*\})\s*|^\s*|\\\\\s*)\Z"
)
_COMMAND = re.compile(r"\\([A-Za-z]+|.?)", re.DOTALL)
_ENVIRONMENT = re.compile(r"\s*\{([A-Za-z]+\*?)\}")
_BREAKERS = {
    "%": ("begins a comment", r"write \%"),
    "#": ("is TeX's sign for a parameter", r"write \#"),
}
_BLANKS = {"\t": " ", "\n": " ", "\r": " "}


def check(tex: str) -> tuple[str, set[str]]:
    """The source in ASCII (but for Chinese and Japanese) and the packages it is known to need.

    Raises `TextRefused` with the place for what could break the .tex, read or write files, or change the paper.
    """
    reader = _Checker(tex)
    source = "".join(reader.pieces())
    if reader.open:
        sign, place = reader.open[-1]
        raise TextRefused(sign, "is never closed", position=place, hint="close it")
    return source, reader.packages


class _Checker:
    """Goes through raw TeX once; `open` holds the braces, dollars and environments that wait for their end."""

    def __init__(self, tex: str) -> None:
        self.tex = tex
        self.open: list[tuple[str, int]] = []
        self.packages: set[str] = set()

    def pieces(self) -> Iterator[str]:
        at = 0
        while at < len(self.tex):
            char = self.tex[at]
            if char == "\\":
                match = _COMMAND.match(self.tex, at)
                assert match is not None  # the pattern takes whatever follows
                yield self.command(match[1], at, match.end())
                at = match.end()
            elif char in "{}$%#&^_" or char in _BLANKS:
                self.structure(char, at)
                yield _BLANKS.get(char, char)
                at += 1
            elif " " <= char <= "~" and not unicodedata.combining(self.tex[at + 1 : at + 2] or " "):
                yield char
                at += 1
            else:
                entries, at = characters.cluster(self.tex, at)
                self.packages.update(package for entry in entries for package in entry.packages)
                yield "".join(entry.source for entry in entries)

    def command(self, name: str, place: int, after: int) -> str:
        """Check one command, and return it as it is to be written."""
        if not name:
            raise TextRefused("a lone backslash", position=place, hint=r"write \textbackslash{}")
        if not ("A" <= name[0] <= "Z" or "a" <= name[0] <= "z"):
            return self.sign(name, place)
        if name in ("begin", "end"):
            self.environment(name, place, after)
        elif reason := _REASONS.get(name) or next((why for names, why in _FAMILIES if names.fullmatch(name)), None):
            raise TextRefused(f"\\{name}", reason, position=place, hint="a label cannot have it")
        elif (package := package_of(name)) and (name == "text" or name not in TEXTS):  # \textbf needs none
            self.packages.add(package)
        following = self.tex[after : after + 1]
        parted = following.isascii() or characters.find(following, after).source[:1] == "\\"
        return f"\\{name}" if parted else f"\\{name} "  # some engines take Chinese characters for letters

    def environment(self, name: str, place: int, after: int) -> None:
        match = _ENVIRONMENT.match(self.tex, after)
        if match is None or match[1] not in _ENVIRONMENTS:
            kinds = ", ".join(sorted(_ENVIRONMENTS))
            raise TextRefused(f"\\{name}", "of an environment that a label cannot have", position=place, hint=kinds)
        sign = f"\\begin{{{match[1]}}}"
        if name == "begin":
            self.open.append((sign, place))
            if match[1] in _PACKAGES:
                self.packages.add(_PACKAGES[match[1]])
        else:
            self.close(sign, f"\\end{{{match[1]}}}", place)

    def sign(self, sign: str, place: int) -> str:
        """Check a command of one character that is no letter."""
        if sign == "(":
            self.open.append((r"\(", place))
        elif sign == ")":
            self.close(r"\(", r"\)", place)
        elif sign == "\\" and self.open and self.open[-1][0] == "{" and _STYLED.search(self.tex, 0, self.open[-1][1]):
            why, hint = "breaks the line inside braces", r"close them before it: \textbf{a}\\\textbf{b}"
            raise TextRefused(r"\\", why, position=place, hint=hint)
        elif sign in "[]":
            raise TextRefused(f"\\{sign}", "displays maths", position=place, hint="write $...$")
        elif not sign.isascii() or not (sign.isprintable() or sign.isspace()):
            raise TextRefused("a backslash", f"before {describe(sign)}", position=place, hint="remove it")
        return "\\ " if sign.isspace() else f"\\{sign}"

    def structure(self, char: str, place: int) -> None:
        """Check a character that means something to TeX, or a blank."""
        if char == "{":
            self.open.append((char, place))
        elif char == "}":
            self.close("{", char, place)
        elif char == "$":
            if self.tex.startswith("$$", place) and not self.in_dollars():
                raise TextRefused("$$", "displays maths", position=place, hint="write $...$")
            if self.in_dollars():
                self.close("$", "$", place)
            else:
                self.open.append(("$", place))
        elif char in _BREAKERS:
            reason, hint = _BREAKERS[char]
            raise TextRefused(char, reason, position=place, hint=hint)
        elif char == "&" and _OPEN_TABLES.isdisjoint(sign for sign, _ in self.open):
            raise TextRefused("&", "outside a table", position=place, hint=r"write \&")
        elif char in "^_":
            self.script(char, place)
        elif char in "\n\r" and re.match(r"[ \t\r]*\n[ \t\r]*\n", self.tex[place:]):
            raise TextRefused("an empty line", position=place, hint=r"write \\ to break the line")

    def script(self, char: str, place: int) -> None:
        if self.tex.startswith("^^", place):
            raise TextRefused("^^", "hides characters", position=place, hint="write the character itself")
        if not self.open:
            raise TextRefused(char, "outside maths", position=place, hint=rf"write \{char}, or $...$ round it")

    def in_dollars(self) -> bool:
        """Whether the innermost thing open is maths in dollar signs."""
        return bool(self.open) and self.open[-1][0] == "$"

    def close(self, sign: str, closing: str, place: int) -> None:
        if not self.open or self.open[-1][0] != sign:
            why = f"before {self.open[-1][0]} is closed" if self.open else "closes nothing"
            raise TextRefused(closing, why, position=place, hint="balance them")
        self.open.pop()
