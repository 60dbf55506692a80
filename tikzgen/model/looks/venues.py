r"""Venues of papers and talks: the widths of their columns, and the size of their small type.

Each width is the value that the class or style sets (`\the\columnwidth`, `\the\textwidth`). Its source is given.
"""

from __future__ import annotations

from typing import Literal

from tikzgen.base.defaults import FONT_SIZE_PT
from tikzgen.base.extensions import Table
from tikzgen.base.plane import PT_PER_CM, PT_PER_IN
from tikzgen.base.record import Record


class Venue(Record):
    r"""Widths in pt of one column and of the full text, and the file that sets them.

    `has_large_type` states that \footnotesize (and \small) is 9 pt, where a 10 pt paper has 8 pt. A slide has a
    `height_pt` below its title, and labels of `type_pt`: an audience reads 10 pt on a slide of 9 cm, but not 8 pt.
    """

    column_pt: float
    text_pt: float
    source: str
    has_large_type: bool = False
    height_pt: float | None = None
    type_pt: Literal[8, 10] = FONT_SIZE_PT


IEEE = Venue(252.0, 516.0, "IEEEtran.cls 1.8b, letter paper, conference and journal")
ACM = Venue(241.14749, 506.295, "acmart.cls, sigconf")
ACM_JOURNAL = Venue(395.8225, 395.8225, "acmart.cls, acmsmall: one column")
NEURIPS = Venue(
    5.5 * PT_PER_IN, 5.5 * PT_PER_IN, r"neurips_2024.sty: \textwidth 5.5in, one column", has_large_type=True
)
ICLR = Venue(
    5.5 * PT_PER_IN, 5.5 * PT_PER_IN, r"iclr2025_conference.sty: \textwidth 5.5in, one column", has_large_type=True
)
ICML = Venue(
    3.25 * PT_PER_IN, 6.75 * PT_PER_IN, r"icml2024.sty: \textwidth 6.75in, \columnsep 0.25in", has_large_type=True
)
ACL = Venue(7.7 * PT_PER_CM, 16.0 * PT_PER_CM, r"acl.sty: \textwidth 16cm, \columnsep 0.6cm", has_large_type=True)
CVPR = Venue(3.28125 * PT_PER_IN, 6.875 * PT_PER_IN, r"cvpr.sty: \textwidth 6.875in, \columnsep 0.3125in")
USENIX = Venue(3.335 * PT_PER_IN, 7.0 * PT_PER_IN, r"usenix-2020-09.sty: \textwidth 7in, \columnsep 0.33in")
OSDI = Venue(3.335 * PT_PER_IN, 7.0 * PT_PER_IN, "the same: USENIX' OSDI and NSDI")
SOSP = Venue(240.94499, 505.89, "acmart.cls, sigplan: SOSP, EuroSys, ASPLOS")
AAAI = Venue(
    3.3125 * PT_PER_IN, 7.0 * PT_PER_IN, r"aaai25.sty: \textwidth 7in, \columnsep 0.375in", has_large_type=True
)
TMLR = Venue(6.5 * PT_PER_IN, 6.5 * PT_PER_IN, r"tmlr.sty: \textwidth 6.5in, one column", has_large_type=True)
ECCV = Venue(347.12354, 347.12354, r"llncs.cls: \textwidth 12.2cm, one column", has_large_type=True)
THESIS = Venue(418.25555, 418.25555, "scrbook.cls and scrreprt.cls, A4 in 11 pt", has_large_type=True)
THESIS_LETTER = Venue(
    6.0 * PT_PER_IN, 6.0 * PT_PER_IN, "letter paper, margins of 1.5in and 1in, 11 pt", has_large_type=True
)
BEAMER = Venue(
    10.8 * PT_PER_CM, 10.8 * PT_PER_CM, "beamer.cls, 4:3: 12.8 x 9.6 cm", True, height_pt=6.6 * PT_PER_CM, type_pt=10
)
BEAMER_16X9 = Venue(
    14.0 * PT_PER_CM, 14.0 * PT_PER_CM, "beamer.cls, 16:9: 16 x 9 cm", True, height_pt=6.4 * PT_PER_CM, type_pt=10
)

VENUES: Table[Venue] = Table(
    "venues",
    {
        "ieee": "tikzgen.model.looks.venues:IEEE",
        "acm": "tikzgen.model.looks.venues:ACM",
        "acm-journal": "tikzgen.model.looks.venues:ACM_JOURNAL",
        "neurips": "tikzgen.model.looks.venues:NEURIPS",
        "iclr": "tikzgen.model.looks.venues:ICLR",
        "icml": "tikzgen.model.looks.venues:ICML",
        "acl": "tikzgen.model.looks.venues:ACL",
        "cvpr": "tikzgen.model.looks.venues:CVPR",
        "usenix": "tikzgen.model.looks.venues:USENIX",
        "osdi": "tikzgen.model.looks.venues:OSDI",
        "sosp": "tikzgen.model.looks.venues:SOSP",
        "aaai": "tikzgen.model.looks.venues:AAAI",
        "tmlr": "tikzgen.model.looks.venues:TMLR",
        "eccv": "tikzgen.model.looks.venues:ECCV",
        "thesis": "tikzgen.model.looks.venues:THESIS",
        "thesis-letter": "tikzgen.model.looks.venues:THESIS_LETTER",
        "beamer": "tikzgen.model.looks.venues:BEAMER",
        "beamer-16x9": "tikzgen.model.looks.venues:BEAMER_16X9",
    },
    needed=("column_pt", "text_pt", "source", "has_large_type"),
)
