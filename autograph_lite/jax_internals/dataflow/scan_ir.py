"""Scan IR: what is a scan while it is being rewritten? Its equations, what goes into an iteration and what comes out of it."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from jax import lax
from jax._src import core
from jax._src.lax.control_flow import loops

from autograph_lite.jax_internals.dataflow.affine_indices import Position, Positions

V = TypeVar("V")
# Binds a scan: its closed body, carried arrays, rows, positions among the rows, and the parameters that it had.
Bind = Callable[..., tuple[list[Any], list[Any]]]


@dataclasses.dataclass(frozen=True)
class Read:
    """`row = source[position]`, by the equation of a slice and the one that takes its axis out."""

    source: Any
    position: Position
    equations: tuple[Any, Any]

    @property
    def row(self) -> Any:
        """The variable of the row."""
        return self.equations[1].outvars[0]


@dataclasses.dataclass
class Put:
    """Rows of an array that the iterations write."""

    array: Any  # as it was before the loop
    position: Position  # of the row that an iteration puts out
    output: int  # the number of the output that gives these rows
    # by their numbers, the variables that carry the rows that are final after the last iteration
    rest: dict[int, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Scan:
    """A scan over arrays."""

    equations: list[Any]  # of the body
    consts: dict[Any, Any]  # `consts`, `carried`, `rows`: variable of the body -> array outside
    carried: dict[Any, Any]
    rows: dict[Any, Any]
    next: dict[Any, Any]  # what becomes of each carried variable
    outputs: list[Any]  # what an iteration puts out
    length: int  # the number of iterations
    reverse: bool  # whether the rows are taken from the last to the first
    known: Positions  # the positions in the body
    numbers: Mapping[Any, Position]  # which of the rows are positions
    bind: Bind  # binds a loop inside once more
    # arrays that are no longer carried, by their variables
    written: dict[Any, list[Put]] = dataclasses.field(default_factory=dict)
    # the same of those that no iteration changes
    kept: dict[Any, Any] = dataclasses.field(default_factory=dict)
    # whether all iterations are computed at once, or, before that has been asked, may be
    at_once: bool = False

    def results(self) -> list[Any]:
        """What comes out of an iteration."""
        return [*(self.next[v] for v in self.carried), *self.outputs]

    def give(self, results: Sequence[Any]) -> None:
        """Makes that come out of an iteration."""
        self.next = dict(zip(self.carried, results, strict=False))
        self.outputs = list(results[len(self.carried) :])

    def jaxpr(self, before: Any) -> Any:
        """The body, with what a jaxpr of it had `before` beside equations, inputs and outputs."""
        invars = [*self.consts, *self.carried, *self.rows]
        return before.replace(invars=invars, outvars=self.results(), eqns=self.equations)

    def uses(self) -> Counter[Any]:
        """How often each variable is used."""
        used = [*(v for e in self.equations for v in e.invars), *self.results()]
        return Counter(filter(is_variable, used))

    def is_whole(self, array: Any, position: Position) -> bool:
        """Whether the rows at the positions of all iterations are those of the array, in their order."""
        return position.slope == 1 and position.range(self.length) == (0, array.shape[0] - 1)

    def rows_at(self, array: Any, position: Position) -> Any:
        """The rows of an array at the positions of all iterations."""
        low, high = position.range(self.length)
        step, rest = abs(position.slope), array.ndim - 1
        if (low, high, step) != (0, array.shape[0] - 1, 1):
            array = lax.slice(array, [low, *[0] * rest], [high + 1, *array.shape[1:]], [step, *[1] * rest])
        return array if position.slope > 0 else lax.rev(array, [0])

    def take_out(self, equations: Sequence[Any]) -> None:
        """Takes equations out of the body."""
        gone = set(map(id, equations))
        self.equations = [e for e in self.equations if id(e) not in gone]

    def rename(self, names: Mapping[Any, Any]) -> None:
        """Puts other variables in place of some."""

        def new(atom: Any) -> Any:
            while is_variable(atom) and atom in names:
                atom = names[atom]
            return atom

        def renamed(equation: Any) -> Any:
            invars = list(map(new, equation.invars))
            return equation if invars == list(equation.invars) else equation.replace(invars=invars)

        self.equations = list(map(renamed, self.equations))
        self.next = {variable: new(value) for variable, value in self.next.items()}
        self.outputs = list(map(new, self.outputs))

    def keep_unchanged(self) -> None:
        """Carries nothing that no iteration changes."""
        for variable in [v for v, after in self.next.items() if after is v]:
            del self.next[variable]
            self.kept[variable] = self.consts[variable] = self.carried.pop(variable)

    def drop_unused(self) -> None:
        """Takes out what nothing needs."""
        self.equations, needed = live(self.equations, self.results())
        self.consts = {v: array for v, array in self.consts.items() if v in needed}
        self.rows = {v: array for v, array in self.rows.items() if v in needed}


def live(
    equations: Sequence[Any], results: Sequence[Any], *, effects: bool = True
) -> tuple[list[Any], set[Any]]:
    """The equations that `results` need, or that have `effects`, and all variables in these and among the results."""
    needed = set(filter(is_variable, results))
    kept = []
    for equation in reversed(equations):
        if (effects and equation.effects) or any(v in needed for v in equation.outvars):
            kept.append(equation)
            needed.update(filter(is_variable, equation.invars))
    return kept[::-1], needed


def is_variable(atom: Any) -> bool:
    """Whether an operand or a result is a variable, and no literal."""
    return not isinstance(atom, core.Literal)


def groups(equation: Any, operands: list[V]) -> tuple[list[V], list[V], list[V]]:
    """The constants, the carry and the rows of the equation of a scan."""
    if "num_carry" in equation.params:
        first = equation.params["num_consts"]
        last = first + equation.params["num_carry"]
    else:
        sizes = [len(group) for group in equation.params["ft_in"].unpack()]
        first, last = sizes[0], sizes[0] + sizes[1]
    return operands[:first], operands[first:last], operands[last:]


def group_params(consts: int, carry: int, rows: int, put_out: int) -> dict[str, Any]:
    """The parameters of a scan that say how many constants, variables, rows and stacked results it has."""
    if _counted():  # 0.10
        return {"num_consts": consts, "num_carry": carry}
    ft: Any = vars(loops)["ft"]  # 0.12
    return {
        "ft_in": ft.pack((ft.nones(consts), ft.nones(carry), ft.nones(rows))),
        "ft_out": ft.pack((ft.nones(carry), ft.nones(put_out).filter_with_mask([True] * put_out))),
    }


@functools.cache
def _counted() -> bool:
    return "num_carry" in inspect.signature(loops._scan_abstract_eval).parameters


def writes_place(equation: Any) -> bool:
    """Whether an equation writes at one place of the first axes of an array, and all of the others."""
    if equation.primitive.name != "scatter":
        return False
    array, index, item = (atom.aval for atom in equation.invars)
    numbers = equation.params["dimension_numbers"]
    leading = tuple(range(len(numbers.inserted_window_dims)))
    return bool(
        equation.params["update_jaxpr"] is None  # else a function of the item, as `x.at[i].apply(f)` makes it
        and index.ndim == 1
        and index.shape[0] == len(leading)
        and numbers.inserted_window_dims == leading
        and numbers.scatter_dims_to_operand_dims == leading
        and item.shape == array.shape[len(leading) :]
        and item.dtype == array.dtype
    )


# A call of so few operations on numbers is put in place of itself.
FEW = 3
# So begin the names of those that stay: loops around know what they give.
OF_NUMBERS = "of_numbers_"


def inlined(equations: Sequence[Any]) -> list[Any]:
    """The equations with those of short calls, like `jnp.where` of numbers, in place of the calls."""
    return [one for equation in equations for one in _inlined(equation)]


def _inlined(equation: Any) -> list[Any]:
    if equation.primitive.name not in ("jit", "pjit") or equation.effects:
        return [equation]
    inner = equation.params["jaxpr"]
    jaxpr = inner.jaxpr
    if str(equation.params["name"]).startswith(OF_NUMBERS):
        return [equation]
    made = {variable for e in jaxpr.eqns for variable in e.outvars}
    numbers = all(not v.aval.shape for e in jaxpr.eqns for v in (*e.invars, *e.outvars))
    own = all(is_variable(v) and v in made for v in jaxpr.outvars)
    once = own and len(set(jaxpr.outvars)) == len(jaxpr.outvars)
    if inner.consts or len(jaxpr.eqns) > FEW or not numbers or not once:
        return [equation]
    return put_in_place(jaxpr, equation)


def put_in_place(jaxpr: Any, equation: Any) -> list[Any]:
    """The equations of a jaxpr, all of whose results these make, in place of the equation that runs it."""
    names = dict(zip(jaxpr.invars, equation.invars, strict=True))
    names.update((v, core.Var(v.aval)) for e in jaxpr.eqns for v in e.outvars)
    names.update(zip(jaxpr.outvars, equation.outvars, strict=True))
    return [
        e.replace(
            invars=[names[v] if is_variable(v) else v for v in e.invars],
            outvars=[names[v] for v in e.outvars],
            source_info=equation.source_info,
        )
        for e in jaxpr.eqns
    ]
