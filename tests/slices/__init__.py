"""Slices with traced bounds and masks: what they give, against NumPy."""
