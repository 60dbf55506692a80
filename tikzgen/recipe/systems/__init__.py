"""Recipes of systems: workers, servers, data flows."""
