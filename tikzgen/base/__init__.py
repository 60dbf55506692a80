"""Foundation of all packages: errors, files, the cache, shipped data and frozen records."""
