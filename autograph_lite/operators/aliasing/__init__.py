"""Alias analysis: who else sees the memory that a statement writes, and reads it later?

`store_check` asks the others.
"""

__all__ = ["immutable_owners", "loop_carried_aliases", "overlapping_views", "store_check"]
