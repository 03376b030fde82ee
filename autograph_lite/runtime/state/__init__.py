"""State: variables and modules, found, read and written by programs, from call to call."""

__all__ = [
    "buffer_donation",
    "carried_state",
    "creations",
    "dataset_slices",
    "discovery",
    "function_copies",
    "left_arrays",
    "module",
    "other_values",
    "tracer_leaks",
    "variable",
    "variable_frames",
    "variable_metadata",
    "weak_places",
]
