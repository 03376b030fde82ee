"""Checks: what may fail while the program runs, under which condition, and which exception is raised then?"""

__all__ = [
    "carried_checks",
    "catching",
    "concretization_errors",
    "divisions",
    "exception_attributes",
    "exception_templates",
    "index_bounds",
    "integer_powers",
    "known_exceptions",
    "raising",
    "text_readers",
    "traced_text",
]
