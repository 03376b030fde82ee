"""What is beside a function: methods that are bound to objects, running without tracing, pickles."""

__all__ = ["eager", "function_protocol", "methods", "pickling"]
