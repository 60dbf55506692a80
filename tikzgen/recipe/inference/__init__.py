"""Recipes of inference and reinforcement learning."""
