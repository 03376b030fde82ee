"""Is a file refused whose program does something else than compute with arrays?"""

from __future__ import annotations

import hashlib
import json
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import autograph_lite as al


def calls(target):
    return lambda x: jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(x.shape, x.dtype))(
        x, index=np.uint64(12345)
    )


def with_program(path, fn, target, vjp_order=0):
    """A file of which somebody has replaced the program, and written the checksums anew."""
    al.save(path, al.convert(lambda x: x + 1), (jnp.ones(3),))
    allowed = [export.DisabledSafetyCheck.custom_call(target)]
    made = export.export(jax.jit(fn), disabled_checks=allowed)(jnp.ones(3)).serialize(vjp_order=vjp_order)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    (name,) = [name for name in parts if name.startswith("programs/")]
    parts[name] = bytes(made)
    manifest = json.loads(parts["manifest.json"])
    manifest["parts"][name] = {"sha256": hashlib.sha256(made).hexdigest(), "size": len(made)}
    parts["manifest.json"] = json.dumps(manifest).encode()
    parts["manifest.sha256"] = hashlib.sha256(parts["manifest.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def refusal(path):
    with pytest.raises(al.LoadError) as error:
        al.load(path)
    return str(error.value)


@pytest.mark.parametrize(
    "target", ["xla_ffi_python_cpu_callback", "xla_python_gpu_callback", "tf.call_tf_function", "lapack_x"]
)
def test_a_callback_of_pythons_is_refused(tmp_path, target):
    path = with_program(tmp_path / "f.zip", calls(target), target)
    lines = refusal(path).splitlines()
    assert lines[0] == f"'{path}' can't be loaded: a program in it calls '{target}'."
    assert lines[-2:] == [
        "  It may do more than compute with arrays, and no program that autograph_lite.save has written does so.",
        "  Fix: find out who has made the file; save the function again.",
    ]


def test_one_in_a_branch_and_in_a_loop_is_found(tmp_path):
    target = "xla_ffi_python_cpu_callback"

    def f(x):
        return jax.lax.fori_loop(0, 3, lambda i, x: jax.lax.cond(x[0] > 0, calls(target), lambda x: x, x), x)

    assert target in refusal(with_program(tmp_path / "f.zip", f, target))


def test_one_in_a_derivative_is_found(tmp_path):
    target = "xla_ffi_python_cpu_callback"

    @jax.custom_vjp
    def f(x):
        return x + 1

    f.defvjp(lambda x: (x + 1, None), lambda _, g: (calls(target)(g),))
    path = tmp_path / "f.zip"
    al.save(path, al.convert(lambda x: x + 1), (jnp.ones(3),))
    allowed = [export.DisabledSafetyCheck.custom_call(target)]
    try:
        export.export(jax.jit(f), disabled_checks=allowed)(jnp.ones(3)).serialize(vjp_order=1)
    except ValueError:
        pytest.skip("this JAX does not write such a derivative")
    assert target in refusal(with_program(path, f, target, vjp_order=1))


def everything(x):
    a = jnp.outer(x, x) + 3 * jnp.eye(3)
    u, s, vt = jnp.linalg.svd(a)
    key = jax.random.key(3)
    parts = [
        jnp.linalg.solve(a, x), jnp.linalg.cholesky(a)[0], jnp.linalg.eigh(a)[0], jnp.linalg.qr(a)[0][0], s,
        jnp.linalg.inv(a)[1], jnp.linalg.eigvals(a).real, jax.scipy.linalg.lu(a)[2][0], jnp.sort(x), jax.lax.top_k(x, 3)[0],
        jax.random.normal(key, (3,)), jax.random.permutation(key, x), jnp.fft.fft(x).real, jax.scipy.linalg.schur(a)[0][0],
        jax.scipy.linalg.solve_triangular(a, x), jax.scipy.special.erf(x), jax.nn.softmax(x), jnp.cumsum(x),
    ]  # fmt: skip
    return sum(parts)


@pytest.mark.parametrize(
    "x", [jnp.arange(3.0), al.ArraySpec([None], jnp.float32)], ids=["known size", "any size"]
)
def test_what_is_saved_is_loaded(tmp_path, x):
    fn = (
        everything
        if isinstance(x, jax.Array)
        else lambda x: jnp.sort(x).cumsum() + jax.random.normal(jax.random.key(0), x.shape)
    )
    f = al.convert(fn)
    al.save(tmp_path / "f.zip", f, (x,), vjp_order=0)
    given = jnp.array([1.0, 5.0, 2.0])
    np.testing.assert_allclose(al.load(tmp_path / "f.zip")(given), f(given), rtol=1e-5)
