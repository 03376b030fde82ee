"""Purity: does what a loop body calls leave nothing behind that Python would see?"""

__all__ = ["jax_transformed", "known_calls", "trial"]
