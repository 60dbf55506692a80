"""Tools for us, not for users: what the three TeX engines can set."""
