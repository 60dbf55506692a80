"""Operations on figures: what a person, a script or an agent may change, and how hand edits survive it."""
