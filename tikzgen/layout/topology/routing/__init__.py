"""Routes of edges in a placement: direct ones, or orthogonal ones around obstacles."""
