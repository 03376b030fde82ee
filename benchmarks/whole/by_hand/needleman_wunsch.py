"""Alignment with affine gaps: a scan over rows, in it one over columns, and a `while_loop` back."""

import jax.numpy as jnp
from jax import lax

LOW = -1e9


def _fill(a, b, table, open_gap, extend):
    n, m = len(a), len(b)
    top = jnp.stack(
        [
            jnp.full(m + 1, LOW).at[0].set(0),
            jnp.full(m + 1, LOW),
            jnp.full(m + 1, LOW).at[1:].set(-open_gap - jnp.arange(m) * extend),
        ]
    )

    def row(above, given):
        letter, i = given
        scores = table[letter, b]
        best = jnp.argmax(above[:, :-1], axis=0)
        match = jnp.full(m + 1, LOW).at[1:].set(jnp.max(above[:, :-1], axis=0) + scores)
        opened, extended = above[0] - open_gap, above[1] - extend
        delete = jnp.maximum(opened, extended).at[0].set(-open_gap - i * extend)
        from_delete = jnp.where(opened >= extended, 0, 1).at[0].set(1)

        def column(left, at):
            opened, extended = at - open_gap, left - extend
            value = jnp.maximum(opened, extended)
            return value, (value, jnp.where(opened >= extended, 0, 2))

        _, (insert, from_insert) = lax.scan(column, LOW, match[:-1])
        rows = jnp.stack([match, delete, jnp.concatenate([jnp.array([LOW]), insert])])
        zero = jnp.zeros(1, int)
        came = jnp.stack([jnp.concatenate([zero, best]), from_delete, jnp.concatenate([zero, from_insert])])
        return rows, came

    last, came = lax.scan(row, top, (a, jnp.arange(n)))
    first = jnp.zeros((1, 3, m + 1), int).at[0, 2, 1:].set(2)
    return last[:, -1], jnp.concatenate([first, came])


def _traceback(a, b, last, came):
    n, m = len(a), len(b)

    def back(state):
        i, j, k, kind, top, bottom = state
        before = came[i, kind, j]
        up, left = kind != 2, kind != 1
        i, j, k = i - up, j - left, k - 1
        top = top.at[k].set(jnp.where(up, a[i], -1))
        return i, j, k, before, top, bottom.at[k].set(jnp.where(left, b[j], -1))

    gaps = jnp.full(n + m, -1)
    start = jnp.int_(n), jnp.int_(m), jnp.int_(n + m), jnp.argmax(last), gaps, gaps
    _, _, k, _, top, bottom = lax.while_loop(lambda s: (s[0] > 0) | (s[1] > 0), back, start)
    return top, bottom, n + m - k


def needleman_wunsch(a, b, n_letters=4, match=2.0, mismatch=-1.0, open_gap=3.0, extend=0.5):
    table = jnp.where(jnp.eye(n_letters, dtype=bool), match, mismatch)
    last, came = _fill(a, b, table, open_gap, extend)
    top, bottom, length = _traceback(a, b, last, came)
    one, other = top != -1, bottom != -1
    same = one & other & (top == bottom)

    def run(count, equal):
        count = jnp.where(equal, count + 1, 0)
        return count, count

    longest = lax.scan(run, 0, same)[1].max()
    equal, different, gaps = same.sum(), (one & other & ~same).sum(), (one ^ other).sum()
    return last.max(), top, bottom, length, equal, different, gaps, longest, equal / length
