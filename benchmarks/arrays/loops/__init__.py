"""NumPy programs with loops and in-place updates, by family: what users have before they hear of JAX."""
