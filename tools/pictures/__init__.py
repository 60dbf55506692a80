"""Changes of the pictures between two versions of the repository, and the resulting goldens."""
