"""Is a manifest that does not fit its file refused when it is loaded, though its checksums are right?"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import zipfile

import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al

X = al.ArraySpec([None], jnp.float32)
MANIFEST = "manifest.json"


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The parts of a file of two functions, which have a Variable, checks, a default and an argument that is a Variable."""
    total = al.Variable(2.0)

    def f(x, n=2, *, rate=np.float32(1)):
        if x.sum() > 100:
            raise ValueError(f"{x.sum():.1f} is more than {n}") from KeyError(n)
        total.assign_add(x.sum())
        return {"x": x * rate, "n": n, "more": (None, "text", np.arange(2))}

    def g(v, x):
        v.assign_add(x)
        return v.value, total.value

    f, g = al.convert(f), al.convert(g)
    path = tmp_path_factory.mktemp("saved") / "both.zip"
    traces = {
        "f": [f.get_concrete_function(X), f.get_concrete_function(jnp.ones(3), 3)],
        "g": g.get_concrete_function(al.Variable(0.0), jnp.float32(1)),
    }
    al.save(path, traces)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def signed(path, parts, manifest):
    """Writes a file whose checksums are right."""
    parts = {**parts, MANIFEST: json.dumps(manifest).encode()}
    parts["manifest.sha256"] = hashlib.sha256(parts[MANIFEST]).hexdigest().encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def at(whole, way):
    for step in way:
        whole = whole[step]
    return whole


PROGRAM = ("functions", "f", "programs", 0)
CHECK = (*PROGRAM, "checks", 0, "error")
GONE = object()
CASES = [
    (("parts", "programs/1.stablehlo", "sha256"), GONE),
    (("parts", "programs/1.stablehlo"), None),
    (("parts",), []),
    (("platforms",), GONE),
    (("platforms",), 7),
    (("format",), GONE),
    (("format",), "1"),
    (("functions", "f", "parameters"), []),
    ((*PROGRAM, "type", 0, "type", "array", "shape"), [3]),
    ((*PROGRAM, "type", 0, "type", "array", "dtype"), "int32"),
    ((*PROGRAM, "result", "dict", 0, 1, "output", 0), "x"),
    ((*PROGRAM, "result", "dict", 0, 1, "output", 0), 99),
    ((*PROGRAM, "result", "dict", 0, 1, "output", 0), -1),
    ((*PROGRAM, "after"), []),
    ((*PROGRAM, "after"), GONE),
    ((*PROGRAM, "after", 0), 0),
    ((*PROGRAM, "after", 0), "1"),
    ((*PROGRAM, "state"), []),
    ((*PROGRAM, "state", 0, "variable"), -1),
    ((*PROGRAM, "check_outputs"), []),
    ((*PROGRAM, "check_outputs", 0), 1),
    ((*PROGRAM, "checks", 0, "number"), GONE),
    ((*PROGRAM, "checks", 0, "line"), 1),
    (CHECK, None),
    ((*CHECK, "type"), 1),
    ((*CHECK, "args"), GONE),
    ((*CHECK, "args", "tuple", 0, "text", 0), "{9}"),
    ((*CHECK, "args", "tuple", 0, "text", 0), True),
    ((*CHECK, "weak"), []),
    ((*CHECK, "cause"), "none"),
    (("functions", "g", "programs", 0, "state", 0), {"argument": 1}),
    (("variables", 0, "array", "file"), "programs/1.stablehlo"),
]  # fmt: skip


@pytest.mark.parametrize(("way", "value"), CASES, ids=range(len(CASES)))
def test_a_manifest_that_does_not_fit_is_refused(parts, tmp_path, way, value):
    manifest = json.loads(parts[MANIFEST])
    inner = at(manifest, way[:-1])
    if value is GONE:
        del inner[way[-1]]
    else:
        inner[way[-1]] = value
    with pytest.raises(al.LoadError):
        al.load(signed(tmp_path / "f.zip", parts, manifest))


@pytest.mark.parametrize("manifest", [[], "text", 3, None], ids=str)
def test_a_manifest_that_is_no_dictionary_is_refused(parts, tmp_path, manifest):
    with pytest.raises(al.LoadError, match="is not as it should be"):
        al.load(signed(tmp_path / "f.zip", parts, manifest))


def ways(whole, way=()):
    """The way to each part of a manifest."""
    if way:
        yield way
    pairs = whole.items() if isinstance(whole, dict) else enumerate(whole) if isinstance(whole, list) else ()
    for step, inner in pairs:
        yield from ways(inner, (*way, step))


def changed(whole, chosen):
    """A manifest with a part that is gone, is another one, or is where another was."""
    manifest = copy.deepcopy(whole)
    one, other = (chosen.choice([*ways(manifest)]) for _ in range(2))
    inner = at(manifest, one[:-1])
    if chosen.random() < 0.3:
        del inner[one[-1]]
    elif chosen.random() < 0.5:
        inner[one[-1]] = chosen.choice([None, -1, 0, 2**63, 1.5, "", "x", [], {}, {"int": 1}, [[]], True])
    else:
        inner[one[-1]] = copy.deepcopy(at(whole, other))
    return manifest


@pytest.mark.parametrize("seed", range(4))
def test_manifests_that_are_changed_at_random_give_our_errors_alone(parts, tmp_path, seed):
    chosen, whole = random.Random(seed), json.loads(parts[MANIFEST])
    for _ in range(20):
        try:
            loaded = al.load(signed(tmp_path / "f.zip", parts, changed(whole, chosen)))
            if type(loaded) is dict and loaded.keys() == {"f", "g"}:
                loaded["f"](jnp.ones(3)), loaded["g"](al.Variable(1.0), jnp.float32(2))
        except al.AutographError:
            pass


def test_a_program_that_jax_can_not_read_is_our_error(parts, tmp_path):
    manifest = json.loads(parts[MANIFEST])
    (name,) = (program["file"] for program in manifest["functions"]["g"]["programs"])
    content = bytearray(parts[name])
    start = content.index(b"vhlo")
    content[start : start + 4] = b"vhlx"  # a dialect that is none
    manifest["parts"][name]["sha256"] = hashlib.sha256(content).hexdigest()
    with pytest.raises(al.LoadError, match="can't be read: .*deserialize StableHLO"):
        al.load(signed(tmp_path / "f.zip", {**parts, name: bytes(content)}, manifest))
