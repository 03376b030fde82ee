"""Dataflow analysis of jaxprs: what is known of an integer, a bool, an index or an array before the program runs?

One lattice a file. What is not known makes an answer careful.
"""

__all__ = [
    "affine_indices",
    "framework",
    "induction_variables",
    "intervals",
    "long_literals",
    "primitive_traits",
    "python_ints",
    "recorded_copies",
    "recorded_ints",
    "recorded_views",
    "scan_ir",
    "value_ranges",
]
