"""What may be done to a figure: a model an operation, by the kind of content that it changes, and the table of all."""
