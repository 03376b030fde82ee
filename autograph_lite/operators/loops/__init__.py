"""Loops: how do `for` and `while` become loops of the program, and when are they unrolled?"""

__all__ = [
    "for_stmt",
    "integer_overflow",
    "loop_updates",
    "recursion",
    "rolling",
    "tail_recursion",
    "unroll_warning",
    "while_stmt",
]
