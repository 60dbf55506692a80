"""How TeX's signs are read aloud; a command that is not here is read by its own name, as `alpha` is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

__all__ = ["ACCENTS", "FORMATS", "LETTERS", "READ", "SILENT", "SKIPPED"]


def _table(lines: str) -> dict[str, str]:
    """`words: names` a line."""
    rows = (line.partition(":") for line in lines.strip().splitlines())
    return {name: f" {words.strip()} " for words, _, names in rows for name in names.split()}


_T = TypeVar("_T")


def _each(names: str, value: _T) -> dict[str, _T]:
    return dict.fromkeys(names.split(), value)


READ: Mapping[str, str] = {
    **_table(r"""
        plus: + \oplus \dotplus
        minus: - \ominus
        plus or minus: \pm
        minus or plus: \mp
        times: \times \cdot * \ast \otimes
        divided by: / \div
        equals: =
        not equal to: \ne \neq
        less than: < \ll \lll
        greater than: > \gg \ggg
        at most: \le \leq \leqslant \leqq
        at least: \ge \geq \geqslant \geqq
        about: \approx \sim \simeq \cong
        identical to: \equiv
        proportional to: \propto \varpropto
        becomes: \gets \leftarrow \longleftarrow
        to: \to \rightarrow \longrightarrow
        maps to: \mapsto \longmapsto
        and back: \leftrightarrow \longleftrightarrow
        implies: \Rightarrow \Longrightarrow \implies
        if and only if: \Leftrightarrow \Longleftrightarrow \iff
        in: \in
        not in: \notin
        subset of: \subset \subseteq
        union: \cup \bigcup
        intersection: \cap \bigcap
        for all: \forall
        there is: \exists
        not: \neg \lnot
        and: \wedge \land
        or: \vee \lor
        given: \mid |
        norm: \| \Vert
        infinity: \infty
        empty set: \emptyset \varnothing
        product: \prod
        integral: \int \iint \iiint \oint
        limit: \lim
        l: \ell
        h bar: \hbar
        epsilon: \varepsilon
        theta: \vartheta
        phi: \varphi
        rho: \varrho
        sigma: \varsigma
        kappa: \varkappa
        mod: \bmod
        composed with: \circ
        …: \dots \cdots \ldots \vdots \ddots
        [: \lbrack
        ]: \rbrack
        {: \lbrace \{
        }: \rbrace \}
        up: \uparrow
        down: \downarrow
    """),
    ",": ", ",
    ".": ".",
    ":": ": ",
    ";": "; ",
    "(": " (",
    ")": ") ",
    "[": " [",
    "]": "] ",
    "~": " ",
    "&": " ",
    "$": "",
}
"""Signs and commands of maths; letters and digits stand for themselves."""

FORMATS: Mapping[str, str] = {
    **_each("mathbf mathrm mathit mathsf mathtt mathnormal mathcal mathbb mathfrak boldsymbol bm", ""),
    **_each("operatorname text textrm textsf texttt textbf textit textnormal mbox hbox", ""),
    **_each("hat widehat", " hat "),
    **_each("tilde widetilde", " tilde "),
    "bar": " bar ",
    "overline": " bar ",
    "underline": " ",
    "vec": " vector ",
    "dot": " dot ",
    "ddot": " double dot ",
    "acute": " ",
    "grave": " ",
    "check": " ",
    "breve": " ",
    "mathring": " ",
}
"""Commands with one argument, and what is said after it."""

SILENT = frozenset(
    _each(
        "left right middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm displaystyle "
        "textstyle scriptstyle scriptscriptstyle limits nolimits quad qquad enspace thinspace hspace vspace newline "
        "linebreak phantom hphantom vphantom begin end color textcolor",
        "",
    )
)
"""Commands that say nothing, but part words."""

SKIPPED: Mapping[str, int] = {
    **_each("color textcolor begin end hspace vspace phantom hphantom vphantom", 1),
    **_each("raisebox rotatebox scalebox fontfamily fontseries fontshape", 1),
    **_each("fontsize rule", 2),
}
"""How many arguments of a command are no words."""

ACCENTS: Mapping[str, str] = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306",
    "v": "\u030c",
    "H": "\u030b",
    "c": "\u0327",
    "d": "\u0323",
    "b": "\u0331",
    "r": "\u030a",
    "k": "\u0328",
}
"""Accents of text, as the marks that combine with the letter before them."""

LETTERS: Mapping[str, str] = {
    "ss": "ß",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "TeX": "TeX",
    "LaTeX": "LaTeX",
    "dots": "…",
    "ldots": "…",
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textbar": "|",
    "textless": "<",
    "textgreater": ">",
    "textdollar": "$",
    "textemdash": "—",
    "textendash": "–",
}
"""Letters and signs of text that have names."""
