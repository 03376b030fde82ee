"""Loop optimisation: which arrays does a loop go through row by row, and which loops are operations on whole arrays?

Each pass takes the body of a scan, as `scan_ir` has it, and gives one that does the same with less.
"""

__all__ = ["rows_as_inputs", "vectorize"]
