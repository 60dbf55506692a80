"""Recipes of protocols between nodes."""
