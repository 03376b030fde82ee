"""Abstract interpretation by lanes: what does a loop body compute in each of its iterations from Python's numbers alone?

All iterations are run at once, on NumPy's arrays with one lane for each of them.
"""

__all__ = [
    "exact_rows",
    "interpreter",
    "number_functions",
    "path_conditions",
    "primitive_rules",
    "rule_table",
]
