"""Do random methods of structures, whose fields change between calls, do what they do in plain Python?"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import given, note, settings, strategies as st

import autograph_lite as al
from autograph_lite import config

from .running import loaded

HEADS = {
    "dataclass": "@dataclasses.dataclass\nclass Model:\n    w: object\n    v: object\n    n: object\n    xs: list\n",
    "slots": "@dataclasses.dataclass(slots=True)\nclass Model:\n    w: object\n    v: object\n    n: object\n    xs: list\n",
    "registered": (
        "@jax.tree_util.register_pytree_node_class\nclass Model:\n"
        "    def __init__(self, w, v, n, xs):\n        self.w, self.v, self.n, self.xs = w, v, n, xs\n"
        "    def tree_flatten(self):\n        return (self.w, self.v, self.xs), self.n\n"
        "    @classmethod\n    def tree_unflatten(cls, n, parts):\n        return cls(parts[0], parts[1], n, parts[2])\n"
    ),
}
READ = st.sampled_from(
    ["self.w", "self.v", "self.xs[0]", "self.xs[-1]", "self.n", "x", "self.other(x)", "self.half"]
)
WRITTEN = st.sampled_from(["self.w", "self.v", "self.xs[0]", "x"])


@st.composite
def statements(draw: Any, depth: int = 2) -> list[str]:
    """The lines of a block of a method."""
    lines = []
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(st.integers(0, 8))
        body = [f"    {line}" for line in draw(statements(depth - 1))] if depth else ["    pass"]
        match kind:
            case 0 | 1:
                lines.append(f"{draw(WRITTEN)} = {draw(READ)} * 0.5 + {draw(READ)}")
            case 2:
                lines.append(f"{draw(WRITTEN)} += {draw(READ)}")
            case 3 if depth == 2:
                lines.append(
                    draw(
                        st.sampled_from(
                            ["self.xs.append(x * 1.0)", "self.n += 1", "self.w, self.v = self.v, self.w"]
                        )
                    )
                )
            case 4 if depth == 2:
                lines.append("self.xs = [self.xs[-1], *self.xs]")
            case 5:
                lines += [f"if {draw(READ)} > {draw(READ)}:", *body]
            case 6:
                lines += ["for i in range(2):", *body]
            case _:
                lines.append(f"x = x + {draw(READ)}")
    return lines


@st.composite
def programs(draw: Any) -> str:
    """A class, with its methods under `convert`."""
    main = "".join(f"        {line}\n" for line in draw(statements()))
    other = draw(READ.filter(lambda read: "other" not in read))
    return (
        f"{HEADS[draw(st.sampled_from([*HEADS]))]}"
        f"    @convert\n    def step(self, x):\n{main}        return x + {draw(READ)} * 1.0\n"
        f"    {draw(st.sampled_from(['@convert', '']))}\n    def other(self, x):\n        return {other} + 1.0\n"
        "    @property\n    def half(self):\n        return self.v * 0.5\n"
    )


FIELDS = st.sampled_from(["w", "v", "n", "xs", "first"])
SMALL = st.integers(-3, 3)


def changed(model: Any, field: str, k: int, array: Any) -> None:
    """Changes an object from outside."""
    if field == "first":
        model.xs[0] = array(k)
    else:
        setattr(model, field, {"n": k, "xs": [array(k), array(1)]}.get(field, array(k)))


def state(model: Any) -> Any:
    """What is in an object, in numbers."""
    return jax.tree.map(float, [model.w, model.v, model.n, model.xs])


@settings(max_examples=max(5, config.options().fuzz_programs // 25), deadline=None, derandomize=True)
@given(
    programs(),
    st.lists(st.tuples(st.integers(0, 1), FIELDS, SMALL, SMALL), min_size=2, max_size=4),
    st.booleans(),
)
def test_methods_read_and_write_their_instances_as_in_python(source: str, calls: Any, by_class: bool) -> None:
    note(source)
    names = {"dataclasses": __import__("dataclasses"), "jax": jax}
    with (
        loaded(source, convert=al.convert, **names) as ours,
        loaded(source, convert=lambda fn: fn, **names) as plain,
    ):
        traced = lambda k: jnp.float32(k)
        number = np.float32
        models = [ours["Model"](traced(1), traced(2), 1, [traced(3), traced(4)]) for _ in range(2)]
        twins = [plain["Model"](number(1), number(2), 1, [number(3), number(4)]) for _ in range(2)]
        for which, field, k, x in calls:
            model, twin = models[which], twins[which]
            changed(model, field, k, traced)
            changed(twin, field, k, number)
            got = ours["Model"].step(model, traced(x)) if by_class else model.step(traced(x))
            np.testing.assert_allclose(got, twin.step(number(x)), rtol=1e-5, atol=1e-5)
            for one, other in zip(models, twins, strict=True):
                np.testing.assert_allclose(
                    *(jax.tree.leaves(state(each)) for each in (one, other)), rtol=1e-5, atol=1e-5
                )
