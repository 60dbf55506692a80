"""Recipes of training schedules."""
