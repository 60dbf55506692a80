"""Input of descriptions: YAML and JSON with locations, overrides, error messages, and the JSON Schema."""
