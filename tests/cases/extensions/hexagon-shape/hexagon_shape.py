"""A shape of a third party: a hexagon with a corner on its left and on its right."""

from tikzgen.model.topology.node_shapes import NodeShape

INNER = 0.08  # cm between the text and the outline


class HexagonShape(NodeShape):
    phrase = "a hexagon"
    style = "hexagon outline"
    outline = ((-1, 0), (-0.6, 1), (0.6, 1), (1, 0), (0.6, -1), (-0.6, -1))
    port_share = 0.6

    def size(self, width: float, height: float) -> tuple[float, float]:
        across, up = width / 2 + INNER, height / 2 + INNER
        return max(across / 0.6, 1.0) * 2, max(up * 2, 0.8)
