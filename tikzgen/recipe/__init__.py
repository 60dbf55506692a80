"""Recipes: a few parameters become a `Figure`; one module per recipe, with the model of its parameters."""
