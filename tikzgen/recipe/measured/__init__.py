"""Measured."""
