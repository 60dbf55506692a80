"""Pipeline schedules: the cells of each device in order, one module per family."""
