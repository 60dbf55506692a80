"""What timelines and space-time diagrams share: time axis, rows, labels beside arrows."""
