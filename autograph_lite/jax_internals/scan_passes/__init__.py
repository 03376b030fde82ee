"""Loop optimisation: which arrays does a loop go through row by row, and which loops are operations on whole arrays?

Each pass takes a scan, as `scan_ir` has it, and gives one that does the same with less; `passes` is their table.
"""

__all__ = ["passes", "vectorize"]
