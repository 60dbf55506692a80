"""Protocols that nodes run by sending each other letters: each is really run, and its trace is what happened."""
