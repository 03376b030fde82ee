"""Results: what comes out of a call, what is written back into arguments, and what is refused?"""

__all__ = [
    "argument_mutations",
    "creations_in_arguments",
    "list_trimming",
    "numpy_arguments",
    "outside_arguments",
    "refusals",
    "result_objects",
]
