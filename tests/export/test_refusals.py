"""What is not saved or loaded, and what is said about it?"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import json
import os
import pickle
import subprocess
import sys
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from tests.errors.messages import shown

X = al.ArraySpec([3], jnp.float32)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "saved.zip"


def line_of(fn, offset=0):
    return fn.__code__.co_firstlineno + offset


def refused(path, fn, *signatures, **options):
    with pytest.raises(al.SaveError) as error:
        al.save(path, al.convert(fn), *signatures, **options)
    assert not path.exists()
    return str(error.value)


def logged(x):
    print(x)


def test_a_host_callback_is_named_with_its_line(path):
    def f(x):
        y = x + 1
        jax.debug.callback(logged, y)
        return y

    assert refused(path, f, (X,)) == (
        "'f' calls the callback 'logged' on the host, and can't be saved.\n"
        f"  {__file__}:{line_of(f, 2)} in f\n"
        "      jax.debug.callback(logged, y)\n"
        "  The callback is Python code, and files hold data.\n"
        "  Fix: compute with JAX what the callback computes, or save a function without it."
    )


def test_callbacks_inside_of_loops_are_found(path):
    def host(x):
        return np.asarray(x)

    def f(x):
        for _ in al.range(3):
            x = jax.pure_callback(host, jax.ShapeDtypeStruct((3,), jnp.float32), x)
        return x

    found = refused(path, f, (X,)).splitlines()
    name = "test_callbacks_inside_of_loops_are_found.<locals>.host"
    assert found[0] == f"'f' calls the callback '{name}' on the host, and can't be saved."
    assert found[1] == f"  {__file__}:{line_of(f, 2)} in f"


def test_a_py_function_is_a_callback(path):
    def f(x):
        return al.py_function(np.sort, (x,), result=x)

    found = refused(path, f, (X,)).splitlines()
    assert found[0] == "'f' calls the callback 'sort' on the host, and can't be saved."
    assert found[1] == f"  {__file__}:{line_of(f, 1)} in f"


def test_prints_are_callbacks(path):
    def f(x):
        al.print("x is", x)
        return x

    found = refused(path, f, (X,)).splitlines()
    assert found[0].endswith(" on the host, and can't be saved.")
    assert found[1] == f"  {__file__}:{line_of(f, 1)} in f"


def test_a_check_inside_of_a_transformation_is_named_with_its_line(path):
    def inner(x):
        assert x > 0
        return x

    def f(x):
        return jax.vmap(inner)(x)

    found = refused(path, f, (X,)).splitlines()
    assert found[0] == (
        "'f' has an `assert` or `raise` inside of jax.vmap, jax.lax.scan or the like, and can't be saved."
    )
    assert found[1] == f"  {__file__}:{line_of(inner, 1)} in inner"


def test_a_change_of_an_object_of_the_users(path):
    class Counter:
        total = 0

        @al.convert
        def add(self, x):
            self.total = self.total + x

    counter = Counter()
    with pytest.raises(al.SaveError) as error:
        al.save(path, counter.add, (jnp.float32(0),))
    assert str(error.value).splitlines()[0] == "'add' changes 'Counter.total', and can't be saved."


@dataclasses.dataclass
class Point:
    x: object


class Node:
    def __init__(self, x):
        self.x = x


jax.tree_util.register_pytree_node(Node, lambda node: ((node.x,), None), lambda _, parts: Node(*parts))


def test_literals_and_results_of_the_users_classes(path):
    def takes(x, n):
        return x

    for value, said in [
        (Node, "<class"),
        (Point(1.0), "an object of class 'Point', and files hold lists, tuples and dicts"),
        ([Node(2)], "an object of class 'Node', and files hold lists, tuples and dicts"),
        (logged, "<function logged>"),
    ]:
        first = refused(path, takes, (X, value)).splitlines()[0]
        assert first.startswith(f"'takes' can't be saved: argument 'n' is {said}")
    first = refused(path, lambda x: Node(x), (X,)).splitlines()[0]
    assert first.endswith("of type 'Node'.")
    for give in (lambda x: Point(x), lambda x: [Point(1)]):
        first = refused(path, give, (X,)).splitlines()[0]
        assert first.endswith(
            "can't be saved: an object of class 'Point', and files hold lists, tuples and dicts."
        )


def test_lists_whose_length_depends_on_the_data(path):
    def f(x):
        found = []
        for item in x:
            if item > 0:
                found.append(item)
        return found

    assert refused(path, f, (X,)).splitlines()[0] == (
        "'f' gives what has a length that depends on its data, and can't be saved."
    )


def test_a_signature_of_any_size_that_is_traced_per_size(path):
    def f(x):
        return jax.lax.top_k(x, min(x.shape[0], 2))[0] if x.shape[0] > 5 else x

    with pytest.warns(al.SymbolicSizeWarning):
        found = refused(path, f, (al.ArraySpec([None], jnp.float32),))
    assert found.splitlines()[0] == "'f' can't be saved for arrays of any size: float32[?]."


def test_a_program_that_can_not_be_differentiated(path):
    def f(x):
        while x < 10:
            al.set_loop_options(differentiable=False)
            x = x * 2
        return x

    assert refused(path, f, (jnp.float32(1),), vjp_order=1).startswith("JAX can't export 'f': ")


def test_a_loop_of_any_length_is_saved_with_its_gradient(path):
    @al.convert
    def f(x):
        while x < 10:
            x = x * 2
        return x

    f(jnp.float32(1))
    al.save(path, f, vjp_order=1)
    assert jax.grad(al.load(path))(jnp.float32(3)) == 4


def test_nothing_to_save(path):
    def f(x):
        return x

    assert refused(path, f).splitlines()[0] == "'f' has not been traced, so that there is nothing to save."
    with pytest.raises(al.SaveError, match="is no converted function"):
        al.save(path, f)
    with pytest.raises(al.SaveError, match="Signatures are given for something else"):
        al.save(path, {"f": al.convert(f)}, (X,))

    class Empty(al.Module):
        @al.convert
        def step(self, x):
            return x

    with pytest.raises(al.SaveError, match="No method of the '.*Empty' object has been traced"):
        al.save(path, Empty())


def test_a_failed_save_leaves_the_file_that_was_there(path):
    al.save(path, al.convert(lambda x: x), (X,))
    before = path.read_bytes()
    with pytest.raises(al.SaveError):
        al.save(path, al.convert(lambda x: Node(x)), (X,))
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.fixture
def saved(path):
    v = al.Variable(jnp.ones(5))
    al.save(path, al.convert(lambda x, n=2: (n * x).sum() + v.value), (jnp.zeros(3),))
    return path


def not_loaded(path):
    with pytest.raises(al.LoadError) as error:
        al.load(path)
    return str(error.value)


HERE = f"  {__file__}:{line_of(not_loaded, 2)} in not_loaded\n      al.load(path)\n"


def test_calls_of_other_types_say_what_was_saved(saved):
    f = al.load(saved)
    with pytest.raises(al.UnsavedSignatureError) as error:
        f(jnp.zeros(4), 3)
    lambda_ = f.__name__
    assert str(error.value) == (
        f"'{lambda_}' is called as {lambda_}(x: float32[4], n: Literal[3]), for which it was not saved.\n"
        f"  {__file__}:{line_of(test_calls_of_other_types_say_what_was_saved, 3)} "
        "in test_calls_of_other_types_say_what_was_saved\n"
        "      f(jnp.zeros(4), 3)\n"
        f"  It was saved for\n    {lambda_}(x: float32[3], n: Literal[2])\n"
        "  Fix: convert the arguments, or save the function for that signature, too."
    )
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'm'"):
        f(jnp.zeros(3), m=1)


def test_sizes_that_were_one_size_and_differ(tmp_path):
    f, any_size = al.convert(lambda x, y: x + y), al.ArraySpec([None], jnp.float32)
    al.save(tmp_path / "f.zip", f, (any_size, any_size))
    loaded = al.load(tmp_path / "f.zip")
    assert loaded(jnp.ones(3), jnp.ones(3)).tolist() == [2, 2, 2]
    with pytest.raises(al.UnsavedSignatureError) as error:
        loaded(jnp.ones(3), jnp.ones(4))
    assert "(x: float32[3], y: float32[4]), for which it was not saved." in str(error.value)
    assert "(x: float32[?], y: float32[?])\n  Sizes that were one size in the saved program differ.\n" in str(
        error.value
    )


@pytest.mark.parametrize("program", [lambda fun: fun, jax.jit], ids=["called", "compiled"])
def test_a_loaded_function_in_vmap(tmp_path, program):
    al.save(tmp_path / "f.zip", al.convert(lambda x: 2 * x), (jnp.float32(1),))
    loaded = al.load(tmp_path / "f.zip")
    with pytest.raises(al.UnsavedSignatureError) as error:
        program(jax.vmap(loaded))(jnp.arange(3.0))
    assert str(error.value).startswith(
        f"'{loaded.__name__}' was loaded from a file, and is called in jax.vmap.\n"
    )
    assert jax.lax.map(loaded, jnp.arange(3.0)).tolist() == [0, 2, 4]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("program", [lambda fun: fun, jax.jit], ids=["called", "compiled"])
def test_a_derivative_that_the_file_does_not_hold(tmp_path, order, program):
    def cube(x):
        return x**3

    al.save(tmp_path / "f.zip", al.convert(cube), (jnp.float32(1),), vjp_order=order)
    derivative = loaded = al.load(tmp_path / "f.zip")
    for _ in range(order):
        derivative = jax.grad(derivative)
    assert derivative(jnp.float32(2)) == [8, 12][order]

    def f(x):
        return program(jax.grad(derivative))(x)

    with pytest.raises(al.UnsavedSignatureError) as error:
        f(jnp.float32(2))
    assert shown(error.value, f) == (
        "UnsavedSignatureError: 'cube' was loaded from a file, and is differentiated in reverse mode.\n"
        "  test.py:1 in f\n"
        "      return program(jax.grad(derivative))(x)\n"
        f"  It was saved with vjp_order={order}: the file holds no derivative beyond that.\n"
        f"  Fix: save it with vjp_order={order + 1}."
    )
    assert jax.grad(lambda x: x * jax.lax.stop_gradient(loaded(x)))(jnp.float32(2)) == 8


def test_a_forward_derivative_of_a_loaded_function(tmp_path):
    al.save(tmp_path / "f.zip", al.convert(lambda x: x**3), (jnp.float32(1),), vjp_order=2)
    loaded = al.load(tmp_path / "f.zip")

    def f(x):
        return jax.hessian(loaded)(x)

    with pytest.raises(al.UnsavedSignatureError) as error:
        f(jnp.float32(2))
    assert shown(error.value, f) == (
        f"UnsavedSignatureError: '{loaded.__name__}' was loaded from a file, and is differentiated in forward mode.\n"
        "  test.py:1 in f\n"
        "      return jax.hessian(loaded)(x)\n"
        "  A saved program holds derivatives in reverse mode only: those that `vjp_order` asks for.\n"
        "  Fix: use jax.grad or jax.vjp, or save the function that calls jax.jvp."
    )
    assert jax.grad(jax.grad(loaded))(jnp.float32(2)) == 12


def test_a_loaded_function_is_not_pickled(tmp_path):
    al.save(tmp_path / "f.zip", al.convert(lambda x: x), (jnp.float32(1),))
    loaded = al.load(tmp_path / "f.zip")

    def f():
        pickle.dumps(loaded)

    with pytest.raises(al.PicklingError) as error:
        f()
    assert shown(error.value, f) == (
        f"PicklingError: '{loaded.__name__}' was loaded from a file, and can't be pickled.\n"
        "  test.py:1 in f\n"
        "      pickle.dumps(loaded)\n"
        "  A pickle is read as code; the file is data, and has all that the function is.\n"
        "  Fix: pickle the path of the file, and load the function where it is wanted."
    )


def test_any_truncation_is_noticed(saved):
    whole = saved.read_bytes()
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        saved.write_bytes(whole[:length])
        assert not_loaded(saved).splitlines()[0] == (
            f"'{saved}' can't be loaded: it is no complete archive of autograph_lite.save."
        )


def test_any_changed_byte_of_a_part_is_noticed(saved):
    whole = saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        places = [info.header_offset + 60 + info.file_size // 2 for info in archive.infolist()]
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 0xFF
        saved.write_bytes(changed)
        not_loaded(saved)


def rewritten(path, change, *, checksums=False):
    """The file with changed parts; checksums that fit them, if wanted."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts["manifest.json"])
    change(parts, manifest)
    if checksums:
        for name in manifest["parts"]:
            content = parts[name]
            manifest["parts"][name] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
    parts["manifest.json"] = json.dumps(manifest).encode()
    parts["manifest.sha256"] = hashlib.sha256(parts["manifest.json"]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_a_part_that_another_has_replaced_is_noticed(saved):
    name = next(n for n in zipfile.ZipFile(saved).namelist() if n.endswith(".npy"))
    rewritten(saved, lambda parts, _: parts.update({name: parts[name][:-1] + b"\1"}))
    assert not_loaded(saved).splitlines()[0] == f"'{saved}' can't be loaded: the checksum of {name} is wrong."
    rewritten(saved, lambda parts, _: parts.pop(name))
    assert not_loaded(saved).splitlines()[0] == f"'{saved}' can't be loaded: {name} is missing."


def test_a_newer_format_names_the_version_that_wrote_it(saved):
    def newer(_, manifest):
        manifest["format"] = 2
        manifest["made_with"]["autograph-lite"] = "9.9"

    rewritten(saved, newer)
    assert not_loaded(saved) == (
        f"'{saved}' has format 2, and this version of autograph_lite reads up to 1.\n"
        f"{HERE}"
        "  It was written by autograph_lite 9.9.\n"
        "  Fix: install that version, or a later one."
    )


def test_another_platform(path):
    al.save(path, al.convert(lambda x: x + 1), (X,), platforms=["cuda"])
    assert not_loaded(path) == (
        f"'{path}' is saved for cuda, and JAX runs on cpu.\n"
        f"{HERE}"
        "  The programs in it were lowered for that platform.\n"
        "  Fix: save it with platforms=['cuda', 'cpu']."
    )
    al.save(path, al.convert(lambda x: x + 1), (X,), platforms=["cuda", "cpu"])
    assert float(al.load(path)(jnp.zeros(3))[0]) == 1


def test_variables_of_64_bits_where_jax_has_32(path):
    with jax.enable_x64(True):
        v = al.Variable(jnp.float64(2))
        al.save(path, al.convert(lambda x: x * v.value), (jnp.float32(1),))
    assert not_loaded(path) == (
        f"'{path}' has a Variable of float64, which JAX makes float32 here.\n"
        f"{HERE}"
        "  It was saved with jax_enable_x64, which is off.\n"
        '  Fix: switch it on before: jax.config.update("jax_enable_x64", True).'
    )
    with jax.enable_x64(True):
        assert al.load(path)(jnp.float32(3)) == 6


def test_a_program_that_this_jax_can_not_read(saved):
    name = next(n for n in zipfile.ZipFile(saved).namelist() if n.endswith(".stablehlo"))
    rewritten(saved, lambda parts, _: parts.update({name: b"from the future"}), checksums=True)
    assert f"here is jax {jax.__version__}." in not_loaded(saved)


class Trap:
    def __reduce__(self):
        return os.mkdir, ("trapped",)


def test_nothing_in_a_file_is_unpickled(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = next(n for n in zipfile.ZipFile(saved).namelist() if n.endswith(".npy"))
    np.save(tmp_path / "trap.npy", np.array([Trap()], object), allow_pickle=True)
    (tmp_path / "trap.pickle").write_bytes(pickle.dumps(Trap()))
    for trap in ("trap.npy", "trap.pickle"):
        content = (tmp_path / trap).read_bytes()
        rewritten(saved, lambda parts, _: parts.update({name: content}), checksums=True)
        not_loaded(saved)
    assert not (tmp_path / "trapped").exists()


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("functions", "function", "programs", 0, "result"), {"class": "os.system"}),
        (("functions", "function", "programs", 0, "result"), {"namedtuple": ["T", ["__import__('os')"], []]}),
        (("functions", "function", "parameters", 0, "kind"), "__class__"),
        (("functions", "function", "programs", 0, "state"), [{"variable": 7}]),
        (("functions",), None),
    ],
)  # fmt: skip
def test_a_manifest_that_is_not_as_it_should_be(saved, where, value):
    def change(_, manifest):
        *way, last = where
        for step in way:
            manifest = manifest[step]
        manifest[last] = value

    rewritten(saved, change)
    not_loaded(saved)


def test_messages_of_checks_read_no_attributes(path):
    def f(x):
        if x < 0:
            raise ValueError(f"{x} is negative")
        return x

    al.save(path, al.convert(f), (jnp.float32(1),))

    def change(_, manifest):
        check = manifest["functions"]["function"]["programs"][0]["checks"][0]
        check["error"]["args"]["tuple"][0]["text"][0] = "{0.__class__.__mro__}"

    rewritten(path, change)
    assert "has a field '0.__class__.__mro__'" in not_loaded(path)


def test_more_devices_than_there_are(path):
    program = (
        "import sys, jax, jax.numpy as jnp, autograph_lite as al\n"
        "mesh = jax.make_mesh((2,), ('i',), axis_types=(jax.sharding.AxisType.Auto,))\n"
        "spec = jax.sharding.PartitionSpec('i')\n"
        "@al.convert\n"
        "def f(x):\n"
        "    return jax.shard_map(lambda x: jax.lax.psum(x, 'i'), mesh=mesh, in_specs=spec, out_specs=jax.sharding.PartitionSpec())(x)\n"
        "al.save(sys.argv[1], f, (jnp.zeros(2),))\n"
    )
    file = path.parent / "program.py"
    file.write_text(program)
    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run([sys.executable, file, path], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert (
        not_loaded(path).splitlines()[0]
        == f"'{path}' is saved for 2 devices, and JAX has {jax.device_count()}."
    )


def test_the_package_that_is_needed_is_named(path, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n, *a: None if n == "flatbuffers" else found(n, *a)
    )
    assert refused(path, lambda x: x, (X,)) == (
        "JAX needs the package 'flatbuffers' to write programs.\n"
        f"  {__file__}:{line_of(refused, 2)} in refused\n      al.save(path, al.convert(fn), *signatures, **options)\n"
        "  Fix: install it, as by pip install autograph-lite[export]."
    )
