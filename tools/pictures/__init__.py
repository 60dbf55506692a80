"""What changed in the pictures between two versions of the repository, and the goldens that follow."""
