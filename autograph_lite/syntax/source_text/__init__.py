"""Source text: which text was a function made of, where does it stand there, and is it still so?"""

__all__ = ["compiling", "source", "texts"]
