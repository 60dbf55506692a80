"""Find the operations that express manual edits of a .tex, and keep all other manual edits."""
