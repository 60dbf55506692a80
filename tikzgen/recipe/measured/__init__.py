"""Recipes of measured runs."""
