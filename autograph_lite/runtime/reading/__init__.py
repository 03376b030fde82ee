"""Reading: what does a program read from outside, and has that changed since it was made?"""

__all__ = ["shared_state"]
