"""Operations on third-party figures: replace spans of the source, and change nothing else."""
