"""Files that a spec names: durations, traces, PyTorch schedules."""
