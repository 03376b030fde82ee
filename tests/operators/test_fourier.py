"""`scipy.fft` of traced values: the functions of `jax.numpy.fft` and `jax.scipy.fft`, with SciPy's arguments."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite
from autograph_lite.errors import PythonOnlyError

fft: Any = pytest.importorskip("scipy.fft")
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=6).astype(np.float32)
M = RANDOM.normal(size=(4, 5)).astype(np.float32)
T = RANDOM.normal(size=(2, 3, 4, 2)).astype(np.float32)

PROGRAMS: dict[str, Any] = {
    "one axis": lambda x, m, t: [
        getattr(fft, name)(x, n) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for n in (None, 4, 9)
    ],
    "norms": lambda x, m, t: [
        getattr(fft, name)(m, axis=0, norm=norm)
        for name in ("fft", "ifft", "rfft", "irfft")
        for norm in ("backward", "ortho", "forward")
    ],
    "several axes": lambda x, m, t: [
        fft.fft2(m), fft.ifft2(m + 1j * m), fft.rfft2(m, s=(6, 3)), fft.irfft2(m, norm="ortho"), fft.fftn(t),
        fft.ifftn(t, axes=(0, 2)), fft.rfftn(t, s=(3, 4)), fft.irfftn(t, axes=(1, 0)), fft.fftn(m, axes=0), fft.rfftn(m, s=3),
    ],
    "cosines": lambda x, m, t: [
        fft.dct(x), fft.idct(x, n=9), fft.dct(m, axis=0, norm="ortho"), fft.idct(m, norm="backward"), fft.dct(x + 1j * x),
        fft.dctn(m), fft.idctn(m, axes=(1, 0)), fft.dctn(t, norm="ortho"), fft.idctn(t, s=(2, 3)),
    ],
    "shifts and frequencies": lambda x, m, t: [
        fft.fftshift(m), fft.ifftshift(m, axes=0), fft.fftfreq(8, x[0]), fft.rfftfreq(x.size, d=x[1]), fft.fftfreq(5),
    ],
    "what becomes an array": lambda x, m, t: [fft.fft([x[0], x[1], 1]), fft.dct([x[0], 2]), fft.rfft(x > 0)],
    "what changes no value": lambda x, m, t: [
        fft.fft(x, workers=2), fft.dct(x.copy(), overwrite_x=True), fft.rfft(x=x, n=fft.next_fast_len(7)),
    ],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_transforms_are_those_of_scipy(name: str) -> None:
    expected, found = PROGRAMS[name](X, M, T), autograph_lite.convert(PROGRAMS[name])(X, M, T)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
        assert np.asarray(one).dtype.kind == np.asarray(other).dtype.kind


def test_a_filter_in_a_loop() -> None:
    def smoothed(x, n):
        for _ in range(n):
            spectrum = fft.rfft(x)
            spectrum[2:] = 0
            x = fft.irfft(spectrum, n=x.size)
        return x

    found = autograph_lite.convert(smoothed)(X, jnp.int32(3))
    np.testing.assert_allclose(smoothed(X, 3), found, rtol=1e-4, atol=1e-5)


REFUSED: dict[str, tuple[Any, str]] = {
    "a type": (
        lambda x: fft.dct(x, 3),
        "'dct' is called with traced values and arguments that JAX's function doesn't take.",
    ),
    "a norm": (
        lambda x: fft.idct(x, norm="forward"),
        "'idct' is called with traced values and arguments that JAX's function doesn't take.",
    ),
    "a size": (
        lambda x: fft.fftn(x, s=(-1,)),
        "'fftn' is called with traced values and arguments that JAX's function doesn't take.",
    ),
    "orthogonal": (
        lambda x: fft.dct(x, orthogonalize=True),
        "'scipy.fft.dct' is called with 'orthogonalize=', which JAX's function hasn't.",
    ),
    "a plan": (
        lambda x: fft.fft(x, plan=0),
        "'scipy.fft.fft' is called with 'plan=', which JAX's function hasn't.",
    ),
    "sines": (lambda x: fft.dst(x), "'scipy.fft.dst' is called with a traced value."),
    "a length": (
        lambda x: fft.next_fast_len(x[0]),
        "'scipy.fft.next_fast_len' is called with a traced value.",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_jax_does_not_take_is_refused(name: str) -> None:
    program, what = REFUSED[name]
    with pytest.raises(PythonOnlyError) as caught:
        autograph_lite.convert(program)(X)
    assert caught.value.what == what
