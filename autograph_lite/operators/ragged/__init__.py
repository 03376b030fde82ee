"""Selections: parts of arrays with traced bounds or by masks, as positions in an array of a known shape."""

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
