"""Alias analysis: who else sees the memory that a statement writes, and reads it later?

`store_check` asks the others, `shared_memory` lets them see it.
"""

__all__ = [
    "callers_arrays",
    "given_back",
    "immutable_owners",
    "kept_arrays",
    "loop_carried_aliases",
    "loop_rows",
    "managers_arrays",
    "overlapping_views",
    "raised_arrays",
    "shared_memory",
    "store_check",
    "user_frames",
    "view_statements",
    "yielded_arrays",
]
