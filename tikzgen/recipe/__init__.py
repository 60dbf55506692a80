"""Few facts in, a `Figure` out: one module a recipe, with the model of its facts."""
