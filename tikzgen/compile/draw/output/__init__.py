"""Drawings as SVG and PDF: painting, outlines of characters, files."""
