"""TeX runs: engines, compilation in a private folder, logs, PNG and SVG, a cache, parallel builds.

Import the modules one at a time, so that a command loads only the modules that it needs.
"""
