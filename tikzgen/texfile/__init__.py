"""Reader of any .tex: lossless tokens, groups, nodes, paths and macros with spans, and edits of spans."""

from __future__ import annotations

from tikzgen.texfile.code import Code, split_at_commas
from tikzgen.texfile.figure_groups import list_figure_spans
from tikzgen.texfile.names_in_loops import (
    MOST_NAMES_COUNT,
    expand_name,
    list_bindings,
    named_passes,
    node_names,
    pairs_of_flow,
    parameter_values,
)
from tikzgen.texfile.path_facts import read_filled_run
from tikzgen.texfile.read_definitions import KNOWN_COLORS
from tikzgen.texfile.read_pictures import PATH_COMMANDS
from tikzgen.texfile.scan_source import Facts, scan
from tikzgen.texfile.source_facts import (
    Color,
    ColorLiteral,
    ColorUse,
    Definition,
    Option,
    Reference,
    SourceFlow,
    SourceNode,
    SourceStatement,
    SourceStyle,
)
from tikzgen.texfile.source_text import (
    Lines,
    Replacement,
    TextSpan,
    apply,
    as_in,
    compute_digest,
    decode,
    encode,
    read_source,
    read_tex,
)
from tikzgen.texfile.sums_of_lengths import (
    SHIFT_KEYS,
    Linear,
    NodePosition,
    add_sums,
    is_fixed,
    is_shifted,
    parse_sum,
    read_shift,
    scale_sum,
    spell_sum,
    spot_of,
    subtract_sums,
    with_values,
)
from tikzgen.texfile.tokens import tokenize

__all__ = [
    "KNOWN_COLORS",
    "MOST_NAMES_COUNT",
    "PATH_COMMANDS",
    "SHIFT_KEYS",
    "Code",
    "Color",
    "ColorLiteral",
    "ColorUse",
    "Definition",
    "Facts",
    "Linear",
    "Lines",
    "NodePosition",
    "Option",
    "Reference",
    "Replacement",
    "SourceFlow",
    "SourceNode",
    "SourceStatement",
    "SourceStyle",
    "TextSpan",
    "add_sums",
    "apply",
    "as_in",
    "compute_digest",
    "decode",
    "encode",
    "expand_name",
    "is_fixed",
    "is_shifted",
    "list_bindings",
    "list_figure_spans",
    "named_passes",
    "node_names",
    "pairs_of_flow",
    "parameter_values",
    "parse_sum",
    "read_filled_run",
    "read_shift",
    "read_source",
    "read_tex",
    "scale_sum",
    "scan",
    "spell_sum",
    "split_at_commas",
    "spot_of",
    "subtract_sums",
    "tokenize",
    "with_values",
]
