"""Built-in shapes of nodes: boxes, and shapes with a custom outline."""
