"""What does the command `autograph-lite` do?

Its pieces: the usage, the module and the function that are named, example values, what is shown.
"""

__all__ = ["commands"]
