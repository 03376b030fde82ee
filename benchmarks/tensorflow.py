"""The programs of the benchmarks as TensorFlow's, for a column of its own where TensorFlow is installed.

Its functions are given tensors, and are autographed by `tf.function`, as ours are by `convert`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

INSTALLED = importlib.util.find_spec("tensorflow") is not None


def function(fn: Callable[..., Any]) -> Any:
    """`fn` as a `tf.function`, whose warnings of retracing are no part of what is measured."""
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    return tf.function(fn)


def tensor(value: Any) -> Any:
    """The arrays in a value as tensors."""
    import jax
    import numpy as np
    import tensorflow as tf

    return jax.tree.map(lambda leaf: tf.constant(np.asarray(leaf)), value)


def small(x: Any, n: int) -> Any:
    """The branch of `bench_memory`."""
    import tensorflow as tf

    if tf.reduce_sum(x) > 0:
        x = x * n
    return x


def large(x: Any, n: int) -> Any:
    """The loop of `bench_memory`."""
    import tensorflow as tf

    for _ in tf.range(4):
        for i in range(10):
            x = tf.sin(x * n) + i
    return x
