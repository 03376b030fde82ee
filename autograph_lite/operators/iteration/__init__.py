"""Iterables: what does a loop go through, and what is known of its variables before it is traced?"""

__all__ = ["item_columns", "iterables", "python_carries", "python_number_flow", "while_trip_count"]
