"""Operations on figures that tikzgen did not write: replacements of spans of their source, and nothing else."""

from __future__ import annotations

from tikzgen.edit.foreign.session import ForeignSession, edit_foreign, possible

__all__ = ["ForeignSession", "edit_foreign", "possible"]
