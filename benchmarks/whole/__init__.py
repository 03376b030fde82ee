"""Whole programs over NumPy, of a hundred lines and more, with what they need."""
