"""What to do about an error of TeX: a table of messages and ways out, and of packages that bring missing files."""

from __future__ import annotations

import re

from tikzgen.base.patterns import pattern_of
from tikzgen.compile.install import System, package_line

_INSIDE = "a figure is compiled alone, in a private folder: write the content into the figure itself"
_LUA_OR_XE = "use --engine lualatex or --engine xelatex"

_LOST_FONT = pattern_of(r'[Ff]ont ["\\]?(?:\S+=)?(?P<name>[^"]+?)"? (?:at \S+ )?(?:cannot be found|not loadable)')

# Commands that somebody may expect without having loaded their package.
_COMMANDS = {
    "directlua": "use --engine lualatex",
    "luaexec": "use --engine lualatex",
    "XeTeXrevision": "use --engine xelatex",
    "setmainfont": "load fontspec, and " + _LUA_OR_XE,
    "mathbb": r"load it: \usepackage{amssymb}",
    "mathfrak": r"load it: \usepackage{amssymb}",
    "text": r"load it: \usepackage{amsmath}",
    "dfrac": r"load it: \usepackage{amsmath}",
    "operatorname": r"load it: \usepackage{amsmath}",
    "bm": r"load it: \usepackage{bm}",
    "includegraphics": r"load it: \usepackage{graphicx}",
    "CJKfamily": "the Chinese text needs CJKutf8 with pdflatex, or xeCJK with xelatex",
}

_NAMES = "a macro makes names without end, or the figure has too many of them: draw fewer elements"
_SMALLER = "the figure has too many elements, or a macro grows without end: draw fewer"
# By what is exceeded, without the " size" that TeX adds to some.
_CAPACITIES = {
    "main memory": "the figure has too many elements for this engine: draw fewer, split it, or use --engine lualatex",
    "input stack": "a macro calls itself without end",
    "parameter stack": "a macro calls itself without end",
    "semantic nest": "groups or boxes are nested without end",
    "grouping levels": "groups are nested without end: a } or an \\end is missing",
    "text input levels": "a file reads itself",
    "save": "too many local settings: close groups earlier, or draw fewer elements",
    "token memory": _SMALLER,
    "node memory": _SMALLER,
    "font memory": "too many fonts: use fewer sizes and families",
    "number of strings": _NAMES,
    "pool": _NAMES,
    "hash": _NAMES,
    "buffer": "one line of the figure is too long: break it",
}

_CHINESE = (
    "Chinese and Japanese need a package: CJKutf8 with pdflatex, xeCJK with --engine xelatex, luatexja with "
    "--engine lualatex; a spec's figures bring it along"
)

_EAST = r"U\+(?:2[EF]|3[0-9A-F]|[4-9][0-9A-F]|F[9A]|2[0-9A-F]{2})[0-9A-F]{2}\)"

_REMEDIES = [
    (r"Missing \$ inserted", r"maths outside $…$: write \_ for a plain _, \textasciicircum{} for ^"),
    (r"Extra \}, or forgotten \$", "a $ that opens maths is not closed, or a } is too many"),
    (r"Misplaced alignment tab", r"a plain & is written \&"),
    (r"macro parameter character", r"a plain # is written \#"),
    (rf"(?:Unicode character|the font lm\S+ has no character) .*{_EAST}", _CHINESE),
    (r"has no character number", "name it by a command, or " + _LUA_OR_XE),
    (r"the font gbsn has no character", f"write another character, or {_LUA_OR_XE}, whose fonts have more"),
    (r"has no character", "write another character, or set it in a font that has it"),
    (r"Unicode character", f"pdflatex has no such character here: {_LUA_OR_XE}, or name it by a command"),
    (r"requires? (either )?(XeTeX|LuaTeX|the XeTeX|the LuaTeX)", "the wrong engine: {engines}"),
    (r"did not find the (tikz|pgf) library", "misspelt, or newer than the installed pgf"),
    (r"CTeX fontset .* unavailable", "the wrong engine for these Chinese fonts: " + _LUA_OR_XE),
    (r"I do not know the key", "a misspelt style or option, or a library that \\usetikzlibrary should load"),
    (r"No shape named", "a path names a node that stands later, or nowhere"),
    (r"Giving up on this path", "each TikZ command ends with a semicolon"),
    (r"Undefined color", "define it in the palette block, or use one of its names"),
    (r"Dimension too large|Arithmetic overflow", "a length beyond TeX's largest, 575 cm: use a smaller unit"),
    (r"Double (?:sub|super)script", "brace what is raised or lowered twice: a_{b_c}"),
    (r"Missing (?:number|= inserted)", "something else stands where a number must"),
    (r"Illegal unit", "a length ends in a unit of TeX: cm, mm, pt, em or ex"),
    (r"has an extra \}", "an argument is missing before that }"),
    (r"Extra \}|Too many \}|Missing [{}] inserted", "a { or a } is missing, or stands too often"),
    (r"on input line \d+ ended by", "environments end in the reverse order of their beginnings"),
    (r"Environment (axis|\w*logaxis|polaraxis) undefined", r"load it: \usepackage{pgfplots}"),
    (r"Environment \S+ undefined", "misspelt, or its package is not loaded"),
    (r"Unknown arrow tip kind", r"misspelt, or load them: \usetikzlibrary{arrows.meta}"),
    (r"Cannot parse this coordinate", r"misspelt, or load what computes it: \usetikzlibrary{calc}"),
    (r"Unknown (function|operator)", "misspelt, or a \\ is missing before a macro's name"),
    (r"Missing \\begin\{document\}", r"text before \begin{document} cannot be set"),
    (r"Can be used only in preamble", r"it stands before \begin{document}"),
    (
        r"You can't use `.*' in (?:inner|horizontal|vertical|internal|restricted|no|math|display)",
        "it cannot stand here",
    ),
    (r"Paragraph ended|Runaway|File ended while", "a } is missing, or a blank line stands inside an argument"),
    (r"Emergency stop|no legal \\end found", r"the file ends too early: a } or \end{document} is missing"),
    (r"already defined", "two definitions of one name: rename one"),
    (r"not enough memory|out of memory", "the figure needs more memory than it may have: draw fewer elements"),
    (r"Unable to load picture", _INSIDE),
    (r"I can't write on file", "a figure may write nothing outside its private folder"),
]


# file: (Debian package, TeX Live package)
_PACKAGES = {
    "standalone.cls": ("texlive-latex-extra", "standalone"),
    "tikz.sty": ("texlive-pictures", "pgf"),
    "pgf.sty": ("texlive-pictures", "pgf"),
    "pgfplots.sty": ("texlive-pictures", "pgfplots"),
    "xcolor.sty": ("texlive-latex-recommended", "xcolor"),
    "iftex.sty": ("texlive-base", "iftex"),
    "luatex85.sty": ("texlive-luatex", "luatex85"),
    "xkeyval.sty": ("texlive-latex-recommended", "xkeyval"),
    "fontspec.sty": ("texlive-latex-recommended", "fontspec"),
    "lmodern.sty": ("lmodern", "lm"),
    "amsmath.sty": ("texlive-latex-base", "amsmath"),
    "amssymb.sty": ("texlive-base", "amsfonts"),
    "mathtools.sty": ("texlive-latex-recommended", "mathtools"),
    "subcaption.sty": ("texlive-latex-recommended", "caption"),
    "microtype.sty": ("texlive-latex-recommended", "microtype"),
    "beamer.cls": ("texlive-latex-recommended", "beamer"),
    "siunitx.sty": ("texlive-science", "siunitx"),
    "newtxmath.sty": ("texlive-fonts-extra", "newtx"),
    "IEEEtran.cls": ("texlive-publishers", "ieeetran"),
    "acmart.cls": ("texlive-publishers", "acmart"),
    "CJK.sty": ("latex-cjk-common", "cjk"),
    "CJKutf8.sty": ("latex-cjk-common", "cjk"),
    "c70gbsn.fd": ("latex-cjk-chinese-arphic-gbsn00lp", "arphic"),
    "xeCJK.sty": ("texlive-lang-chinese", "xecjk"),  # in texlive-lang-cjk, but it needs ctexhook.sty
    "ctex.sty": ("texlive-lang-chinese", "ctex"),
    "ctexhook.sty": ("texlive-lang-chinese", "ctex"),
    "luatexja.sty": ("texlive-lang-japanese", "luatexja"),
    "luatexja-fontspec.sty": ("texlive-lang-japanese", "luatexja"),
    "luaotfload-main.lua": ("texlive-luatex", "luaotfload"),
}

# Fonts go by the beginning of their names: gbsnu4e, FandolHei-Regular, lmroman10-regular.
_FONTS = {
    "gbsn": ("latex-cjk-chinese-arphic-gbsn00lp", "arphic"),
    "fandol": ("texlive-lang-chinese", "fandol"),
    "lm": ("lmodern", "lm"),
    "latin modern": ("lmodern", "lm"),
    "haranoaji": ("texlive-lang-japanese", "haranoaji"),
    "ec-lm": ("lmodern", "lm"),
    "ts1-lm": ("lmodern", "lm"),
    "ec": ("cm-super", "cm-super"),
    "tctt": ("cm-super", "cm-super"),
}


def remedy(message: str, *, engine: str, system: System) -> str:
    """The way out of an error, or nothing where none is known."""
    if missing := re.search(r"File [`'](?P<name>[^']+)' not found", message):
        name = missing["name"]
        return remedy_for(name, system) if name.endswith((".sty", ".cls", ".fd", ".def", ".lua")) else _INSIDE
    if font := _LOST_FONT.search(message):
        return remedy_for(font["name"], system, font=True)
    if command := re.match(r"Undefined control sequence \\(?P<name>.+)", message):
        return _command(command["name"])
    if capacity := re.search(r"capacity exceeded, sorry \[(?P<what>[\w ]+?)(?: size)?=", message):
        return _CAPACITIES.get(capacity["what"], "the figure is too large for this engine: draw fewer elements")
    for pattern, hint in _REMEDIES:
        if re.search(pattern, message):
            return hint.format(engines=_engines(message, engine)) if "{engines}" in hint else hint
    return ""


def _command(name: str) -> str:
    if "@" in name or name.startswith("end"):
        # the command exists inside its environment only, and something has swallowed a part of that
        return "a } is missing further up, or a % comments it out"
    return _COMMANDS.get(name, "misspelt, or its package is not loaded")


def _engines(message: str, engine: str) -> str:
    wanted = [name for name, word in (("xelatex", "XeTeX"), ("lualatex", "LuaTeX")) if word in message]
    return "use " + " or ".join(f"--engine {name}" for name in wanted if name != engine)


def remedy_for(name: str, system: System, *, font: bool = False) -> str:
    """What installs the file or font `name`; for an unknown one, how to find out."""
    if font:
        # fontspec asks for "[FandolHei-Regular.otf]:mode=node"
        plain = name.strip("[]").lower()
        packages = next((found for start, found in _FONTS.items() if plain.startswith(start)), None)
    else:
        packages = _PACKAGES.get(name)
    if packages:
        debian, texlive = packages
        line = package_line(debian, texlive, system)
        others = f"TeX Live, MiKTeX: {texlive}" if line.endswith(debian) else f"Debian: {debian}"
        return f"install it: {line}; {others}"
    if font:
        return "install that font, or name another one"
    return f"misspelt, or not installed: `tlmgr search --global --file /{name}` names its package"
