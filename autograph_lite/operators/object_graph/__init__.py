"""The object graph: what do users' objects hold and lead to, and under which names?"""

__all__ = [
    "context_variables",
    "held_items",
    "imports",
    "live_variables",
    "opaque_objects",
    "places",
    "python_iterators",
    "reachability",
]
