"""Pages of changed pictures: old and new pictures of figures, with their differences."""
