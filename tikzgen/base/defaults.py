"""Default values that several packages and the command line share: one name each, with its unit."""

from __future__ import annotations

from typing import Final

PNG_DPI = 200
"""Resolution of PNG files, in dots per inch."""
PREVIEW_DPI = 110
"""Resolution of previews for agents, in dots per inch."""
TIME_LIMIT_SECONDS = 60
"""Time for each figure, each run of TeX and each child process, in seconds."""
FONT_SIZE_PT: Final = 8
"""Size of text, in pt."""
