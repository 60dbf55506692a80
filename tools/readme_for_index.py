"""The README as a package index shows it, where links lead to no files beside it: hatchling asks for it in every build.

`TIKZGEN_ADDRESS`, as `https://host/owner/name`, is where the repository stands; links and pictures then lead there, to
the version's tag. Without it a link is its words, and the table of pictures is left out: nothing leads nowhere.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["ReadmeHook", "for_index"]

_LINK = re.compile(r"(?P<image>!?)\[(?P<words>[^]]*)\]\((?P<target>(?!https?://|#)[^)]*)\)")
_PICTURES = re.compile(r"^\| \| \|\n\|---\|---\|\n(?:\|.*\n)+\n?", re.MULTILINE)


def for_index(text: str, address: str, version: str) -> str:
    """The text with links that lead somewhere from anywhere."""

    def whole(found: re.Match[str]) -> str:
        kind = "raw" if found["image"] else "blob"
        return f"{found['image']}[{found['words']}]({address.rstrip('/')}/{kind}/v{version}/{found['target']})"

    if address:
        return _LINK.sub(whole, text)
    return _LINK.sub(lambda found: "" if found["image"] else found["words"], _PICTURES.sub("", text))


class ReadmeHook(MetadataHookInterface):
    """What hatchling calls, also in a build from the source distribution."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Hand over the README."""
        root = Path(self.root)
        version = re.search(
            r'VERSION = "([^"]+)"', (root / "tikzgen" / "base" / "version_and_cache_folder.py").read_text("utf-8")
        )
        assert version is not None
        text = (root / "README.md").read_text("utf-8")
        shown = for_index(text, os.environ.get("TIKZGEN_ADDRESS", ""), version[1])
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}


def get_metadata_hook() -> type[MetadataHookInterface]:
    """The class, by the name that hatchling looks for."""
    return ReadmeHook
