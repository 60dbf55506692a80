"""The built-in shapes of nodes: boxes, and shapes with an outline of their own."""
