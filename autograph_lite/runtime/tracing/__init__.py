"""Tracing: how is a trace made and kept, and which of them serves a call? This is the policy of `tf.function`."""

__all__ = [
    "compile_times",
    "concrete",
    "jax_export",
    "program",
    "trace",
    "trace_cache",
    "trace_table",
]
