"""JAX's insides: every name that JAX does not promise, and programs about programs (jaxprs).

Each file says on which versions it was checked; `unpromised_names` asks whether a JAX has them all. Where one is missing, a
public way gives the same, slower. Nothing here knows of users' Python: `operators` does.
"""

__all__ = [
    "avals",
    "configuration",
    "constant_folding",
    "cpp_registry",
    "exported_derivatives",
    "numpy_constants",
    "overlapping_updates",
    "provenance",
    "recorded_equations",
    "single_results",
    "symbolic_comparisons",
    "tangents_of_state",
    "tracing_state",
    "unpromised_names",
    "values_in_lanes",
    "while_lanes",
    "while_options",
]
