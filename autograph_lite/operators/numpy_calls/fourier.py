"""Fourier transforms: which functions of JAX's compute those of `scipy.fft`?

scipy.fft.rfft(x, 8)                  `jnp.fft.rfft`
scipy.fft.dct(x)                      `jax.scipy.fft.dct`, which knows the second type alone
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.scipy import fft


def _of_scipy(fun: Callable[..., Any]) -> Callable[..., Any]:
    """`fun` of JAX's, of an array or of what becomes one, which takes an axis or a size for a tuple of one."""

    @functools.wraps(fun)
    def run(x: Any, **options: Any) -> Any:
        for name in ("s", "axes"):
            if options.get(name) is not None:
                options[name] = (*np.atleast_1d(options[name]).tolist(),)
        if -1 in (options.get("s") or ()):
            raise NotImplementedError("a size of -1 is not implemented: write the size of the array")
        if fun in _COSINES and options.get("norm") == "forward":
            raise NotImplementedError("norm='forward' is not implemented")
        x = jnp.asarray(x)
        return fun(x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(float), **options)

    return run


_COSINES = (fft.dct, fft.idct, fft.dctn, fft.idctn)
OF_SCIPY: dict[str, Callable[..., Any]] = {
    **{name: _of_scipy(getattr(jnp.fft, name)) for name in dir(jnp.fft) if name.endswith(("fft", "fft2", "fftn"))},
    **{fun.__name__: _of_scipy(fun) for fun in _COSINES},
    **{name: getattr(jnp.fft, name) for name in ("fftfreq", "rfftfreq", "fftshift", "ifftshift")},
}  # fmt: skip
