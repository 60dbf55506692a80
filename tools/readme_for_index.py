"""The README for package indexes, without links to local files; hatchling requests it in every build.

`TIKZGEN_ADDRESS` is the address of the repository, as `https://host/owner/name`. Links and pictures then lead to the
version's tag in it. Without this variable, a link becomes its text, and the table of pictures is removed.
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
    """Return the text with absolute links."""

    def whole(found: re.Match[str]) -> str:
        kind = "raw" if found["image"] else "blob"
        return f"{found['image']}[{found['words']}]({address.rstrip('/')}/{kind}/v{version}/{found['target']})"

    if address:
        return _LINK.sub(whole, text)
    return _LINK.sub(lambda found: "" if found["image"] else found["words"], _PICTURES.sub("", text))


class ReadmeHook(MetadataHookInterface):
    """Hook that hatchling calls, also in a build from the source distribution."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README in the metadata."""
        root = Path(self.root)
        version = re.search(
            r'VERSION = "([^"]+)"', (root / "tikzgen" / "base" / "version_and_cache_folder.py").read_text("utf-8")
        )
        assert version is not None
        text = (root / "README.md").read_text("utf-8")
        shown = for_index(text, os.environ.get("TIKZGEN_ADDRESS", ""), version[1])
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}


def get_metadata_hook() -> type[MetadataHookInterface]:
    """Return the hook class; hatchling calls a function of this name."""
    return ReadmeHook
