"""TikZ output: the scene in templates, the embedded description, and the metadata file."""
