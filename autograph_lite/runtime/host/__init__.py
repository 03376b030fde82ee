"""Host callbacks: Python that is called while the program runs."""

__all__ = ["host_calls", "py_function"]
