"""Alias analysis: who else sees the memory that a statement writes, and reads it later?

`store_check` asks the others, `shared_memory` lets them see it.
"""

__all__ = [
    "access_paths",
    "arrays_left_twice",
    "callers_arrays",
    "immutable_owners",
    "iteration_ends",
    "kept_arrays",
    "loop_carried_aliases",
    "loop_rows",
    "reads_while_written",
    "shared_memory",
    "store_check",
    "user_frames",
    "ways_out",
    "yielded_arrays",
]
