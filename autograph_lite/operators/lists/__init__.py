"""Lists that a traced loop makes longer: which buffer holds them, how long are they, and what do their methods do?"""

__all__ = [
    "array_arguments",
    "bounded_growth",
    "capacity",
    "dynamic_length",
    "growing_lists",
    "list_errors",
    "list_methods",
    "packing",
    "sort_order",
]
