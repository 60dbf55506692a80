"""Maths in labels: read, checked and turned into parts that can be measured."""
