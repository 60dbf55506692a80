"""Public address `tikzgen.sites.sphinx` for `conf.py` files; the modules are in `serve/sites`."""

from pathlib import Path

__path__ = [str(Path(__file__).parent / "serve" / "sites")]
