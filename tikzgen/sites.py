"""The public address `tikzgen.sites.sphinx`, which stands in `conf.py` files, for the modules of `serve/sites`."""

from pathlib import Path

__path__ = [str(Path(__file__).parent / "serve" / "sites")]
