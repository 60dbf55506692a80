"""Running TeX: engines, compiling in a private folder, logs, PDF to PNG and SVG, a cache, many figures at once.

The modules are entered one by one, so that no verb pays for another.
"""
