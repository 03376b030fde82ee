"""NumPy programs with loops, beside what an expert writes in `lax` for the same algorithm."""
