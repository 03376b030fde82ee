"""Is the text of an object with traced attributes what Python makes of it, once the program has run, or refused?"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import pytest

import autograph_lite as al
from autograph_lite import PythonOnlyError


@dataclasses.dataclass
class Job:
    status: object
    tries: int = 2


@dataclasses.dataclass(frozen=True, slots=True)
class Slots:
    status: object


class Shown:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return f"Shown({self.v})"


class Deciding:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        if self.v > 1:
            return "big"
        return f"small {self.v}"


class Formatting:
    def __init__(self, v):
        self.v = v

    def __format__(self, spec):
        return f"<{spec}:{self.v}>"


class Named:
    def __init__(self, name, v):
        self.name, self.v = name, v

    def __repr__(self):
        return f"Named({self.name})"


class Node:
    def __init__(self, name, parent):
        self.name, self.parent, self.inside = name, parent, []

    def __str__(self):
        return f"{self.name} in {self.parent and self.parent.name} around {len(self.inside)}"


class Failed(Exception):
    def __init__(self, job):
        super().__init__(f"failed: {job}")


def dataclass_of_a_text(n):
    job = Job("a" if n > 2 else "b")
    raise ValueError(f"{job}")


def dataclass_of_a_number(n):
    job = Job(n)
    if n < 9:
        raise ValueError(f"{job}!")
    return n


def with_slots(n):
    raise ValueError(f"{Slots('a' if n > 2 else 'b')}")


def own_representation(n):
    shown = Shown("a" if n > 2 else "b")
    if n < 9:
        raise ValueError("got %s" % shown)
    return n


def by_str(n):
    raise ValueError("it is " + str(Shown("a" if n > 2 else "b")))


def in_a_list(n):
    raise ValueError(f"{[Shown(n), 3]}")


def one_in_another(n):
    raise ValueError(f"{Job(Shown(n))!r:>30}")


def one_that_decides(n):
    raise ValueError(f"it is {Deciding(n)}")


def own_format(n):
    raise ValueError(f"it is {Formatting(n):zz}")


def in_a_cycle(n):
    node = Node("a" if n > 2 else "b", None)
    inner = Node("inner", node)
    node.inside.append(inner)
    raise ValueError(f"{inner}; {node}")


def handed_to_the_exception(n):
    raise ValueError(Job("a" if n > 2 else "b"))


def handed_to_an_exception_of_the_users(n):
    raise Failed(Job("a" if n > 2 else "b"))


def as_it_was(n):
    job = Job(n)
    message = f"{job}"
    job.status = 7
    raise ValueError(message)


def in_a_loop(n):
    job = Job(0)
    for i in range(n):
        job.status = i
        if i == 4:
            raise ValueError(f"at {job}")
    raise ValueError(f"after {job}")


def one_of_two(n):
    chosen = Job("a") if n > 2 else Deciding(n)
    raise ValueError(f"{chosen}")


def of_what_was_caught(n):
    shown = Shown(n)
    try:
        if n > 2:
            raise ValueError(f"at {shown}")
    except ValueError as error:
        raise KeyError(f"{error} {shown}") from None
    raise KeyError("none")


class Worker:
    def __init__(self):
        self.job = Job("idle")

    def work(self, n):
        self.job.status = "a" if n > 2 else "b"
        if n > 0:
            raise RuntimeError(f"{self.job}")


def in_a_method(n):
    Worker().work(n)


def message(f, n):
    with pytest.raises(Exception) as raised:
        f(n)
    return type(raised.value), str(raised.value)


@pytest.mark.parametrize("n", [1, 5])
@pytest.mark.parametrize(
    "f",
    [dataclass_of_a_text, dataclass_of_a_number, with_slots, own_representation, by_str, in_a_list, one_in_another,
     one_that_decides, own_format, in_a_cycle, handed_to_the_exception, handed_to_an_exception_of_the_users, as_it_was,
     in_a_loop, one_of_two, of_what_was_caught, in_a_method],
)  # fmt: skip
def test_a_message_has_the_text_of_an_object_as_python_makes_it(f, n):
    assert message(al.convert(f), jnp.asarray(n)) == message(f, n)


def looked_into(n):
    return n + len(f"{Job('a' if n > 2 else 'bb')}")


def compared(n):
    return n if str(Shown(n)) == "Shown(3)" else -n


@pytest.mark.parametrize("f", [looked_into, compared])
def test_such_a_text_is_refused_where_it_is_asked_while_tracing(f):
    with pytest.raises(PythonOnlyError, match="Text with the value of a traced array in it"):
        al.convert(f)(jnp.int32(2))


def test_a_text_that_asks_for_no_traced_attribute_is_known():
    def f(n):
        found = {f"{Named('k', n)}": n}
        return found["Named(k)"] + len(str(Named("l", n)))

    assert al.convert(f)(jnp.int32(2)) == f(2)
    assert jax.jit(al.to_graph(f))(jnp.int32(2)) == f(2)


def test_a_printed_object_has_its_values(capsys):
    @al.convert
    def f(n):
        al.print(Job("a" if n > 2 else "b"), Shown(n))
        return n

    f(jnp.asarray(5))
    jax.effects_barrier()
    assert capsys.readouterr().out == "Job(status='a', tries=2) Shown(5)\n"
