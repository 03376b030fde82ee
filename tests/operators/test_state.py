"""Is what a staged statement does to Python objects what Python would do, or refused?"""

from __future__ import annotations

import collections
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import autograph_lite as al
from autograph_lite import MutationError
from tests.operators.agreement import agree


class Holder:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Routed:
    """Writes attributes where no one sees them."""

    def __init__(self):
        object.__setattr__(self, "values", {})

    def __setattr__(self, name, value):
        self.values[name] = value

    def __getattr__(self, name):
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None


def test_setattr_of_the_class_in_one_branch():
    routed = Routed()
    routed.q = 0.0

    def f(x):
        if x > 0:
            routed.q = x
        return routed.q

    assert float(jax.jit(al.to_graph(f))(jnp.float32(-3))) == 0.0
    routed.q = 0.0
    assert [float(al.convert(f)(jnp.float32(x))) for x in (3, -3)] == [3.0, 3.0]


def test_object_reachable_by_two_paths():
    def f(x):
        leaf = Holder(v=0.0)
        root = Holder(left=leaf, right=Holder(left=leaf, v=1.0))
        if x > 0:
            root.right.left.v = x
        return root.left.v + leaf.v

    agree(f, 3.0, -3.0)


def test_two_names_of_one_list():
    def f(x):
        a = [1.0, 1.0]
        b = a
        if x > 0:
            b[0] = x
        return a, b, float(a is b)

    agree(f, 3.0, -3.0)


def test_items_written_by_aliases_in_a_list_of_lists():
    def f(x):
        rows = [[0.0, 0.0]] * 2
        for i in range(2):
            if x > i:
                rows[i][0] += x
        return rows

    agree(f, 3.0, 0.5, -3.0)


def test_linked_list_is_walked_and_changed():
    def f(x):
        head = None
        for i in range(3):
            head = Holder(v=float(i), next=head)
        node, count = head, 0.0
        while node is not None:
            if x > node.v:
                node.v = x
                count += 1.0
            node = node.next
        return head.v, head.next.v, count

    agree(f, 3.0, 1.5, -3.0)


@pytest.mark.parametrize("make", [dict, collections.OrderedDict])
def test_order_of_keys_that_one_branch_changes_is_refused(make):
    def f(x):
        table = make(a=1.0, b=2.0)
        if x > 0:
            del table["a"]
            table["a"] = x
        return list(table.values())

    for run in (al.convert(f), jax.jit(al.to_graph(f))):
        with pytest.raises(MutationError, match="come in another order"):
            run(jnp.float32(-3))


def test_order_of_keys_changed_outside_of_staged_statements():
    table = collections.OrderedDict(a=1.0, b=2.0)

    @al.convert
    def f(x):
        table.move_to_end("a")
        table["b"] = x
        return x

    f(jnp.float32(5))
    assert [(key, float(value)) for key, value in table.items()] == [("b", 5.0), ("a", 1.0)]


def test_item_that_reading_a_defaultdict_makes_on_one_path_is_refused():
    table = collections.defaultdict(float)

    @al.convert
    def f(x):
        return table["k"] + x if x > 0 else 0.0 * x

    with pytest.raises(MutationError):
        f(jnp.float32(-3))
    assert dict(table) == {}


@pytest.mark.parametrize(
    "read",
    [
        lambda x, table: x > 0 and table["k"] == 0,
        lambda x, table: x < 0 or table["k"] == 0,
        lambda x, table: x > 0 and x > 1 and table["k"] == 0,
        lambda x, table: 0 < x < table["k"] + 4,
        lambda x, table: any(table["k"] == v for v in (0, 1) if x > v),
        lambda x, table: sum(table["k"] for v in (0, 1) if x > v),
        lambda x, table: [table["k"] for v in (0, 1) if x > v],
    ],
    ids=["and", "or", "second and", "comparison", "any", "sum", "list"],
)
def test_item_that_an_operand_makes_by_reading_a_defaultdict_is_refused(read):
    table = collections.defaultdict(float)

    with pytest.raises(MutationError, match="item 'k'' exists on one path of a staged statement"):
        al.convert(lambda x: read(x, table))(jnp.float32(-3))
    assert dict(table) == {}


def test_operands_that_read_an_item_of_a_defaultdict_that_is_there_are_python_s():
    def f(x):
        table = collections.defaultdict(float, k=2.0)
        return (
            x > 0 and table["k"] == 2,
            0 < x < table["k"] + 4,
            sum(table["k"] for v in (0, 1) if x > v),
            len(table),
        )

    agree(f, 3.0, -3.0)


def as_it_is(fn):
    return fn


def counting(fn):
    """A decorator of the user's."""
    calls = [0.0]

    @functools.wraps(fn)
    def run(*args):
        calls[0] += 1
        return fn(*args)

    return run


@pytest.mark.parametrize("decorator", [as_it_is, counting])
def test_user_iterator_is_advanced_once(decorator):
    class Count:
        def __init__(self):
            self.i = 0

        def __iter__(self):
            return self

        @decorator
        def __next__(self):
            if self.i >= 4:
                raise StopIteration
            self.i += 1
            return self.i

    count = Count()

    @al.convert
    def f(x):
        for v in count:
            if x > v:
                x = x - v
        return x

    assert (float(f(jnp.float32(3))), count.i) == (2.0, 4)


def test_failure_leaves_objects_as_they_were():
    holder, items, table = Holder(v=1.0), [1.0], {"a": 1.0}

    def fails(x):
        holder.v = x
        items.append(x)
        table["b"] = x
        if x > 0:
            holder.v = x * 2
            items[0] = {}["a"]
        return x

    with pytest.raises(KeyError):
        al.convert(fails)(jnp.float32(3))
    assert (vars(holder), items, table) == ({"v": 1.0}, [1.0], {"a": 1.0})


count = 0


def test_a_global_is_rebound_once_however_often_the_function_is_traced():
    def f(x):
        global count
        count += 1
        if x > 0:
            count += 10
        return count

    run = al.convert(f)
    results = []
    for function, convert in ((f, jnp.float32), (run, jnp.float32)):
        globals()["count"] = 0
        results.append([int(function(convert(v))) for v in (1, -1, 1)])
    assert results[0] == results[1] == [11, 12, 23]


def handed_over(f, xs):
    """Ways to hand `f`, which changes a variable around it, to something that calls it for each item."""
    return {
        "map": lambda: sum(map(f, xs)),
        "reduce": lambda: functools.reduce(lambda a, v: a + f(v), xs),
        "filter": lambda: sum(filter(lambda v: f(v) > 2, xs)),
        "key": lambda: max(xs, key=f),
        "sorted": lambda: sorted(xs, key=f)[0],
        "any": lambda: any(f(v) > 4 for v in xs),
    }


@pytest.mark.parametrize("way", ["map", "reduce", "filter", "key", "sorted", "any"])
def test_what_a_function_that_was_handed_over_changes_is_carried(way):
    def f(xs):
        total = 0

        def seen(v):
            nonlocal total
            total = total + v
            return v

        result = handed_over(seen, xs)[way]()
        return total, result

    xs = np.array([2, 5, 1], np.int32)
    plain, ours = f(xs), jax.jit(al.to_graph(f))(xs)
    assert [int(v) for v in plain] == [int(v) for v in ours]


def test_a_function_that_map_calls_is_not_called_after_a_break():
    def f(xs):
        total = result = 0

        def seen(v):
            nonlocal total
            total = total + v
            return v * 3

        for i, v in enumerate(map(seen, xs)):
            result += i * v
            if v > 3:
                break
        return total, result

    xs = np.array([1, 2, 5], np.int32)
    assert f(xs) == tuple(int(v) for v in jax.jit(al.to_graph(f))(xs))


def test_python_items_that_a_traced_value_may_leave_change_nothing():
    def f(x):
        total = 0

        def seen(v):
            nonlocal total
            total = total + v
            return v

        for v in map(seen, [1, 2, 3]):
            if v > x:
                break
        return total

    with pytest.raises(MutationError, match="'total' is changed by taking the items"):
        al.convert(f)(jnp.float32(2))


def test_an_iterator_with_a_name_is_not_used_up_by_a_loop_that_a_traced_value_ends():
    def f(x):
        pairs = zip([1, 2, 3], [4, 5, 6])
        for a, _ in pairs:
            if a > x:
                break
        return sum(b for _, b in pairs)

    with pytest.raises(al.IterationError, match="A traced value ends a loop over a zip"):
        al.convert(f)(jnp.float32(2))


def test_a_list_made_in_a_loop_body_that_is_traced_again():
    def f(xs):
        total = 0  # becomes a float: the body is traced twice, and makes another list
        for x in xs:
            if x > 0:
                items = [total, total, total]
                for i in range(0, 3, 1 if x > 1 else -2):
                    items[-1] = i
                    total = total + 0.5 * items[0]
                total += x
        return total

    xs = np.array([2, -5, 1], np.float32)
    np.testing.assert_allclose(jax.jit(al.to_graph(f))(xs), f(xs))


class Counter:
    def __init__(self):
        self.n = jnp.float32(0)

    @al.convert
    def add(self, x):
        if x > 0:
            self.n = self.n + x
        return x

    @al.convert
    def scanned(self, xs):
        return jax.lax.scan(lambda total, x: (total + self.add(x), x), jnp.float32(0), xs)

    @al.convert
    def mapped(self, xs):
        return jax.vmap(self.add)(xs)


@pytest.mark.parametrize(
    ("transform", "what"),
    [
        (
            lambda counter: jax.vmap(counter.add)(jnp.arange(3.0)),
            "by a converted function that is called inside",
        ),
        (lambda counter: jax.jit(counter.add)(2.0), "by a converted function that is called inside"),
        (lambda counter: jax.grad(counter.add)(2.0), "by a converted function that is called inside"),
        (lambda counter: counter.scanned(jnp.arange(3.0)), "inside a function that was handed to"),
        (lambda counter: counter.mapped(jnp.arange(3.0)), "inside a function that was handed to"),
    ],
    ids=["vmap", "jit", "grad", "scan inside", "vmap inside"],
)
def test_a_transformation_leaves_no_tracer_in_an_object(transform, what):
    counter = Counter()
    with pytest.raises(MutationError, match=rf"'self\.n' is changed {what}"):
        transform(counter)
    assert float(counter.n) == 0.0
    assert float(counter.add(jnp.float32(2))) == 2.0 == float(counter.n)


LAST = 0.0


def keeps_last(x):
    global LAST
    LAST = x
    return x


class Keeper:
    def keep(self, x):
        global LAST
        LAST = x
        return x


@jax.jit
def compiled_keeps_last(x):
    global LAST
    LAST = x
    return x


HANDED = {
    "vmap": lambda xs: jax.vmap(keeps_last)(xs),
    "scan": lambda xs: jax.lax.scan(lambda c, x: (c, keeps_last(x)), 0.0, xs)[1],
    "scan of a function": lambda xs: jax.lax.map(keeps_last, xs),
    "grad": lambda xs: jax.grad(lambda ys: keeps_last(ys).sum())(xs),
    "a method": lambda xs: jax.vmap(Keeper().keep)(xs),
    "a partial": lambda xs: jax.vmap(functools.partial(keeps_last))(xs),
    "jit": lambda xs: compiled_keeps_last(xs),
    "jit handed on": lambda xs: jax.vmap(compiled_keeps_last)(xs),
}


@pytest.mark.parametrize("fun", HANDED.values(), ids=HANDED)
def test_a_global_assigned_in_a_transformed_function_is_refused(fun):
    with pytest.raises(
        MutationError, match=r"(?s)^'LAST' is changed inside a function that was handed.*LAST = x"
    ):
        al.convert(fun)(jnp.arange(3.0))
    assert LAST == 0.0


@pytest.mark.parametrize("name", [name for name in HANDED if "jit" not in name])  # jax.jit traces once only
def test_it_is_refused_in_a_staged_statement_too(name):
    fun = HANDED[name]

    def branch(xs):
        return fun(xs) if xs[0] > 1 else xs

    def loop(xs):
        while xs[0] < 9:
            xs = xs + 1.0 + fun(xs)
        return xs

    for f in (branch, loop):
        with pytest.raises(
            MutationError, match=r"(?s)^'LAST' is changed inside a function that was handed.*LAST = x"
        ):
            al.convert(f)(jnp.arange(3.0))
    assert LAST == 0.0


def test_a_value_of_a_trace_around_is_kept():
    cell = Holder(v=0.0)

    def f(xs):
        def body(c, x):
            if x > 1:
                cell.v = xs[2]
            return c + x, cell.v

        cell.v = 0.0
        return jax.lax.scan(body, 0.0, xs)[0]

    with pytest.raises(MutationError, match=r"'cell\.v' is changed inside a function"):
        al.convert(f)(jnp.arange(3.0))

    def g(xs):
        cell.v = 0.0
        if xs[0] < 1:
            for i in range(jnp.int32(2)):
                if i > 0:
                    cell.v = xs[2]
        return cell.v

    assert float(al.convert(g)(jnp.arange(3.0))) == 2.0
    assert float(jax.vmap(al.to_graph(g))(jnp.arange(6.0).reshape(1, 6))[0]) == 2.0
    assert float(jax.jvp(al.to_graph(g), (jnp.arange(3.0),), (jnp.ones(3),))[1]) == 1.0


def test_variables_assigned_by_a_function_that_a_library_calls_in_a_branch():
    def f(x):
        global LAST
        LAST, total = 0.0, 0.0

        def add(a, b):
            nonlocal total
            global LAST
            total, LAST = total + a, b
            return a + b

        if x > 0:
            x = functools.reduce(add, [x, 2.0, 3.0])
        return x, total, LAST

    agree(f, 2.0, -1.0)
    f(0.0)


LOG = [1, 2]


def test_a_container_from_outside_is_returned_as_it_is_in_the_end():
    @al.convert
    def f(n):
        LOG[0] = n
        if n > 1:
            LOG[1] += n
        return LOG, {"log": [LOG]}

    for n in (0, 3):
        LOG[:] = [1, 2]
        result = f(jnp.int32(n))
        assert result == (LOG, {"log": [LOG]}) == ([n, 2 + n], {"log": [[n, 2 + n]]})


def test_a_global_is_put_back_where_the_function_fails():
    @al.convert
    def f(x):
        global LAST
        del LAST
        LAST = x
        return jnp.zeros(3) + jnp.zeros(4)

    with pytest.raises(TypeError):
        f(jnp.float32(2))
    assert LAST == 0.0
