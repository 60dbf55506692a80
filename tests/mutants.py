"""Figures with one thing wrong each: what is changed, which rules that breaks, and at which words of the file.

`at` is what stands at the place of the first rule's finding; it is looked for in the file that the finding names.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tikzgen.lint.inventory.metadata_text import Metadata
from tikzgen.lint.written_tex import FigureFile, read_written

__all__ = ["DRAWN", "OF_LAYERS", "OF_MASSES", "OF_OTHERS", "OF_TIMELINES", "OF_TOPOLOGIES", "Mutant", "figure"]


class Mutant(NamedTuple):
    """A figure in which `before` became `after`."""

    name: str
    before: str
    after: str
    codes: str
    at: str


_DATA_TWO = "\\draw[data] (data.east) -- (w2.west)"
_DATA_THREE = "  \\draw[data] (data.east) -- (w3.west);\n"

OF_OTHERS = [
    Mutant("a brace too few", "{\\datalabel};", "{\\datalabel;", "TG201", "{\\datalabel;"),
    Mutant("a brace too many", "{\\datalabel};", "{\\datalabel}};", "TG201 TG214", "};"),
    Mutant("no semicolon", "{\\titlelabel};", "{\\titlelabel}", "TG201", "\\node[font=\\sffamily\\bfseries]"),
    Mutant(
        "an environment left open",
        "\\end{tikzpicture}\n\\end{document}",
        "\\end{document}",
        "TG201 TG214",
        "\\begin{tikzpicture}[\n",
    ),
    Mutant(
        "a parameter renamed", "\\def\\batchlabel", "\\def\\batchtext", "TG202 TG214 TG218 TG227", "% ==== parameters"
    ),
    Mutant("a parameter removed", "\\def\\weightlabel{$\\theta$}\n", "", "TG202 TG227", "% ==== parameters"),
    Mutant("a parameter in a comment", "\\def\\rowsep", "% \\def\\rowsep", "TG202 TG227", "% ==== parameters"),
    Mutant("a parameter below the block", "% labels\n", "% ====\n", "TG202", "\\def\\datalabel"),
    Mutant(
        "a block without its mark", "% ==== parameters (edit these)", "% here (edit these)", "TG202", "\\def\\colsep"
    ),
    Mutant("a node with a blank", "(w1) at", "(w 1) at", "TG204 TG219", "w 1)"),
    Mutant("a node with an underscore", "(w1) at", "(w_1) at", "TG204 TG219", "w_1)"),
    Mutant("a node like a style", "(w1) at", "(grad) at", "TG205 TG219", "grad)"),
    Mutant("a style like a node", "wts/.style", "ps/.style={}, wts/.style", "TG205", "ps) at"),
    Mutant("a worker not synchronised", "{w1,w2,w3}", "{w1,w2}", "TG206", "w1,w2}"),
    Mutant(
        "a worker more, not synchronised",
        "  % title",
        "  \\node[icon] (w4) at (0,9) {\\gpupic};\n  % title",
        "TG206 TG215",
        "w1,w2,w3}",
    ),
    Mutant(
        "flows in one colour", "grad/.style={draw=otpurple!85", "grad/.style={draw=otteal!85", "TG207", "wts/.style"
    ),
    Mutant("flows in one gray", "wts/.style={draw=otteal!70!black", "wts/.style={draw=otgray", "TG207", "wts/.style"),
    Mutant("a stock colour in a style", "draw=otgray!75", "draw=red", "TG208", "red,"),
    Mutant("a stock colour in a tint", "draw=otgray!75", "draw=otgray!75!yellow", "TG208", "yellow,"),
    Mutant("a colour misspelt", "draw=otgray!75", "draw=otgrey!75", "TG208", "otgrey!"),
    Mutant("a stock colour in an icon", "\\filldraw[otteal]", "\\filldraw[green]", "TG208", "green]"),
    Mutant("a colour in numbers", "{\\titlelabel};", "{\\color[HTML]{FF0000}\\titlelabel};", "TG208", "\\color[HTML]"),
    Mutant(
        "a colour of one's own",
        "\\definecolor{otgray}",
        "\\definecolor{accent}{HTML}{AA0000}\n\\definecolor{otgray}",
        "TG208",
        "\\definecolor{accent}",
    ),
    Mutant("a palette value", "{0072B2}", "{0072B3}", "TG209", "0072B3}"),
    Mutant("a value of the dark palette", "{0072B2}", "{2F80BE}", "TG209", "2F80BE}"),
    Mutant("a library more", "positioning, arrows.meta", "positioning, arrows.meta, calc", "TG210", "calc}"),
    Mutant("a library less", "positioning, arrows.meta", "positioning", "TG210", '"arrows.meta"'),
    Mutant("a package more", "\\usepackage{tikz}", "\\usepackage{tikz}\\usepackage{amsmath}", "TG210", "amsmath}"),
    Mutant(
        "a flow from a coordinate",
        _DATA_THREE,
        "  \\draw[data] (0.8,0) -- (w3.west);\n",
        "TG211 TG215",
        "\\draw[data] (0.8,0)",
    ),
    Mutant(
        "a flow to a coordinate",
        "(data.east) -- (w1.west)",
        "(data.east) -- (3.5,2.5)",
        "TG211 TG215 TG217",
        "\\draw[data] (data.east) -- (3.5",
    ),
    Mutant(
        "layers set for all", "\\begin{document}", "\\begin{document}\\pgfsetlayers{main}", "TG213", "\\pgfsetlayers"
    ),
    Mutant(
        "a library in the body",
        "\\begin{document}",
        "\\begin{document}\\usetikzlibrary{positioning}",
        "TG213",
        "positioning}\n",
    ),
    Mutant(
        "styles for all", "\\begin{document}", "\\tikzset{mine/.style=dashed}\n\\begin{document}", "TG213", "\\tikzset"
    ),
    Mutant("a switch for all", "\\begin{document}", "\\newif\\ifdark\n\\begin{document}", "TG213", "\\newif"),
    Mutant("a style renamed", "slbl/.style", "label/.style", "TG214", '"slbl"'),
    Mutant("a parameter more", "% labels\n", "% labels\n\\def\\more{1}\n", "TG214 TG218", "\\def\\more"),
    Mutant("a worker without data", _DATA_THREE, "", "TG215", "\\node[icon] (w3)"),
    Mutant("a label as words", "{\\pslabel};", "{Parameter server};", "TG216 TG218", "Parameter server};"),
    Mutant("a label as maths", "{\\weightlabel};", "{$\\theta$};", "TG216 TG218", "$\\theta$};"),
    Mutant("a place in numbers", "(w3) at (\\colsep, -\\rowsep)", "(w3) at (\\colsep, -2.5)", "TG217", "2.5)"),
    Mutant("a place as a product", "at (2*\\colsep,0)", "at (2*4.6,0)", "TG217", "4.6,0)"),
    Mutant(
        "a label forgotten",
        "  \\node[slbl, below=2pt of w2] {\\workertwolabel};\n",
        "",
        "TG215 TG218",
        "\\node[icon] (w2)",
    ),
    Mutant("a flow to nobody", _DATA_TWO, "\\draw[data] (data.east) -- (w7.west)", "TG215 TG219", "\\node[icon] (w2)"),
    Mutant("a label below nobody", "below=2pt of ps]", "below=2pt of server]", "TG219", "server]"),
    Mutant("a worker twice", "(w3) at", "(w2) at", "TG219 TG220", "w3] "),
    Mutant("a parameter twice", "% labels\n", "% labels\n\\def\\colsep{4.6}\n", "TG220", "\\def\\colsep{4.6}\n"),
    Mutant("a style twice", "wts/.style", "grad/.style={dashed}, wts/.style", "TG220", "grad/.style={dashed}"),
    Mutant("a file beside it", "% title", "\\input{title}", "TG222", "title}"),
    Mutant(
        "workers in another order",
        "(w1) at (\\colsep, \\rowsep)",
        "(w1) at (\\colsep, -2*\\rowsep)",
        "TG223",
        "\\node[icon] (w2)",
    ),
    Mutant(
        "two workers in one place",
        "(w3) at (\\colsep, -\\rowsep)",
        "(w3) at (\\colsep, 2*\\rowsep)",
        "TG223",
        "\\node[icon] (w3)",
    ),
    Mutant(
        "a worker without a number",
        "  % title",
        "  \\node[icon] (gpu) at (0,9) {\\gpupic};\n"
        "  \\foreach \\w in {w1,w2,w3,gpu} { \\draw[data] (\\w.east) -- (ps.north); }\n  % title",
        "TG223",
        "gpu} {",
    ),
    Mutant("an empty text", "{Training data}", "{}", "TG203", "}\n"),
    Mutant("a text of blanks", "{Training data}", "{ }", "TG203", " }\n"),
    Mutant("a length in words", "\\def\\colsep{4.6}", "\\def\\colsep{wide}", "TG203", "wide}"),
    Mutant("a length with a unit of its own", "\\def\\colsep{4.6}", "\\def\\colsep{46mm}", "TG203", "46mm}"),
    Mutant("a length below its bound", "\\def\\rowsep{2.5}", "\\def\\rowsep{1}", "TG203", "1}"),
    Mutant("a length above its bound", "\\def\\rowsep{2.5}", "\\def\\rowsep{11}", "TG203", "11}"),
    Mutant("a length below nothing", "\\def\\rowsep{2.5}", "\\def\\rowsep{-2.5}", "TG203 TG223", "-2.5}"),
    Mutant("a fixed node renamed", "(ps) at (2*", "(server) at (2*", "TG219 TG226", "ps] {"),
    Mutant("a fixed node gone", "\\node[icon] (data) at", "\\node[icon] at", "TG219 TG226", "data] {"),
    Mutant(
        "an icon that nobody drew",
        "(ps) at (2*\\colsep,0) {\\serverpic}",
        "(ps) at (2*\\colsep,0) {\\cpupic}",
        "TG227",
        "\\cpupic}",
    ),
    Mutant("a label that nobody wrote", "{\\datalabel};", "{\\datelabel};", "TG218 TG227", "\\def\\datalabel"),
    Mutant(
        "a distance that nobody gave",
        "(w3) at (\\colsep, -\\rowsep)",
        "(w3) at (\\colsep, -\\rowgap)",
        "TG227",
        "\\rowgap)",
    ),
    Mutant("a point that no node has", "(w3.west)", "(w3.weast)", "TG228", "w3.weast)"),
    Mutant("a path misspelt", "\\fill[otteal!8] (0,0)", "\\fil[otteal!8] (0,0)", "TG227", "\\fil[otteal"),
    Mutant("a loop misspelt", "\\foreach \\w in", "\\foreech \\w in", "TG227", "\\foreech"),
    Mutant("a bracket too few", "\\node[icon] (w3)", "\\node[icon (w3)", "TG201 TG219", "[icon (w3)"),
    Mutant("a bracket too many", "\\node[icon] (w3)", "\\node[icon]] (w3)", "TG201 TG219", "] (w3)"),
    Mutant("a parenthesis too few", "(ps) at (2*\\colsep,0)", "(ps) at (2*\\colsep,0", "TG201", "(2*"),
    Mutant("a worker named twice in a list", "{w1,w2,w3}", "{w1,w2,w2,w3}", "TG206", "w2,w3}"),
    Mutant(
        "a kind of flow that nobody draws",
        "    \\draw[wts]  (ps.west) to[bend left=10] (\\w.east);\n",
        "",
        "TG214",
        "wts/.style",
    ),
    Mutant("a style misspelt", "\\node[icon] (w2)", "\\node[icno] (w2)", "TG227", "icno]"),
    Mutant(
        "a style of a flow misspelt",
        "\\draw[data] (data.east) -- (w3",
        "\\draw[dta] (data.east) -- (w3",
        "TG215 TG227",
        "\\node[icon] (w3)",
    ),
    Mutant(
        "a label of another worker",
        "below=2pt of w3] {\\workerthree",
        "below=2pt of w2] {\\workerthree",
        "TG215",
        "\\node[icon] (w3)",
    ),
    Mutant("half a formula", "\\theta$}\n\\def\\weightlabel", "\\theta}\n\\def\\weightlabel", "TG203", "$\\nabla"),
    Mutant("an & in a text", "{Parameter server}", "{A & B}", "TG203", "& B}"),
    Mutant("an index outside math", "{Parameter server}", "{ps_1}", "TG203", "_1}"),
    Mutant("a parameter's sign in a text", "{Parameter server}", "{rank #1}", "TG203", "#1}"),
    Mutant("no semicolon before a loop", "-- (w3.west);", "-- (w3.west)", "TG201", "\\draw[data] (data.east) -- (w3"),
]

OF_LAYERS = [
    Mutant("a list too short", "{2,3,2}", "{2,3}", "TG225", "In,Hidden,Out"),
    Mutant("a list too long", "{In,Hidden,Out}", "{In,Hidden,Middle,Out}", "TG225", "In,Hidden,Middle"),
    Mutant("an entry that is no number", "{2,3,2}", "{2,three,2}", "TG203", "2,three"),
    Mutant("an empty entry", "{In,Hidden,Out}", "{In,,Out}", "TG203", "In,,Out"),
    Mutant("a list of nothing", "{2,3,2}", "{}", "TG203 TG219 TG225", "}%"),
    Mutant("a half unit", "{2,3,2}", "{2,3.5,2}", "TG203", "2,3.5,2"),
    Mutant("a stable name changed", "(out) at", "(scores) at", "TG226", '"fixed'),
]

OF_TOPOLOGIES = [
    Mutant("an icon left open", "\\end{tikzpicture}}%", "}%", "TG201", "\\begin{tikzpicture}[line width"),
    Mutant(
        "no % behind a parameter",
        "\\def\\pslabel{Parameter server}% ",
        "\\def\\pslabel{Parameter server} % ",
        "TG212",
        " % parameter",
    ),
    Mutant("no % behind a colour", "{paper}{HTML}{FFFFFF}%", "{paper}{HTML}{FFFFFF}", "TG212", "\n"),
    Mutant("no group", "\\begingroup% limits all definitions to this figure\n", "", "TG201 TG213", "\\endgroup%"),
    Mutant("a group left open", "\\end{tikzpicture}%\n\\endgroup%", "\\end{tikzpicture}%", "TG201", "\\begingroup%"),
    Mutant("paper drifted", "{paper}{HTML}{FFFFFF}", "{paper}{HTML}{FFFFF0}", "TG209", "FFFFF0}"),
    Mutant("a gap below its floor", "\\def\\colsep{4.6}", "\\def\\colsep{3}", "TG203", "3}"),
    Mutant("a label as words", "{\\datalabel};", "{Training data};", "TG216 TG218", "Training data};"),
    Mutant("a hand-moved worker", "(w3) at (\\colsep,-\\rowsep)", "(w3) at (4.6,-\\rowsep)", "TG217", "4.6,-"),
    Mutant("an icon in a stock colour", "\\fill[otteal]", "\\fill[teal]", "TG208", "teal]"),
    Mutant("white for paper", "fill=otteal!12!paper, rounded", "fill=white, rounded", "TG208", "white, rounded"),
    Mutant("a flow less", "  \\draw[data] (data.east) -- (w2.west);\n", "", "TG215", "\\node[icon] (w2)"),
    Mutant("a worker not in the list", "{w1,w2,w3}", "{w1,w3}", "TG206", "w1,w3}"),
    Mutant("a style not declared", "    wts/.style", "    weights/.style", "TG214 TG227", '"wts"'),
    Mutant(
        "workers in another order",
        "(w2) at (\\colsep,0)",
        "(w2) at (\\colsep,2*\\rowsep)",
        "TG223",
        "\\node[icon] (w2)",
    ),
    Mutant("an empty text", "{Parameter server}%", "{}%", "TG203", "}%"),
    Mutant("a gap below nothing", "\\def\\rowsep{2.5}", "\\def\\rowsep{-1}", "TG203", "-1}"),
    Mutant("a gap of nothing", "\\def\\rowsep{2.5}", "\\def\\rowsep{0}", "TG203", "0}"),
    Mutant("a gap above all bounds", "\\def\\colsep{4.6}", "\\def\\colsep{41}", "TG203", "41}"),
    Mutant("a gap in words", "\\def\\colsep{4.6}", "\\def\\colsep{wide}", "TG203", "wide}"),
    Mutant("a node by another name", "(data) at (0,0)", "(source) at (0,0)", "TG219 TG226", "data] {"),
    Mutant(
        "an icon that nobody drew",
        "(ps) at (2*\\colsep,0) {\\serverpic}",
        "(ps) at (2*\\colsep,0) {\\rackpic}",
        "TG227",
        "\\rackpic}",
    ),
    Mutant(
        "a label of no worker in a note",
        "  % title",
        "  \\node at (0,2) {see \\workerninelabel};\n  % title",
        "TG227",
        "\\workerninelabel}",
    ),
    Mutant("a point that no node has", "(data.east) -- (w2.west)", "(data.esat) -- (w2.west)", "TG228", "data.esat"),
    Mutant("a style of flows removed", "    grad/.style={flow=otpurple},\n", "", "TG214 TG227", '"grad"'),
    Mutant(
        "a style of another figure",
        _DATA_TWO,
        "\\draw[link] (data.east) -- (w2.west)",
        "TG215 TG227",
        "\\node[icon] (w2)",
    ),
    Mutant("a distance removed", "\\def\\rowsep{2.5}%", "%", "TG202 TG227", "% ==== parameters"),
    Mutant("a backdrop misspelt", "\\def\\backdrop{none}", "\\def\\bakdrop{none}", "TG227", "\\backdrop"),
    Mutant("a label misspelt", "{\\workertwolabel};", "{\\workertwolable};", "TG215 TG218 TG227", "\\node[icon] (w2)"),
    Mutant("a bracket too few", "\\node[icon] (w2)", "\\node[icon (w2)", "TG201 TG219", "[icon (w2)"),
]

OF_TIMELINES = [
    Mutant(
        "a span too long",
        "span=2, backward phase] (compute-backward1)",
        "span=3, backward phase] (compute-backward1)",
        "TG111 TG221",
        "\\draw[dependency] (compute-backward1.south east)",
    ),
    Mutant(
        "a span too early",
        "at (12,1) {",
        "at (11,1) {",
        "TG221",
        "\\node[span=3, communication phase] (comm-communication3)",
    ),
    Mutant(
        "a span on another lane",
        "(comm-communication1) at (6,1)",
        "(comm-communication1) at (6,0)",
        "TG221",
        "\\node[span=",
    ),
    Mutant(
        "a span's name with a dot of another", "(compute-forward1)", "(compute forward1)", "TG204", "compute forward1)"
    ),
    Mutant(
        "a dependency on nothing",
        "(comm-communication1.north west)",
        "(comm-communication9.north west)",
        "TG219",
        "comm-communication9.",
    ),
    Mutant("a span twice", "(compute-backward2) at", "(compute-backward3) at", "TG220", "compute-backward3) at (8,0)"),
    Mutant("a text as words", "{\\computelanelabel};", "{compute};", "TG216 TG218", "compute};"),
    Mutant(
        "a phase in a stock colour",
        "forward phase/.style={fill=otblue!39!otbase}",
        "forward phase/.style={fill=blue!39!otbase}",
        "TG208",
        "blue!39",
    ),
    Mutant(
        "a lane without its label",
        "    \\node[slbl, anchor=east] at (0,1) {\\commlanelabel};\n",
        "",
        "TG218",
        "\\def\\commlanelabel",
    ),
    Mutant("a palette of two variants", "{otteal}{HTML}{009E73}", "{otteal}{HTML}{35C49A}", "TG209", "35C49A}"),
    Mutant("an end before its time", "  \\end{scope}\n", "", "TG201", "\\begin{scope}"),
    Mutant("a time arrow without its end", "{\\timelabel};", "{\\timelabel}", "TG201", "\\draw[time]"),
    Mutant("a blank behind a legend entry", "{forward}% legend", "{forward} % legend", "TG212", " % legend"),
]

OF_MASSES = [
    Mutant("a row too early", "\\row 2,0,2,1;", "\\row 1,0,2,1;", "TG221", "\\row 1,0,2,1;"),
    Mutant("a row too long", "\\row 2,0,2,1;", "\\row 2,0,2.5,1;", "TG221", "\\row 4,0,2,2;"),
    Mutant("a group in a picture left open", "    \\endgroup\n", "", "TG201", "\\begingroup%"),
]

# hand edits of timelines that no longer draw what their description says, by figure
DRAWN = {
    "two-phase-commit": [
        Mutant(
            "a message that ends between lifelines",
            "-- (3.2,0) coordinate[midway] (w1-m2)",
            "-- (3.2,0.5) coordinate[midway] (w1-m2)",
            "TG114",
            "\\draw[msg, reply arrow] (2.4,1)",
        ),
        Mutant(
            "a message backwards in time",
            "\\draw[msg, reply arrow] (2.4,1) -- (3.2,0)",
            "\\draw[msg, reply arrow] (2.4,1) -- (1.2,0)",
            "TG114",
            "\\draw[msg, reply arrow] (2.4,1)",
        ),
    ],
    "overlap": [
        Mutant(
            "a span too short",
            "span=2, backward phase] (compute-backward4)",
            "span=1, backward phase] (compute-backward4)",
            "TG113",
            "\\node[span=1, backward phase] (compute-backward4)",
        ),
        Mutant(
            "a span later",
            "(comm-communication4) at (15,1)",
            "(comm-communication4) at (16,1)",
            "TG113",
            "\\node[span=3, communication phase] (comm-communication4)",
        ),
        Mutant(
            "a span missing",
            "    \\node[span=4, forward phase] (compute-forward1) at (0,0) {\\computeforwardonetext};\n",
            "",
            "TG113 TG218",
            "\\node[span=2, backward phase] (compute-backward1)",
        ),
        Mutant(
            "a span more",
            "    % barriers",
            "    \\node[span=1, forward phase] (comm-forward1) at (0,1) {};\n    % barriers",
            "TG113",
            "\\node[span=1, forward phase] (comm-forward1)",
        ),
        Mutant(
            "a span of another phase",
            "backward phase] (compute-backward1)",
            "forward phase] (compute-backward1)",
            "TG113",
            "\\node[span=2, forward phase] (compute-backward1)",
        ),
        Mutant(
            "an arrow turned round",
            "(compute-backward4.south east) -- (comm-communication4.north west)",
            "(comm-communication4.south east) -- (compute-backward4.north west)",
            "TG111",
            "\\draw[dependency] (comm-communication4.south east)",
        ),
        Mutant(
            "an arrow from a later span",
            "(compute-backward1.south east)",
            "(compute-backward3.south east)",
            "TG111",
            "\\draw[dependency] (compute-backward3.south east)",
        ),
        Mutant(
            "a span before what it needs",
            "(comm-communication1) at (6,1)",
            "(comm-communication1) at (5,1)",
            "TG111 TG113",
            "\\draw[dependency] (compute-backward1.south east)",
        ),
    ],
    "gradient-accumulation": [
        Mutant(
            "an update over two of four lanes",
            "span=1, lanes=4, update phase] (k1-update1) at (4,1.5)",
            "span=1, lanes=2, update phase] (k1-update1) at (4,0.5)",
            "TG105",
            "\\node[span=1, lanes=2, update phase] (k1-update1)",
        ),
        Mutant(
            "a wrong duration",
            "span=2.8, forward-backward phase] (k1-gpu1-forward-backward1)",
            "span=3.8, forward-backward phase] (k1-gpu1-forward-backward1)",
            "TG105",
            "\\node[span=3.8",
        ),
        Mutant(
            "an update missing",
            "    \\node[span=1, lanes=4, update phase] (k1-update1) at (4,1.5) {};\n",
            "",
            "TG105",
            "\\node[span=3, forward-backward phase] (k1-gpu4-forward-backward1)",
        ),
        Mutant(
            "an update too early",
            "(k1-update1) at (4,1.5)",
            "(k1-update1) at (3.5,1.5)",
            "TG105 TG221",
            "\\node[span=1, lanes=4, update phase] (k1-update1)",
        ),
        Mutant(
            "two spans that changed their lanes",
            "(k1-gpu3-forward-backward1) at (0,2)",
            "(k1-gpu3-forward-backward1) at (0,3)",
            "TG105 TG221",
            "\\node[span=3.2, forward-backward phase] (k1-gpu3-forward-backward1)",
        ),
    ],
    "zero-bubble": [
        Mutant(
            "a cell of another microbatch",
            "\\forwardcell{3}",
            "\\forwardcell{4}",
            "TG105",
            "\\node[span=",
        ),
    ],
    "dualpipe": [
        Mutant(
            "a fused cell too short",
            "fused={3}{0.6667}, shift={(7,0)}",
            "fused={2}{0.6667}, shift={(7,0)}",
            "TG105",
            "\\path[",
        ),
    ],
    "parameter-server": [
        Mutant(
            "an update that leaves a worker out",
            "flatspan={1}{3}, server-update phase] (sync-server-update1) at (8,1)",
            "flatspan={1}{2}, server-update phase] (sync-server-update1) at (8,0.5)",
            "TG105",
            "\\node[flatspan={1}{2}",
        ),
    ],
    "pipeline-schedules": [
        Mutant("a row too short", "\\row 2,0,2,1;", "\\row 2,0,1.5,1;", "TG105", "\\row 2,0,1.5,1;"),
        Mutant("a row missing", "      \\row 2,0,2,1;\n", "", "TG105", "\\row 16,0,18,;"),
    ],
}


def figure(path: Path, before: str = "", after: str = "") -> FigureFile:
    """A figure with its metadata, one thing in it changed."""
    text = path.read_text(encoding="utf-8")
    assert before in text
    metadata = Metadata.parse_file("fig.meta.json", path.with_suffix(".meta.json").read_bytes())
    return read_written("fig.tex", text.replace(before, after, 1).encode(), metadata)
