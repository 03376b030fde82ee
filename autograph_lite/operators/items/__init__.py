"""Items: `x[i]`, `x[i] = v`, `x[i] += v`, of arrays, lists and whatever else has items."""

__all__ = [
    "deletions",
    "in_place",
    "iteration_over_written",
    "methods_of_items",
    "subscripts",
    "tensor_array",
    "untraced_stores",
]
