"""Conditionals: how do `if`, `match` and conditional expressions with a traced test become branches of the program?"""

__all__ = [
    "branch_paths",
    "branches",
    "definedness",
    "each_variant",
    "handed_calls",
    "if_stmt",
    "switch_stmt",
    "truth",
]
