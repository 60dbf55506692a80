"""Whether what a description or a .tex says can be: rules with their codes, findings with their places, fixes."""
