"""Joins: which type has a variable after a branch or an iteration, and what is said where there is none?"""

__all__ = ["join_errors", "join_types", "literal_types", "unions"]
