"""Does a program that another process has compiled do all that a traced one does? And where are programs kept?"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import jax
import pytest

import autograph_lite as al

ROOT = Path(__file__).parents[2]
MODEL = """\
import jax, jax.numpy as jnp, numpy as np
import autograph_lite as al

ran = []

class Counter:
    def __init__(self, rate):
        self.rate = rate
        self.total = al.Variable(0.0, name="total")
        self.log = al.Variable(jnp.zeros(3))

    @al.convert
    def add(self, x, *, scale=1):
        print("tracing")
        self.total.assign_add(x * self.rate * scale)
        if x < 0:
            raise ValueError(f"{x} is negative")
        return {"total": self.total.value, "parts": [self.log.value, (x, None, "text", np.arange(2))]}

@al.convert
def plain(x):
    print("tracing")
    return x * 2

@al.convert(reduce_retracing=True)
def keys(key, x):
    print("tracing")
    return jax.random.normal(key) + x

@al.convert
def own_class(x):
    print("tracing")
    if x > 5:
        raise Own("large")
    return x

class Own(Exception):
    pass
"""
PROGRAM = """\
import json, sys
import jax, jax.numpy as jnp, numpy as np
import autograph_lite as al
cache = al.enable_compilation_cache(sys.argv[1])
import model
out = []
counter, other = model.Counter(2), model.Counter(3)
for x in (1.0, 2.0):
    result = counter.add(jnp.float32(x))
    out.append(float(result["total"]))
    out.append([np.asarray(result["parts"][0]).tolist(), str(result["parts"][1])])
out.append(float(other.add(x=jnp.float32(1), scale=2)["total"]))
out.append(float(counter.total.value))
for fn, x in ((counter.add, -1.0), (model.own_class, 6.0)):
    try:
        fn(jnp.float32(x))
    except Exception as error:
        tb = error.__traceback__
        while tb.tb_next:
            tb = tb.tb_next
        out.append([type(error).__name__, str(error), tb.tb_lineno])
out.append(float(counter.total.value))
out.append([float(v) for v in (model.plain(np.float32(3)), model.plain(np.float32(4)), model.plain(jnp.asarray(2.0)))])
out.append(str(jax.typeof(model.plain(jnp.asarray(2.0)))))
out.append(float(jax.grad(model.plain)(3.0)))
out.append(float(jax.jit(model.plain)(3.0)))
out.append(float(model.keys(jax.random.key(1), jnp.float32(0))))
out.append(model.plain.get_concrete_function(np.float32(1)).equation_count)
print("\\n" + json.dumps([out, cache.found, cache.kept]))
"""


def run(folder: Path) -> tuple[list[object], int, int, int]:
    done = subprocess.run(
        [sys.executable, str(folder / "program.py"), str(folder / "cache")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    *_, last = done.stdout.splitlines()
    return *json.loads(last), done.stdout.count("tracing")


def test_a_warm_program_does_what_a_traced_one_does(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "program.py").write_text(PROGRAM)
    cold, found, kept, traced = run(tmp_path)
    assert (found, kept) == (0, 5)
    warm, found, kept, traced_again = run(tmp_path)
    assert warm == cold
    assert (found, kept) == (5, 0)
    # What is left: in jax.grad and jax.jit, for the equations, and the function with an exception of its own.
    assert traced_again == 4 < traced
    assert cold[0] == 2.0
    assert cold[6] == ["ValueError", "-1.0 is negative", 17]


def test_a_program_of_another_machine_does_what_a_traced_one_does(tmp_path):
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "program.py").write_text(PROGRAM)
    cold, *_ = run(tmp_path)
    other = "from autograph_lite.runtime.warm import machine_key; machine_key._processor = lambda: 'another'"
    (tmp_path / "program.py").write_text(f"{other}\n{PROGRAM}")
    for _ in range(2):  # StableHLO, and then what that was compiled to
        warm, found, kept, _ = run(tmp_path)
        assert (warm, found, kept) == (cold, 5, 0)


def test_a_program_is_not_traced_again_beside_one_that_writes_to_its_arguments(tmp_path, capsys):
    total = al.Variable(0.0)

    def push(x, items, write):
        print("tracing", write)
        total.assign_add(x)
        if write:
            items.append(x)
        return x + len(items)

    def run():
        fn, items = al.convert(push), []
        sums = [float(fn(jax.numpy.float32(1), items, write)) for write in (True, False)]
        return sums, [*map(float, items)]

    cache = al.enable_compilation_cache(tmp_path / "cache")
    try:
        cold = run()
        assert (cache.found, cache.kept) == (0, 1)  # what writes to its arguments is not kept
        assert run() == cold == ([2.0, 2.0], [1.0])
        assert (cache.found, cache.kept) == (1, 1)
    finally:
        al.disable_compilation_cache()
    assert float(total.value) == 4.0
    assert capsys.readouterr().out.splitlines() == ["tracing True", "tracing False", "tracing True"]


def test_a_program_that_always_raises_is_not_kept(tmp_path):
    def refuse(x):
        raise ValueError("refused")

    def give(x):
        return x

    cache = al.enable_compilation_cache(tmp_path / "cache")
    try:
        with pytest.raises(ValueError, match="refused"):
            al.convert(refuse)(jax.numpy.float32(1))
        assert cache.kept == 0
        al.convert(give)(jax.numpy.float32(1))
        assert cache.kept == 1
    finally:
        al.disable_compilation_cache()


def test_the_folder_is_private(tmp_path):
    before = jax.config.jax_compilation_cache_dir
    cache = al.enable_compilation_cache(tmp_path / "new" / "cache")
    try:
        assert stat.S_IMODE(cache.path.stat().st_mode) == 0o700
        assert jax.config.jax_compilation_cache_dir == str(cache.path / "xla")
    finally:
        al.disable_compilation_cache()
    assert jax.config.jax_compilation_cache_dir == before


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path, mode):
    tmp_path.chmod(mode)
    with pytest.raises(al.CacheFolderError) as error:
        al.enable_compilation_cache(tmp_path)
    line = test_a_folder_that_others_can_write_to_is_refused.__code__.co_firstlineno + 4
    assert str(error.value) == (
        f"Others can write to '{tmp_path}', and programs that are loaded from it run here.\n"
        f"  {__file__}:{line} in test_a_folder_that_others_can_write_to_is_refused\n"
        "      al.enable_compilation_cache(tmp_path)\n"
        f"  Its mode is {stat.filemode(0o40000 | mode)}.\n"
        "  Fix: give a folder of your own, of mode 700."
    )


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path):
    tmp_path.chmod(0o700)
    os.chown(tmp_path, 12345, -1)
    with pytest.raises(al.CacheFolderError, match="It belongs to the user 12345"):
        al.enable_compilation_cache(tmp_path)
