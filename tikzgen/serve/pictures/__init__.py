"""The page of changed pictures: old and new pictures of figures, their differences and texts."""
