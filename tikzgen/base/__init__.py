"""The ground: errors, files, the cache, what is shipped, one style of frozen data."""
