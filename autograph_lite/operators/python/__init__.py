"""Python's operators and built-ins on traced values: `and`, `==`, `len`, `sum`, `print`, `assert`, comprehensions."""

__all__ = [
    "assert_and_raise",
    "builtins",
    "class_patterns",
    "comprehensions",
    "containers",
    "generator_expressions",
    "generator_functions",
    "logical",
    "printing",
]
