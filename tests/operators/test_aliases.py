"""Two names for one list: what staging can't keep apart is refused when it is written to, and fine when it is read."""

import jax
import jax.numpy as jnp
import pytest

import autograph_lite
from autograph_lite import convert

from .agreement import agree


def test_a_list_that_every_path_makes_may_be_written_to():
    def f(x):
        if x > 0:
            y = [x, 2]
        else:
            y = [3, x]
        y[0] = 7
        return y

    assert list(map(int, jax.jit(autograph_lite.to_graph(f))(3))) == f(3)


def test_a_list_that_may_be_one_of_two_can_be_read():
    def f(x):
        xs, ys = [1.0, 2.0], [3.0, 4.0]
        a = xs if x > 0 else ys
        return a[0] + a[1]

    assert float(jax.jit(autograph_lite.to_graph(f))(3.0)) == f(3.0)


def test_a_write_to_a_list_that_may_be_one_of_two_is_refused():
    def f(x):
        xs, ys = [1.0, 2.0], [3.0, 4.0]
        a = xs if x > 0 else ys
        a[0] = x
        return xs, ys

    with pytest.raises(autograph_lite.MutationError, match="one object on one path"):
        jax.jit(autograph_lite.to_graph(f))(3.0)


def lengthened(x):
    xs, ys = [1.0], [3.0]
    a = xs if x > 0 else ys
    a += [x]
    return len(xs) * a[-1]


def repeated(x):
    xs, ys = [1.0], [3.0]
    a = xs if x > 0 else ys
    a *= 2
    return len(xs) + x


def updated(x):
    first, second = {"k": 1.0}, {"k": 3.0}
    a = first if x > 0 else second
    a |= {"k": x}
    return first["k"] + a["k"]


def original_lengthened(x):
    xs, ys = [1.0], [3.0]
    a = xs if x > 0 else ys
    xs += [x]
    return len(a) + len(xs) + x


@pytest.mark.parametrize("f", [lengthened, repeated, updated, original_lengthened], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "run",
    [jax.jit, convert, lambda f: jax.jit(jax.grad(f)), lambda f: jax.jit(lambda x: f(x) + 1)],
    ids=["jit", "convert", "grad", "inside"],
)
def test_an_augmented_list_that_may_be_one_of_two_is_refused(f, run):
    with pytest.raises(autograph_lite.MutationError, match="one object on one path"):
        run(f if run is convert else autograph_lite.to_graph(f))(jnp.float32(3))


def test_a_program_that_was_refused_is_forgotten_while_its_error_is_kept():
    with pytest.raises(autograph_lite.MutationError, match="one object on one path") as kept:
        jax.jit(autograph_lite.to_graph(lengthened))(jnp.float32(3))
    assert jax.jit(autograph_lite.to_graph(lambda x: x + 1))(jnp.float32(3)) == 4
    assert kept.value is not None


def test_an_augmented_list_that_nothing_reads_is_refused_in_lanes():
    with pytest.raises(autograph_lite.MutationError, match="one object on one path"):
        jax.vmap(autograph_lite.to_graph(repeated))(jnp.ones(2))


def test_a_list_that_every_path_makes_may_be_augmented():
    def f(x):
        a = [x, 1.0] if x > 0 else [2.0, x]
        a += [x]
        return sum(a)

    assert float(jax.jit(autograph_lite.to_graph(f))(3.0)) == f(3.0)


def test_a_write_to_a_second_name_of_a_replaced_list_is_refused():
    def f(x):
        first = [1.0]
        second = first
        if x > 0:
            second = [x]
        second[0] = 9.0
        return first[0]

    with pytest.raises(autograph_lite.MutationError, match="one object on one path"):
        autograph_lite.convert(f)(jnp.float32(-3))


def test_a_list_in_a_tuple_that_no_path_replaces_stays_the_list():
    def f(x):
        items = [1.0, 2.0]
        pair = (items, 3.0)
        if x > 0:
            y = x
        else:
            y = -x
        pair[0][1] = y
        return items[1]

    assert float(autograph_lite.convert(f)(jnp.float32(-4))) == f(-4.0)


def test_a_list_replaced_in_each_iteration_can_be_read_after_the_loop():
    def f(x):
        pair = [x, 1.0]
        n = 0
        while n < x:
            pair = [v * 2 for v in pair]
            n += 1
        return pair

    assert list(map(float, jax.jit(autograph_lite.to_graph(f))(3.0))) == f(3.0)


def written_unless_it_raises(x):
    items = [x, x + 1, 2.0]
    if x > 5:
        raise RuntimeError("too large")
    else:
        items[0] = x * 2
    items[1] = 7.0
    if x > 2:
        items[1] = 4.0
    return items


def written_in_a_loop_unless_it_raises(x):
    items = [x, x + 1, 2.0]
    for k in range(int(x) + 1):
        if x > 5:
            raise RuntimeError("too large")
        else:
            items[0] = k * 1.0
    items[1] = 7.0
    return items


@pytest.mark.parametrize("f", [written_unless_it_raises, written_in_a_loop_unless_it_raises])
def test_a_list_stays_the_one_that_it_was_where_all_other_paths_raise(f) -> None:
    agree(f, 1.0, 2.0, 4.0)
    with pytest.raises(RuntimeError, match="^too large$"):
        convert(f)(jnp.float32(6))


def written_before_an_early_return(n):
    out = [0, 0]
    for i in range(3):
        out[0] += n
        if n == i:
            return out, i
    return out, -1


def made_longer_before_an_early_return(n):
    out = []
    for i in range(3):
        if n > i:
            out.append(i)
        if n == i + 1:
            return out, i
    return out, -1


@pytest.mark.parametrize("f", [written_before_an_early_return, made_longer_before_an_early_return])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_list_that_was_written_to_before_paths_return_it_in_different_tuples(f, n):
    assert jax.tree.map(int, autograph_lite.convert(f)(jnp.int32(n))) == f(n)


def test_a_write_after_paths_have_put_a_list_into_different_tuples_is_refused():
    def f(n):
        out = [0]
        out[0] = n
        pair = (out, 1) if n > 2 else (out, -1)
        out[0] = 7
        return pair

    with pytest.raises(autograph_lite.MutationError, match="one object on one path of a staged statement"):
        autograph_lite.convert(f)(jnp.int32(3))


class Chooser:
    def __init__(self):
        self.left, self.right, self.chosen = [1.0, 2.0], [3.0, 4.0], None
        self.params, self.best = {"w": 1.0, "deep": [2.0]}, {"w": 0.0, "deep": [0.0]}

    def choose(self, x):
        self.chosen = self.left if x > 0 else self.right

    def choose_deeply(self, x):
        if x > 0:
            if x > 1:
                chosen = self.left
            else:
                chosen = self.right
        else:
            chosen = [5.0, 6.0]
        self.chosen = chosen

    def choose_in_a_loop(self, x):
        chosen = self.left
        for _ in range(jnp.int32(x)):
            chosen = [chosen[0], chosen[1] + 1]
        self.chosen = chosen

    def keep_the_best(self, x):
        self.best = self.params if x > 0 else self.best
        self.params = {"w": self.params["w"] * 2, "deep": [self.params["deep"][0] + x]}

    def copy_the_best(self, x):
        self.best = dict(self.params if x > 0 else self.best, deep=[x])

    def update(self, x):
        new = {"w": self.params["w"] + x, "deep": [x]}
        self.params = new if x > 0 else self.params

    def look(self, x):
        chosen = self.left if x > 0 else self.right
        return chosen[0] * x


@pytest.mark.parametrize("method", [Chooser.choose, Chooser.choose_deeply, Chooser.choose_in_a_loop])
def test_a_copy_is_not_kept_beside_what_it_stands_for(method) -> None:
    chooser = Chooser()
    with pytest.raises(autograph_lite.MutationError, match="is kept beside one of these") as caught:
        convert(method)(chooser, jnp.float32(1))
    assert "in choose" in str(caught.value)
    assert (chooser.left, chooser.right, chooser.chosen) == ([1, 2], [3, 4], None)


@pytest.mark.parametrize(
    "method", [Chooser.keep_the_best, Chooser.copy_the_best, Chooser.update, Chooser.look]
)
def test_a_copy_is_kept_where_nothing_else_is_it(method) -> None:
    run, ours, python = convert(method), Chooser(), Chooser()
    for x in (2.0, -1.0, 3.0):
        assert jax.tree.all(jax.tree.map(jnp.allclose, run(ours, jnp.float32(x)), method(python, x)))
        assert jax.tree.all(jax.tree.map(jnp.allclose, vars(ours), vars(python)))


def test_a_list_of_nested_branches_is_not_written_to() -> None:
    def f(x, left, right):
        if x > 0:
            if x > 1:
                chosen = left
            else:
                chosen = right
        else:
            chosen = [0.0, 0.0]
        chosen[0] = 9.0
        return left, right

    with pytest.raises(autograph_lite.MutationError, match="written to that is one object on one path"):
        convert(lambda x: f(x, [1.0, 2.0], [3.0, 4.0]))(jnp.float32(1))


class Rows:
    def __init__(self, a, b=None):
        self.a, self.b = a, b


def replaced_under_a_name(x):
    first = [0.0, 5.0]
    rows = Rows(first)
    if x > 0:
        rows.a = [x, x]
    first[0] = 9.0
    return rows.a


def replaced_under_a_name_in_a_loop(x):
    first = [0.0, 5.0]
    rows = Rows(first)
    while x > 0:
        rows.a = [x, x]
        x = x - 1
    first[0] = 9.0
    return rows.a


def replaced_by_one_list_in_two_places(x):
    first = [0.0, 5.0]
    rows = Rows(first, first)
    if x > 0:
        rows.a = [x, x]
        rows.b = rows.a
    rows.a[0] = 4.0
    return rows.b


def made_under_two_names(x):
    if x > 0:
        first = [x, x]
        second = first
    else:
        first = [1.0, 1.0]
        second = first
    first[0] = 9.0
    return second


@pytest.mark.parametrize(
    "f",
    [
        replaced_under_a_name,
        replaced_under_a_name_in_a_loop,
        replaced_by_one_list_in_two_places,
        made_under_two_names,
    ],
)
def test_a_list_that_somebody_else_holds_is_not_written_to(f):
    for run in (convert(f), jax.jit(autograph_lite.to_graph(f))):
        with pytest.raises(autograph_lite.MutationError, match="one object on one path"):
            run(jnp.float32(-2))


def test_lists_that_nobody_else_holds_are_written_to():
    def f(x):
        rows = Rows([1.0, 2.0], [1.0, 3.0])
        if x > 0:
            rows.a = [x, x]
            rows.b = [x, 2.0]
            first, second = [x, 1.0], [2.0, x]
        else:
            first, second = [1.0, 1.0], [x, 2.0]
        rows.a[0] = 9.0
        rows.b[1] += 1
        first[0] = 7.0
        second[1] += 1
        return rows.a, rows.b, first, second

    agree(f, 3.0, -2.0)
