"""Figures as TikZ: the scene spelt by templates, the description inside, the metadata beside it."""
