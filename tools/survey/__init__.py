"""Tools for developers of tikzgen: characters that the three TeX engines can typeset."""
