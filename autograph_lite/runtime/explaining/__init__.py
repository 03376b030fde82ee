"""Explanations: why was a function traced again, and what became of its statements?"""

__all__ = [
    "detector",
    "executed_statements",
    "explanation",
    "function_names",
    "line_links",
    "notebook_summaries",
    "program_graph",
    "retrace_warnings",
    "trace_differences",
    "tracebacks",
]
