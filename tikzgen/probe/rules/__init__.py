"""One rule a file: codes TG3xx, what can be wrong with a figure as TeX set it."""
