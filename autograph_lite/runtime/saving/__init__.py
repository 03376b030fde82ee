"""Traces in files: `autograph_lite.save` and `autograph_lite.load`."""

__all__ = ["archive", "call_types", "export", "loaded_function", "loading", "saved_checks", "saved_values"]
