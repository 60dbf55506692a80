"""Whatever we accept compiles: every character and many generated labels, with three engines, as labels of nodes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

import pytest
from conftest import NIGHTLY
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from survey.engines import ENGINES, document, faults, run

from tikzgen.text import TextRefused, typeset_label
from tikzgen.text.escape_characters import ASCII, is_cjk, load_character_table
from tikzgen.text.maths.maths_commands import command_names

pytestmark = pytest.mark.tex

NASTY = [
    "\\ $x$ & # _ { } % ~ ^",
    "%",
    "50%\n[x]\n*y",
    "\\$\\$",
    "~^\\|<>",
    "{{{",
    "}}}",
    "^^41",
    "\\\\",
    "\\input{x}",
    "\"a\" 'b' `c`",
    "?` !` ,, << >> -- ---",
    "#1 ##",
    " a ",
    "\n\na\n\n\nb\n",
    "e\u0301",
    "（１）％＃＄",
    "空_闲 & 100%\n[同步]",
    "①②③ ✓ ™ © «»",
    "a\u00adb\u00a0c\u2009d",
    "$f'' \\le \\text{50% of it}$",
]
CHARACTERS = sorted({*map(chr, range(32, 127)), *load_character_table()[0]})
WRITING = "".join(CHARACTERS) + "同步异步更新，。（）空闲前向反向梯度かなカナ"
SIGNS = r"\, \; \! \% \# \$ \& \_ \{ \} \| \left( \right) \left. \right] \middle| \big( \sqrt[ α ∇ ² ≤ ℝ"
PHRASES = r"\frac{a}{b} \sqrt[3]{x} {x} ^{2} _{i} \text{a_b%} \text{é✓} \mbox{x} \mathbf{w} \hat{x}"
FRAGMENTS = [
    *"{}{}{}^_'x1+-=()[]|,.:!?/<>*@ ~",
    *(f"\\{name}" for name in command_names()),
    *SIGNS.split(),
    *PHRASES.split(),
]
labels = (
    st.text(alphabet=WRITING + "\n", min_size=1, max_size=20)
    | st.text(alphabet="".join(ASCII) + "\n[]*aé中-'", min_size=1, max_size=12)
    | st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=8).map(lambda parts: "$" + "".join(parts) + "$")
)


def accepted(texts: Sequence[str]) -> list[str]:
    found = []
    for text in texts:
        try:
            typeset_label(text)
        except TextRefused:
            continue
        found.append(text)
    return found


def complaints(engine: str, texts: Sequence[str]) -> list[tuple[str, str, str]]:
    """Compile all texts, each the label of a node as in our figures: the text, its TeX and what TeX said of it."""
    lines = [r"\vbox{\hsize=20cm\parindent=0pt"]
    for number, text in enumerate(texts):
        label = rf"\def\foolabel{{{typeset_label(text).source}}}"
        node = r"\begin{tikzpicture}\node[align=center,font=\sffamily\footnotesize]{\foolabel};\end{tikzpicture}"
        lines.append(rf"\typeout{{<<{number}>>}}{{{label}{node}}}\par")
    body = "\n".join([*lines, rf"\typeout{{<<{len(texts)}>>}}}}"])
    packages = sorted({package for text in texts for package in typeset_label(text).packages})
    log = run(engine, document(body, engine, packages, cjk=any(typeset_label(text).cjk for text in texts)))
    return [(texts[n], typeset_label(texts[n]).source, part[-500:]) for n, part in faults(log, len(texts)).items()]


def chunks(chars: Sequence[str], size: int) -> Iterator[str]:
    for at in range(0, len(chars), size):
        yield " ".join(chars[at : at + size])


@pytest.mark.parametrize("engine", ENGINES)
def test_every_accepted_character_is_set(engine: str) -> None:
    visible = [char for char in CHARACTERS if not char.isspace() and char != "$"]
    assert not complaints(engine, list(chunks(visible, 20)))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_of_chinese_is_set(engine: str) -> None:
    signs = [char for char in map(chr, range(0x3001, 0x30FF)) if is_cjk(char) and char not in load_character_table()[1]]
    signs += [
        char for char in map(chr, range(0xFF01, 0xFFE6)) if is_cjk(char) and char not in load_character_table()[1]
    ]
    hanzi = [char for char in map(chr, range(0x4E00, 0xA000)) if is_cjk(char)]
    assert not complaints(engine, list(chunks(signs + hanzi[:: 20 if NIGHTLY else 60], 20)))


@pytest.mark.parametrize("engine", ENGINES)
def test_nasty_labels_compile(engine: str) -> None:
    assert accepted(NASTY) == NASTY
    assert not complaints(engine, NASTY)


@pytest.mark.parametrize("engine", ENGINES)
@settings(
    max_examples=2 if NIGHTLY else 1,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(texts=st.lists(labels, min_size=200, max_size=400))
def test_generated_labels_compile(engine: str, texts: list[str]) -> None:
    assert not complaints(engine, accepted(texts))


@pytest.mark.parametrize("packages", [(), ("amsmath",), ("amssymb",)], ids=["none", "amsmath", "amssymb"])
def test_formulas_need_no_package_that_they_do_not_name(packages: tuple[str, ...]) -> None:
    choose = random.Random(7)
    formulas = [
        "$" + "".join(choose.choices(FRAGMENTS, k=choose.randint(1, 6))) + "$" for _ in range(6000 if NIGHTLY else 2000)
    ]
    alone = [text for text in accepted(formulas) if typeset_label(text).packages == packages]
    assert len(alone) > 15
    assert not complaints("pdflatex", alone)


def test_accepted_characters_need_only_fonts_of_a_small_installation() -> None:
    """No T1 or TS1 fonts but Latin Modern's: without cm-super others are bitmaps, made while the paper waits."""
    visible = [char for char in CHARACTERS if not char.isspace() and char != "$"]
    body = "\n".join(
        rf"\setbox0\hbox{{\sffamily {typeset_label(text).source}}}\showbox0" for text in chunks(visible, 40)
    )
    packages = sorted({package for char in visible for package in typeset_label(char).packages})
    log = run("pdflatex", document(rf"\showboxbreadth=9999 \showboxdepth=99 {body}", "pdflatex", packages))
    assert "OT1/cmss/m/n/10" in log
    assert set(re.findall(r"\\(TS?1/[a-z]+)/", log)) == {"T1/lmss", "TS1/lmss"}
