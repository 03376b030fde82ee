"""Calls: is a function converted, JAX's, Python's own or a library's, and how is it called then?"""

__all__ = [
    "callables",
    "calls",
    "chosen_views",
    "handed_functions",
    "handlers",
    "method_patching",
    "numpys_classes",
    "recursion_guard",
    "untraced_calls",
]
