"""Printing: what does a tree look like as text, and which lines of the user's file does each line stand for?"""

__all__ = ["line_map", "printer"]
