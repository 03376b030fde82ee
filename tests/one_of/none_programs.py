"""None beside an array: a search that has found nothing yet, an option that was not given, a result that may be missing."""

from __future__ import annotations

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np

from tests.one_of.agreement import program

XS = np.array([3.0, -1.0, 2.0], np.float32)
NONE = np.array([-1.0, -2.0], np.float32)


@program((XS,), (NONE,))
def smallest_positive(xs):
    best = None
    for x in xs:
        if x > 0 and (best is None or x < best):
            best = x
    return best


@program((XS,), (NONE,))
def smallest_positive_by_min(xs):
    best = None
    for x in xs:
        if x > 0:
            if best is None:
                best = x
            else:
                best = min(best, x)
    if best is None:
        return -1.0
    return best * 2


@program((XS,), (NONE,))
def arithmetic_on_nothing(xs):
    best = None
    for x in xs:
        if x > 0 and (best is None or x < best):
            best = x
    return best + 1


@program((XS,), (NONE,))
def smallest_and_its_place(xs):
    best, where = None, None
    for i in range(len(xs)):
        if xs[i] > 0 and (best is None or xs[i] < best):
            best, where = xs[i], i
    return best, where


@program((XS, 2.0), (XS, 5.0))
def find(xs, wanted):
    for i in range(len(xs)):
        if xs[i] == wanted:
            return i
    return None


@program((XS, 2.0), (XS, 5.0))
def find_without_a_last_return(xs, wanted):
    for x in xs:
        if x == wanted:
            return x * 10


@program((XS, 2.0), (XS, 5.0))
def found_elsewhere_used_here(xs, wanted):
    place = find(xs, wanted)
    if place is None:
        return -1
    return place + 1


@program((6,), (1,), (0,))
def best_in_a_while_loop(n):
    best, k = None, 0
    while k < n:
        value = (k * 7) % 5
        if best is not None and value <= best:
            k += 2
            continue
        best = value
        k += 1
    return best, k


@program((5, 3), (3, 0), (0, 0))
def best_in_nested_loops(n, m):
    best = None
    for i in range(n):
        for j in range(m):
            value = (i * 3 + j * 5) % 7
            if best is None or value > best:
                best = value
    return best


@program((5,), (2,), (0,))
def reset_to_none(n):
    last, longest = None, 0
    for i in range(n):
        if i % 3 == 2:
            last = None
        elif last is None:
            last = i
        else:
            longest = max(longest, i - last)
    return last, longest


@program((4,), (0,))
def previous_pair(n):
    previous, total = None, 0
    for i in range(n):
        node = (i, i * 2)
        if previous is not None:
            total += previous[1]
        previous = node
    return total, previous


@program((1.0,), (-1.0,))
def default_of_a_parameter(x):
    def scaled(a, scale=None):
        if scale is None:
            scale = 2.0
        return a * scale

    return scaled(x, None if x < 0 else x + 3)


@program((1.0,), (-1.0,))
def tuple_or_none(x):
    pair = (x, x + 1) if x > 0 else None
    if pair is None:
        return 0.0
    a, b = pair
    return a + b


@program((1.0,), (-1.0,))
def tuple_whose_items_are_none(x):
    value, message = (x, None) if x > 0 else (None, -x)
    return value if message is None else message * 3, value is None


@program((1.0,), (-1.0,))
def guarded_by_raise(x):
    v = x + 1 if x > 0 else None
    if v is None:
        raise ValueError("no v")
    return v * 2


@program((1.0,), (-1.0,))
def guarded_by_assert(x):
    v = x if x > 0 else None
    assert v is not None, "v must be set"
    return v * 2


@program((1.0, 2.0), (-1.0, 2.0), (1.0, -2.0), (-1.0, -2.0))
def two_that_may_be_none(x, y):
    a = x if x > 0 else None
    b = y if y > 0 else None
    if a is not None and b is not None:
        return a + b
    if a is None and b is None:
        return -1.0
    return a if a is not None else b


@program((1.0, 2.0), (-1.0, 2.0), (1.0, -2.0), (-1.0, -2.0))
def arithmetic_of_two(x, y):
    a = x if x > 0 else None
    b = y if y > 0 else None
    return a - b


@program((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))
def saved_tests(x, y):
    v = None if x < 0 else x
    w = None if y < 0 else y
    t = v is None
    u = w is None
    if t and u:
        r = -1.0
    elif t or u:
        r = 0.5 if t else 0.25
    else:
        r = v + w
    return r, (not t) and not u, (v is None) == (w is None), v != None, None == w  # noqa: E711


@program((1.0, 0), (-1.0, 0), (1.0, 2), (-1.0, 2))
def learned_in_a_loop(x, n):
    best = None if x < 0 else x
    s = 0.0
    for i in range(n):
        s += best + 1
    return s, best is None


@program((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))
def learned_in_a_branch(x, y):
    best = None if x < 0 else x
    s = 0.0
    if y > 0:
        s = best + 1
    return s, best is None


@program((1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))
def rebound_in_a_branch(x, y):
    v = None if x < 0 else x
    if v is not None:
        if y > 0:
            v = None
        r = v is None
    else:
        r = False
    return r, v is None


@program((3,), (0,), (5,))
def rising_or_falling(n):
    previous, best, trend = None, None, 0
    for i in range(n):
        v = (i * 3) % 5
        if previous is not None and v > previous:
            trend = 1
            if best is None or v - previous > best:
                best = v - previous
        elif previous is not None:
            trend = -1
        previous = v
    return previous, best, trend


@program((5,), (1,))
def condition_of_a_while(n):
    node = n if n > 2 else None
    c = 0
    while node is None or node > 0:
        if node is None:
            node = 3
        else:
            node = node - 1
        c += 1
    return node, c


@program((1.0,), (-1.0,))
def in_functions_inside(x):
    v = x if x > 0 else None

    def use():
        return v + 1 if v is not None else 0.0

    def use2(w, d=None):
        d = w if d is None else d
        return 0.0 if d is None else d

    return use(), use2(v), use2(1.0, v)


@program((1.0,), (-1.0,))
def what_it_is(x):
    v = x if x > 0 else None
    return (
        isinstance(v, type(None)),
        type(v) is type(None),
        hasattr(v, "real"),
        callable(v),
        v in (None, 3.0),
        bool(v),
    )


@program((2.0,), (-2.0,), (0.0,))
def truth_of_it(x):
    v = None if x < 0 else x
    return (1 if v else 2), not v, v or 7.0


@program((2.0,), (-2.0,))
def item_of_nothing(x):
    v = None if x < 0 else jnp.stack([x, x * 2]) if isinstance(x, jax.Array) else np.stack([x, x * 2])
    return v[1]


@program((2.0,), (-2.0,))
def attribute_of_nothing(x):
    v = None if x < 0 else x
    return v.shape == ()


@program((2.0,), (-2.0,))
def library_of_nothing(x):
    v = None if x < 0 else x
    return 0.0 if v is None else np.sqrt(v) + math.exp(v)


@dataclasses.dataclass
class Filter:
    """As filters of libraries are: no measurement yet."""

    x: float
    p: float
    z: float | None = None
    missed: int = 0

    def update(self, z):
        if z is None:
            self.z = None
            self.missed += 1
            return
        gain = self.p / (self.p + 0.5)
        self.x = self.x + gain * (z - self.x)
        self.p = (1 - gain) * self.p
        self.z = z


@program((XS,), (NONE,))
def filtered(zs):
    state = Filter(0.0, 1.0)
    for z in zs:
        state.p = state.p + 0.1
        state.update(None if z < 0 else z)
    return state.x, state.p, state.z, state.missed


class CartPole:
    """As Gymnasium's."""

    def __init__(self):
        self.x = 0.0
        self.v = 0.0
        self.steps_beyond_terminated = None
        self.warned = 0

    def step(self, action):
        self.v = self.v + (0.7 if action == 1 else -0.7)
        self.x = self.x + self.v
        terminated = self.x > 2 or self.x < -2
        if not terminated:
            reward = 1.0
        elif self.steps_beyond_terminated is None:
            self.steps_beyond_terminated = 0
            reward = 1.0
        else:
            if self.steps_beyond_terminated == 0:
                self.warned = self.warned + 1
            self.steps_beyond_terminated += 1
            reward = 0.0
        return self.x, reward, terminated


@program((np.array([1, 1, 1, 1, 1, 0]),), (np.array([0, 1]),))
def cart_pole(actions):
    env = CartPole()
    total = 0.0
    for a in actions:
        _, reward, _ = env.step(a)
        total += reward
    return total, env.steps_beyond_terminated, env.warned


@program((XS,), (NONE,))
def in_a_dict_and_a_list(xs):
    state = {"best": None, "seen": [None, 0]}
    for x in xs:
        if x > 0 and (state["best"] is None or x > state["best"]):
            state["best"] = x
            state["seen"][0] = x
        state["seen"][1] += 1
    return state


@program((1.0,), (-1.0,))
def list_or_none_that_is_written(x):
    found = None
    if x > 0:
        found = [x, x]
    if found is not None:
        found[0] = found[1] + 5
        return found[0]
    return 0.0


@program((1.0,), (-1.0,))
def array_or_none_that_is_written(x):
    buffer = None
    if x > 0:
        buffer = np.zeros(3, np.float32)
    if buffer is not None:
        buffer[1] = x
        return buffer.sum()
    return 7.0


@program((1.0,), (-1.0,))
def seen_by_finally(x):
    log = [0]
    v = x if x > 0 else None
    try:
        log[0] = 1 if v is None else 2
    finally:
        log[0] += 10 if v is None else 20
    return log[0]


@program((1.0,), (-1.0,))
def matched_none(x):
    v = x if x > 0 else None
    match v:
        case None:
            return -5.0
        case y:
            return y


@program((1.0,), (-1.0,))
def matched_none_in_a_tuple(x):
    pair = (x, "ok") if x > 0 else (None, "none")
    match pair:
        case (None, text):
            return 0.0, text
        case (y, text):
            return y, text


@program((1.0,), (-1.0,))
def leaves_of_a_tree(x):
    state = {"best": x if x > 0 else None, "k": 2.0}
    return jax.tree.map(lambda leaf: leaf * 2, state)


@program((1,), (5,))
def none_compared_by_equality_in_an_operand(n):
    last = n * 2 if n > 3 else None
    return min(n, 4 if last == None else last), max(n, last if last != None else -1)  # noqa: E711


@program((1, np.eye(3)), (2, np.eye(3)), (3, np.eye(3)))
def place_in_a_matrix(c, m):
    r = None if c > 2 else c
    if r is None:
        return 0.0, m
    m = m + 1
    m[r, c] = 9
    m[1, r] += 1
    return m[r, c] + m[1, r], m


@program((1, np.eye(3)), (2, np.eye(3)), (3, np.eye(3)))
def ends_of_slices(c, m):
    low, high = None, None
    if c > 1:
        low = c - 1
    if c < 3:
        high = c + 1
    m = m * 2
    m[low:high] = 3
    m[1, low:] = 7
    return m, m[:high, low:].sum(), m[high:].sum()
