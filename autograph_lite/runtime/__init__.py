"""`tf.function` for JAX: compiled functions, their state and their tracebacks."""
