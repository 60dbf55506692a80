"""Which package brings a file that TeX did not find."""

from __future__ import annotations

from tikzgen.compile.install import System, package_line

__all__ = ["remedy_for"]

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
