"""Files beside."""
