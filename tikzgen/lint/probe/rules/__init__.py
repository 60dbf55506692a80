"""What can be wrong with a figure as it is set: codes TG3xx, a module a subject."""
