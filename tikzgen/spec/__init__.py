"""Descriptions in: YAML and JSON with the place of every value, overrides, readable errors; the JSON Schema out."""
