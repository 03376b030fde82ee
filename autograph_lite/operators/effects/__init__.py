"""Effects: what does a traced branch or loop body change of Python's objects, and how is it undone and put back?

`journal` is the undo log.
"""

__all__ = [
    "augmented_assignments",
    "births",
    "branch_allocations",
    "clocks",
    "container_identity",
    "journal",
    "lru_caches",
    "mutual_exclusion",
    "outside_arrays",
    "shared_containers",
]
