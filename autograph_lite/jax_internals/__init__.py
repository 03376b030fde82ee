"""JAX's insides: every name that JAX does not promise, and programs about programs (jaxprs).

All files were checked on jax 0.10.2 and 0.12.0.1; `unpromised_names` asks whether a JAX has all names. Where one is missing, a
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
    "varying_types",
    "while_lanes",
]
