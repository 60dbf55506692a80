"""Rules on a figure as it is set: codes TG3xx, one module for each subject."""
