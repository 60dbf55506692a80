"""Topology."""
