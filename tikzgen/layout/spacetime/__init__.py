"""Space-time diagrams: lifelines, and the messages between them."""
