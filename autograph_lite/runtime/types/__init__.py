"""Trace types: which types have arguments and results, when is one of them more general, and what fits?"""

__all__ = [
    "array_spec",
    "container_contents",
    "function_type",
    "input_signature",
    "leaf_partition",
    "literal",
    "object_type",
    "output_objects",
    "structure",
    "trace_type",
    "tree_paths",
    "value_leaves",
]
