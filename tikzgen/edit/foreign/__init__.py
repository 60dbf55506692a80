"""Operations on figures that tikzgen did not write: replacements of spans of their source, and nothing else."""
