"""Pipeline schedules: who runs what in which order, family by family."""
