"""Do programs with the objects of Optax, Equinox and Flax give what they give without conversion, in one trace?"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from autograph_lite import Module, MutatedArgumentError, PythonOnlyError, Variable, convert, to_graph

optax = pytest.importorskip("optax")
X = jnp.linspace(-1, 1, 12).reshape(6, 2)
Y = X @ jnp.array([1.0, -2.0]) + 0.5


def close(one, other):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6), one, other)


def loss(params, x, y):
    return ((x @ params["w"] + params["b"] - y) ** 2).mean()


def start():
    return {"w": jnp.zeros(2), "b": jnp.zeros(())}


def trained(optimizer, steps=5):
    """What plain JAX gives."""
    params = start()
    state = optimizer.init(params)
    for _ in range(steps):
        updates, state = optimizer.update(jax.grad(loss)(params, X, Y), state, params)
        params = optax.apply_updates(params, updates)
    return params


OPTIMIZERS = {
    "adam": lambda: optax.adam(0.1),
    "momentum": lambda: optax.sgd(0.1, momentum=0.9),
    "chain": lambda: optax.chain(
        optax.clip_by_global_norm(0.5), optax.adamw(optax.cosine_decay_schedule(0.1, 10))
    ),
    "accumulating": lambda: optax.MultiSteps(optax.adam(0.1), 2),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_state_is_an_argument(name):
    optimizer = OPTIMIZERS[name]()

    @convert
    def step(params, state, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        if value > 1e-9:
            updates, state = optimizer.update(grads, state, params)
            params = optax.apply_updates(params, updates)
        return params, state

    params, state = start(), optimizer.init(start())
    for _ in range(5):
        params, state = step(params, state, X, Y)
    close(params, trained(optimizer))
    assert step.trace_count == 1


def test_a_whole_training_is_one_loop():
    optimizer = optax.adam(0.1)

    @convert
    def train(params, steps):
        state = optimizer.init(params)
        for _ in range(steps):
            updates, state = optimizer.update(jax.grad(loss)(params, X, Y), state, params)
            params = optax.apply_updates(params, updates)
        return params

    close(train(start(), jnp.int32(5)), trained(optimizer))
    close(train(start(), jnp.int32(2)), trained(optimizer, 2))
    assert train.trace_count == 1


def test_an_optimizer_is_an_argument():
    adam, sgd = optax.adam(0.1), optax.sgd(0.1)

    @convert
    def step(optimizer, params, state):
        updates, state = optimizer.update(jax.grad(loss)(params, X, Y), state, params)
        return optax.apply_updates(params, updates), state

    for optimizer in (adam, sgd, adam):
        params, state = start(), optimizer.init(start())
        for _ in range(3):
            params, state = step(optimizer, params, state)
        close(params, trained(optimizer, 3))
    assert step.trace_count == 2


class Linear(Module):
    """Parameters and the state of their optimizer, all in Variables."""

    def __init__(self, optimizer):
        self.w, self.b = Variable(jnp.zeros(2)), Variable(0.0)
        self.optimizer = optimizer
        self.state = jax.tree.map(Variable, optimizer.init(self.params()))

    def params(self):
        return {"w": self.w.value, "b": self.b.value}

    @convert
    def step(self, x, y):
        params = self.params()
        state = jax.tree.map(lambda v: v.value, self.state, is_leaf=lambda v: isinstance(v, Variable))
        updates, state = self.optimizer.update(jax.grad(loss)(params, x, y), state, params)
        params = optax.apply_updates(params, updates)
        self.w.assign(params["w"])
        self.b.assign(params["b"])
        old = jax.tree.leaves(self.state, is_leaf=lambda v: isinstance(v, Variable))
        for variable, value in zip(old, jax.tree.leaves(state)):
            variable.assign(value)
        return loss(params, x, y)


@pytest.mark.parametrize("name", ["adam", "momentum"])
def test_an_optimizer_state_is_in_variables(name):
    model = Linear(OPTIMIZERS[name]())
    for _ in range(5):
        last = model.step(X, Y)
    close(model.params(), trained(OPTIMIZERS[name]()))
    close(last, loss(trained(OPTIMIZERS[name]()), X, Y))
    assert model.step.trace_count == 1


def test_an_equinox_module_is_an_argument():
    eqx = pytest.importorskip("equinox")
    model = eqx.nn.MLP(2, 1, 8, 2, key=jax.random.key(0))

    @convert
    def forward(model, x):
        out = jax.vmap(model)(x)
        if out.sum() > 100:
            out = out * 0
        return out

    for scale in (1.0, 2.0, 3.0):
        scaled = jax.tree.map(lambda a: a * scale if eqx.is_array(a) else a, model)
        close(forward(scaled, X), jax.vmap(scaled)(X))
    assert forward.trace_count == 1


def test_an_equinox_module_is_trained():
    eqx = pytest.importorskip("equinox")
    model = eqx.nn.MLP(2, 1, 8, 2, key=jax.random.key(0))
    optimizer = optax.adam(0.01)

    def cost(model):
        return ((jax.vmap(model)(X)[:, 0] - Y) ** 2).mean()

    def update(model, state):
        grads = eqx.filter_grad(cost)(model)
        updates, state = optimizer.update(grads, state)
        return eqx.apply_updates(model, updates), state

    converted = convert(update)
    ours = theirs = model, optimizer.init(eqx.filter(model, eqx.is_array))
    for _ in range(3):
        ours, theirs = converted(*ours), update(*theirs)
    close(eqx.filter(ours[0], eqx.is_array), eqx.filter(theirs[0], eqx.is_array))
    assert converted.trace_count == 1


def bent(x):
    if x.sum() > 0:
        return x
    return -2 * x


@pytest.mark.parametrize("transform", ["called", "vmap", "vmap of a method", "inside a module of the user's"])
def test_functions_that_equinox_modules_hold_are_converted(transform):
    eqx = pytest.importorskip("equinox")
    linear = eqx.nn.Linear(2, 2, key=jax.random.key(0))
    model = eqx.nn.Sequential([eqx.nn.Lambda(bent), linear, eqx.nn.Lambda(bent)])

    class Outer(eqx.Module):
        inner: eqx.nn.Sequential

        def __call__(self, x):
            return self.inner(x)

    run = {
        "called": lambda model, x: model(x),
        "vmap": lambda model, x: jax.vmap(model)(x[None])[0],
        "vmap of a method": lambda model, x: jax.vmap(model.__call__)(x[None])[0],
        "inside a module of the user's": lambda model, x: Outer(model)(x),
    }[transform]
    converted = convert(lambda model, x: (model, run(model, x)))
    for x in (X[0], X[-1], X[0]):
        same, out = converted(model, x)
        close(out, model(x))
        assert same[0].fn is bent
    assert model[0].fn is bent
    assert converted.trace_count == 1


def test_a_function_that_flax_holds_is_named():
    nn = pytest.importorskip("flax.linen")

    def run(model, key, x):
        return model.init_with_output(key, x)[0]

    with pytest.raises(PythonOnlyError) as caught:
        convert(run)(nn.Sequential([nn.Dense(2), bent]), jax.random.key(0), X[0])
    assert (
        caught.value.why == "A library calls 'bent' out of an object of its own, so that it runs unconverted."
    )
    assert caught.value.fix == "give the library autograph_lite.to_graph(bent) in place of it."
    mended = nn.Sequential([nn.Dense(2), to_graph(bent)])
    close(
        convert(run)(mended, jax.random.key(0), X[0]),
        run(nn.Sequential([nn.Dense(2), bent]), jax.random.key(0), X[0]),
    )


def test_an_equinox_module_is_a_closure_and_has_converted_methods():
    eqx = pytest.importorskip("equinox")

    class Gate(eqx.Module):
        scale: jax.Array
        kind: str = eqx.field(static=True)

        @convert
        def __call__(self, x):
            if x.sum() > 0:
                return x * self.scale
            return x

        @convert
        def named(self, x):
            return x if self.kind == "same" else self(x)

    gate = Gate(jnp.float32(3), "other")
    close(gate(jnp.ones(2)), [3, 3])
    close(gate(-jnp.ones(2)), [-1, -1])
    close(gate.named(jnp.ones(2)), [3, 3])
    close(Gate(jnp.float32(3), "same").named(jnp.ones(2)), [1, 1])
    around = convert(lambda x: gate(x) + 1)
    close(around(jnp.ones(2)), [4, 4])
    close(jax.grad(lambda gate: gate(jnp.ones(2)).sum())(gate).scale, 2)


def test_equinox_transformations_take_one():
    eqx = pytest.importorskip("equinox")
    f = convert(lambda x: x * x if x > 0 else -x)
    close(eqx.filter_jit(f)(jnp.float32(3)), 9)
    close(eqx.filter_grad(f)(jnp.float32(3)), 6)
    close(eqx.filter_vmap(f)(jnp.array([3.0, -3.0])), [9, 3])


def test_a_flax_module_is_an_argument():
    nnx = pytest.importorskip("flax.nnx")
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))

    @convert
    def forward(model, x):
        out = model(x)
        if out.sum() > 100:
            out = out * 0
        return out

    close(forward(model, X), model(X))
    close(forward(model, 2 * X), model(2 * X))
    assert forward.trace_count == 1


def test_a_flax_module_whose_parameters_change_gives_the_new_answer():
    nnx = pytest.importorskip("flax.nnx")
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    as_argument = convert(lambda model, x: model(x))
    as_split = convert(lambda graph, state, x: nnx.merge(graph, state)(x))
    for _ in range(3):
        model.kernel.set_value(model.kernel.get_value() + 1)
        close(as_argument(model, X), model(X))
        close(as_split(*nnx.split(model), X), model(X))
    assert as_split.trace_count == 1


def test_a_flax_module_is_trained_in_a_split_form():
    nnx = pytest.importorskip("flax.nnx")
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    optimizer = optax.adam(0.1)
    graph, params = nnx.split(model, nnx.Param)

    def cost(params):
        return ((nnx.merge(graph, params)(X)[:, 0] - Y) ** 2).mean()

    def step(params, state):
        updates, state = optimizer.update(jax.grad(cost)(params), state)
        return optax.apply_updates(params, updates), state

    converted = convert(step)
    ours = theirs = params, optimizer.init(params)
    for _ in range(3):
        ours, theirs = converted(*ours), step(*theirs)
    close(ours[0], theirs[0])
    assert converted.trace_count == 1


def test_a_linen_module_applies_its_parameters():
    linen = pytest.importorskip("flax.linen")
    model = linen.Dense(3)
    params = model.init(jax.random.key(0), X)

    @convert
    def forward(params, x):
        if x.sum() > 100:
            x = x * 0
        return model.apply(params, x)

    close(forward(params, X), model.apply(params, X))
    assert forward.trace_count == 1


def _trainer():
    nnx = pytest.importorskip("flax.nnx")
    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))

    def step(model, optimizer):
        optimizer.update(model, nnx.grad(lambda model: ((model(X)[:, 0] - Y) ** 2).mean())(model))

    return nnx, step, model, nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param)


def test_a_flax_module_that_a_call_changes_inside_of_flax_own_jit_is_refused():
    nnx, step, model, optimizer = _trainer()
    with pytest.raises(
        MutatedArgumentError, match=r"was passed as an argument(.|\n)*nnx\.jit\(to_graph\(f\)\)"
    ):
        nnx.jit(convert(step))(model, optimizer)


def test_a_flax_module_and_its_optimizer_that_a_call_changes_are_trained_in_place():
    nnx, step, *ours = _trainer()
    _, _, *theirs = _trainer()
    converted = convert(step)
    for _ in range(3):
        converted(*ours)
        nnx.jit(step)(*theirs)
    close(nnx.state(tuple(ours)), nnx.state(tuple(theirs)))
    assert converted.trace_count == 1


def test_a_converted_method_of_a_flax_module_sees_what_it_was_trained_to():
    nnx = pytest.importorskip("flax.nnx")

    class Model(nnx.Module):
        def __init__(self):
            self.linear, self.calls = nnx.Linear(2, 1, rngs=nnx.Rngs(0)), nnx.Variable(jnp.int32(0))
            self.norm, self.dropout = nnx.BatchNorm(1, rngs=nnx.Rngs(0)), nnx.Dropout(0.5, rngs=nnx.Rngs(1))

        def plain(self, x):
            self.calls[...] += 1
            y = self.dropout(self.norm(self.linear(x)))
            return y * 2 if y.sum() > 0 else y

        __call__ = convert(plain)

    ours, theirs = Model(), Model()
    optimizers = [nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param) for model in (ours, theirs)]
    step = nnx.jit(lambda m, o: o.update(m, nnx.grad(lambda m: ((m.linear(X)[:, 0] - Y) ** 2).mean())(m)))
    for _ in range(3):
        close(ours(X), theirs.plain(X))
        step(ours, optimizers[0])
        step(theirs, optimizers[1])
    close(*(nnx.state(model, (nnx.Param, nnx.BatchStat, nnx.RngCount)) for model in (ours, theirs)))
    assert (ours.calls[...], Model.__call__.trace_count) == (3, 1)


@pytest.mark.parametrize("kind", ["List", "Dict", "Sequential"])
def test_what_is_counted_in_the_parts_of_a_flax_module_stays_in_them(kind):
    nnx = pytest.importorskip("flax.nnx")

    class Counting(nnx.Module):
        def __init__(self, scale):
            self.scale, self.total = nnx.Param(jnp.float32(scale)), nnx.Variable(jnp.float32(0))

        def __call__(self, x):
            self.total[...] += x.sum()
            return x * self.scale

    class Net(nnx.Module):
        def __init__(self):
            parts = [Counting(k) for k in (2, 3, 4)]
            made = nnx.Dict(a=parts[0], b=parts[1], c=parts[2]) if kind == "Dict" else None
            self.parts = (
                made if made is not None else nnx.List(parts) if kind == "List" else nnx.Sequential(*parts)
            )

        def __call__(self, x):
            if kind == "Sequential":
                return self.parts(x)
            for part in self.parts.values() if kind == "Dict" else self.parts:
                x = part(x)
            return x

    ours, theirs = Net(), Net()
    step = convert(lambda net, x: net(x))
    for _ in range(2):
        close(step(ours, X + 1), theirs(X + 1))
    close(nnx.state(ours, (nnx.Param, nnx.Variable)), nnx.state(theirs, (nnx.Param, nnx.Variable)))


def test_equinox_modules_of_one_structure_share_the_trace_of_a_method():
    eqx = pytest.importorskip("equinox")

    class Model(eqx.Module):
        w: jax.Array
        n: int = eqx.field(static=True)

        @convert
        def __call__(self, x):
            return x * self.w * self.n if x.sum() > 0 else x

    for k in range(1, 4):
        assert Model(jnp.float32(k), 2)(jnp.ones(2)).tolist() == [2 * k, 2 * k]
    assert Model.__call__.trace_count == 1
    assert Model(jnp.float32(1), 3)(jnp.ones(2)).tolist() == [3, 3]
    assert Model.__call__.trace_count == 2
    gradient = eqx.filter_grad(lambda model: model(jnp.ones(2)).sum())(Model(jnp.float32(1), 2))
    assert gradient.w == 4


def test_a_flax_module_is_trained_in_place_where_flax_compiles():
    nnx = pytest.importorskip("flax.nnx")
    ours, theirs = (nnx.Linear(2, 1, rngs=nnx.Rngs(0)) for _ in range(2))

    def step(model, optimizer):
        value, grads = nnx.value_and_grad(lambda model: ((model(X)[:, 0] - Y) ** 2).mean())(model)
        if value > 1e-9:
            value = value + 1
        optimizer.update(model, grads)
        return value

    compiled = nnx.jit(to_graph(step))
    states = [nnx.Optimizer(model, optax.adam(0.1), wrt=nnx.Param) for model in (ours, theirs)]
    for _ in range(3):
        close(compiled(ours, states[0]), step(theirs, states[1]))
    close(nnx.state(ours), nnx.state(theirs))
