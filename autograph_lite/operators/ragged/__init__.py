"""Selections: parts of arrays with traced bounds or by masks: the whole array, and for each axis which positions count."""

__all__ = [
    "affine_bounds",
    "blocks",
    "elementwise",
    "extents",
    "gathered_stores",
    "index_axes",
    "indexing",
    "mask_positions",
    "selection",
    "slice_spelling",
    "unique_values",
]
