"""What a paper needs that takes figures in."""
