"""A style of a third party, in a file beside this module."""

from pathlib import Path

GRAY = Path(__file__).with_name("gray.yaml")
