"""A language of diagrams of a third party: one edge per line, `a b`."""

from tikzgen.spec.diagrams.diagram_source import DiagramSource
from tikzgen.spec.diagrams.graph_parts import GraphParts
from tikzgen.spec.diagrams.import_formats import ImportFormat, Syntax


class EdgeList(ImportFormat):
    phrase = "list of edges"
    suffixes = (".edges",)
    frame = "{}\n"
    syntax = (Syntax("a b", "a flow"), Syntax("a b 3", "nothing", is_taken=False))

    def recognizes_text(self, text: str) -> bool:
        return True

    def read_diagram(self, source: DiagramSource) -> dict:
        parts, offset = GraphParts(source), 0
        for line in source.text.splitlines(keepends=True):
            names = line.split()
            if len(names) == 2:
                for name in names:
                    parts.add_node(name, offset)
                parts.add_flow(*names, offset)
            elif names:
                source.report("an edge has two names", offset)
            offset += len(line)
        return parts.make_data()
