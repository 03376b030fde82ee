"""How does Python text become a tree, and a tree a function or text again?"""

__all__ = [
    "codes",
    "depth",
    "first_statements",
    "loader",
    "mangling",
    "names",
    "quote",
    "signatures",
    "statements",
    "tail_calls",
    "translation",
    "trees",
]
