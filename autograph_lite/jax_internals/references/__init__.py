"""References: arrays that are written under one name and read under another, in a program that is recorded."""

__all__ = [
    "ambient",
    "eager_views",
    "float_errors",
    "forwarding",
    "joined_arrays",
    "lower_kinds",
    "number_types",
    "numpys_arrays",
    "shape_errors",
    "storages",
    "vector_iterator",
    "view_equations",
    "view_writes",
]
