"""Join errors: which variable, what is it on each side, where, and what is to be typed instead?"""

from __future__ import annotations

import ast
import collections
import contextlib
import dataclasses
import re
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from autograph_lite.converters.python_ops import NO_RETURN
from autograph_lite.errors import (
    BranchMismatchError,
    CarryMismatchError,
    IterationError,
    Location,
    MutationError,
    UndefinedVariableError,
)
from autograph_lite.operators.joins.join_types import Fixed, Mismatch, describe_leaf
from autograph_lite.operators.joins.unions import LIMIT
from autograph_lite.operators.object_graph import opaque_objects
from autograph_lite.operators.user_code import place_names, source_places
from autograph_lite.operators.values import dataclass_objects, retracing
from autograph_lite.operators.values.boxes import Whole
from autograph_lite.operators.values.values import Lazy
from autograph_lite.tracing import thread


def branches(label: str, found: Mismatch, funs: Sequence[Callable[..., Any]]) -> BranchMismatchError:
    """A variable that two branches leave with types that have nothing in common."""
    what, line = f"'{label}'", source_places.line_of_function(funs[0])
    if label == NO_RETURN.name:
        what = _assigned(line, found) if any(map(_is_operand, funs)) else label
    bringing = [place for fun in funs for place in source_places.lines_that_bring(fun.__code__, label)]
    return _paths(what, found, (line, *bringing))


def _assigned(line: Location | tuple[()], found: Mismatch) -> str:
    """The variable that gets the value of an expression on a line, if that is all that it gets; else that value."""
    try:
        nodes = ast.parse(line.text).body if isinstance(line, Location) else []
    except SyntaxError:
        nodes = []
    match nodes:
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.IfExp())]:
            return f"'{name}'"
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp())] if found.many:
            return f"'{name}'"
        case [ast.AugAssign(target=ast.Name(id=name))] if found.many:
            return f"'{name}'"
    return "the value of the expression"


def _paths(
    what: str, found: Mismatch, at: Location | tuple[Location | tuple[()], ...]
) -> BranchMismatchError:
    if found.many:
        fix = _objects(found, "statement") or numbered(what)
        return BranchMismatchError(many_variants(what, found), where=at, why=LIMITED, fix=fix)
    return BranchMismatchError(
        f"{what[0].upper()}{what[1:]} is {found.left} on one path and {found.right} on another.",
        where=at,
        why="The condition depends on a traced value, so both paths are compiled, and their results must be of one type.",
        fix=_objects(found, "statement")
        or _static(found)
        or _none(what, found)
        or f"give {what} the same structure and shape on every path.",
    )


def many_variants(what: str, found: Mismatch) -> str:
    """What is said of a value that would be one of too many."""
    return f"{what[0].upper()}{what[1:]} may be one of more than {LIMIT} values: {', '.join(found.many)}."


LIMITED = (
    f"A traced value decides which it is, and a program tells at most {LIMIT} values of a variable apart."
)


def numbered(what: str) -> str:
    """What to do about it."""
    return f"let {what} be a number that says which, and look the value up in a tuple when the program has run: values[int(n)]."


def _objects(found: Mismatch, before: str) -> str:
    """What to do about two objects of one class of the user's. Raises Reborn if they can be the values that they hold."""
    if found.kind is not None and issubclass(found.kind, Whole):
        return f"use the values, which are arrays, in place of the {found.kind.__name__} objects: v.value."
    if found.kind is None or found.kind.__module__ in sys.stdlib_module_names:
        return ""
    known = thread.now.program  # of ours, which can be traced once more
    key = dataclass_objects.class_key(found.kind)
    is_new = known is not None and key not in known.told
    if is_new and dataclass_objects.may_be_record(found.kind):
        raise retracing.Reborn([], told=[key])
    return (
        f"register {found.kind.__name__} as a pytree, for example with jax.tree_util.register_dataclass, "
        f"or make one object before the {before}, and set its attributes in it."
    )


def _static(found: Mismatch) -> str:
    """What to do about values that no array can hold, if both are such."""
    if all("function '" in side for side in (found.left, found.right)):
        return "call the function on each path, and keep what it gives."
    if any(
        re.fullmatch(r"an? \w*(Error|Exception|Warning) object", side) for side in (found.left, found.right)
    ):
        return (
            "keep what is needed of the exception, as str(e), or a flag, and raise it again in the handler."
        )
    return ""


def _none(what: str, found: Mismatch) -> str:
    """What to do about a value that is None as long as there is none, if one side is that."""
    if "None" not in (found.left, found.right):
        return ""
    kind = found.right if found.left == "None" else found.left
    if not what.startswith("'"):
        return f"give a value of the type {kind} in place of None, and beside it a flag that says whether there is one."
    example = ", such as math.inf," if re.fullmatch(r"float\d+\[\]", kind) else ""
    return f"start with a value of the type {kind}{example} in place of None, and a flag that says whether {what} was set."


def _is_operand(fun: Callable[..., Any]) -> bool:
    """Whether a branch is a part of an expression."""
    return fun.__code__.co_name == "<lambda>" or source_places.is_hidden_file(fun.__code__.co_filename)


def stray_error(label: str, value: Any, fun: Callable[..., Any]) -> BranchMismatchError:
    """A variable whose value only one branch makes, with an array in it that can't be taken out of the branch."""
    what = "the value of the path" if label == NO_RETURN.name else f"'{label}'"
    fix = f"register {type(value).__name__} as a pytree, or make it before the statement"
    if isinstance(value, types.FunctionType):
        fix = "call it on that path, and keep what it gives"
    return BranchMismatchError(
        f"{what[0].upper()}{what[1:]} is {describe_leaf(Fixed(value))} on one path, with an array in it that this path computes.",
        where=source_places.line_of_function(fun),
        why="The condition depends on a traced value, and what a path has computed does not exist on the other.",
        fix=f"{fix}.",
    )


def unjoinable_place(label: str, found: Mismatch | None = None) -> MutationError | BranchMismatchError:
    """A place in a user's object, or a variable, that two paths leave in states that can't be joined."""
    here = source_places.here()
    if found is not None and label == NO_RETURN.name:
        return _paths(label, found, here)
    if found is not None and isinstance(label, place_names.Label) and isinstance(label.owner, types.CellType):
        # A variable that some function inside reads is one all the same.
        return _paths(f"'{label}'", found, here)
    written = label.line if isinstance(label, place_names.Label) else None
    places = tuple(p for p in (written, here) if p)
    if found is not None and is_opaque_place(label):
        return _opaque(label)
    if found is not None and found.many:
        what = f"'{label}'"
        fix = _objects(found, "statement") or numbered(what)
        return MutationError(many_variants(what, found), where=places, why=LIMITED, fix=fix)
    if found is not None:
        error = MutationError(
            f"'{label}' is {found.left} on one path of a staged statement and {found.right} on another.",
            where=places,
            why="The condition depends on a traced value, so both paths are compiled, and what they leave must be of one type.",
            fix=_objects(found, "statement")
            or _none(f"'{label}'", found)
            or f"give '{label}' the same structure and shape on every path.",
        )
        error.stood_in = "None" in (found.left, found.right)
        return error
    if (
        isinstance(label, place_names.Label)
        and isinstance(label.owner, (list, collections.deque))
        and not label.attribute
    ):
        return MutationError(
            f"'{label.whole}' has more items on one path of a staged statement than on another.",
            where=places,
            why="The condition depends on a traced value, so the program must know the length without knowing the path.",
            fix="make the deque without maxlen, and take items off yourself: if len(d) > n: d.popleft()."
            if isinstance(label.owner, collections.deque)
            else "append on every path, for example jnp.where(condition, value, 0), or count in a variable how many are valid.",
        )
    fix = f"create '{label}' before the statement, with a value of the same type."
    if places and re.search(r"\bdel(attr)?\b|\.pop(item)?\(", places[0].text):
        fix = f"keep '{label}', with a value that says that it is gone."
    elif isinstance(label, place_names.Label) and label.key == "__notes__":  # of `add_note`
        fix = "add the note on each path, or raise on the path that adds it."
    elif (
        isinstance(label, place_names.Label) and written == here and label.attribute
    ):  # of an object that was chosen
        fix = f"create '{label.key}' in each object that it may be, as in `__init__`, with a value of the same type."
    missing = MutationError(
        f"'{label}' exists on one path of a staged statement and not on another.",
        where=places,
        why="The condition depends on a traced value, so the program must know what is there without knowing the path.",
        fix=fix,
    )
    missing.stood_in = True
    return missing


def is_opaque_place(label: str) -> bool:
    """Whether a place is all that a set or a bytearray holds."""
    return isinstance(label, place_names.Label) and isinstance(label.owner, (set, bytearray))


def _opaque(label: Any) -> MutationError:
    """A set or a bytearray that a staged statement changes."""
    kind = type(label.owner).__name__
    use = {"bytearray": "an array of jnp.uint8"}.get(
        kind, "a mask, an array of bools that says which values are in it"
    )
    return MutationError(
        f"'{label}', a {kind}, is changed inside a staged statement.",
        where=tuple(p for p in (label.line, source_places.here()) if p),
        why=f"What is in a {kind} has to be known while tracing, and here it depends on a traced value.",
        fix=f"use {use}, and write to its items.",
    )


def ndarray(label: str) -> MutationError:
    """An array of NumPy's that a staged statement changes to values that the program computes."""
    written = label.line if isinstance(label, place_names.Label) else None
    shown = f"{label}"  # as the user spells it, where that is known
    known = shown != UNNAMED
    return MutationError(
        (f"'{shown}', an array of NumPy's," if known else "An array of NumPy's")
        + " is changed in place inside a staged statement.",
        where=tuple(p for p in (written, source_places.here()) if p),
        why="A compiled program computes the new items, and an array of NumPy's can't hold them.",
        fix=f"make it an array of JAX's, jnp.asarray({shown if known else '...'}), and bind the changed array to the name.",
    )


UNNAMED = "a NumPy array"


def foreign_error(label: str, owner: object, *, owned: bool = True) -> MutationError:
    """A place that gets a value of a transformation that ends before the place could hold it.

    If `owned`, the transformation is inside of the converted function, and not around it.
    """
    what = (
        "inside a function that was handed to jax.lax.scan, jax.vmap, jax.grad or the like"
        if owned
        else "by a converted function that is called inside jax.jit, jax.vmap, jax.grad or the like"
    )
    return MutationError(
        f"'{label}' is changed {what}.",
        where=place_names.written_at(owner) or source_places.here(),
        why="The new value is part of that transformation, which ends before the object could get it.",
        fix="return the new value from the function, and change the object outside of the transformation.",
    )


def ended_error(where: Location | tuple[()]) -> MutationError:
    """A value of a transformation that is used after it: a list, a dict or a variable of the function has kept it."""
    return MutationError(
        "A value of a function that was handed to jax.lax.scan, jax.vmap, jax.grad or the like is used when that has ended.",
        where=where,
        why="The function has left it in a list, a dict, an object or a variable of a function around it, and the value is part\n"
        "of the transformation, which computes it for itself.",
        fix="return the value from the function, as of jax.grad(f, has_aux=True), and change the object outside of it.",
    )


def opaque(label: str, found: object) -> MutationError:
    """An object of a library's, from outside of a staged statement, that the statement changes."""
    written = place_names.written_line(label)
    return MutationError(
        f"'{label}', of the type {type(found).__name__}, is changed inside a staged statement that it does not come from.",
        where=tuple(dict.fromkeys(p for p in (written, source_places.here()) if p)),
        why="The statement is traced once: the change would be made then, and not each time that the program runs it.",
        fix=opaque_objects.opaque_advice(found),
    )


def left_in(label: str, found: object) -> MutationError:
    """An object of a library's that a call would leave with a traced value in it."""
    return MutationError(
        f"'{label}', of the type {type(found).__name__}, is left with a traced value in it.",
        where=place_names.written_line(label) or source_places.here(),
        why="The program gives arrays to lists, dicts and attributes; here it can't, and a tracer would stay.",
        fix=opaque_objects.opaque_advice(found),
    )


def recast_error(owner: object, name: str) -> MutationError:
    """An object that would be another kind of object on some paths only."""
    return MutationError(
        f"'{name}' of an object of the type {type(owner).__name__} is assigned inside a staged statement.",
        why="What an object is has to be known while tracing, and here it depends on a traced value.",
        fix="keep what differs in an attribute, a number for example, and let the methods test it.",
    )


TRACED = "returned a traced value"  # of a function under `functools.lru_cache`


def memo(label: str, *, whole: bool) -> MutationError:
    """A function that keeps what it has returned, from outside of what is traced, and that returned a traced value."""
    traced = "function" if whole else "staged statement"
    return MutationError(
        f"'{label!s}' returns a traced value, which its functools.lru_cache would keep.",
        where=place_names.written_line(label) or source_places.here(),
        why=f"The value belongs to the trace of this {traced}; a later call would be given it again.",
        fix="call it once before, outside of the function, so that it keeps an array; or don't cache it.",
    )


def memo_writes(name: str, label: str) -> MutationError:
    """A function that keeps what it has returned, and that changes something in a staged statement."""
    error = MutationError(
        f"'{label!s}' is changed by '{name}', whose results functools.lru_cache keeps.",
        where=place_names.written_line(label) or source_places.here(),
        why="It runs where the cache has no result yet, and in a staged statement that depends on the data.",
        fix=f"don't cache '{name}', or return the new value from it and change '{label!s}' where it is called.",
    )
    error.is_final = True
    return error


def iterator(
    label: str, found: object, *, whole: bool, function: Callable[..., Any] | None = None
) -> IterationError:
    """An iterator from outside of a staged statement, or of the whole function, that items are taken from."""
    written = label.line if isinstance(label, place_names.Label) else None
    at = tuple(p for p in (written, source_places.here()) if p)
    if isinstance(found, contextlib._GeneratorContextManager):
        generator: Any = found.gen
        return _manager(generator.gi_code.co_name, at, whole=whole)
    stands_for = found.kind if isinstance(found, Lazy) else object
    kind = (type(found) if stands_for is object else stands_for).__name__
    if whole:
        return IterationError(
            f"A {kind} from outside of the function is consumed in it.",
            where=written or (source_places.line_of_function(function) if function else source_places.here()),
            why="The function is traced once, so that every execution would get the same items.",
            fix="pass the items as arguments, or take them from iter(autograph_lite.from_slices(arrays)).",
        )
    return IterationError(
        f"A {kind} is consumed inside a staged statement that it does not come from.",
        where=at,
        why="The statement is traced once, so that every execution would get the same items, whether it runs or not.",
        fix="take the items before the statement, or iterate over an array.",
    )


def _manager(name: str, at: tuple[Location, ...], *, whole: bool) -> IterationError:
    """A context manager of a generator's, made outside of a staged statement, or of the whole function, and entered inside."""
    traced = "function" if whole else "staged statement"
    error = IterationError(
        f"A context manager that '{name}' has made outside of a {traced} is entered in it.",
        where=at,
        why=f"A generator can be entered once, but the {traced} is traced once for all its executions.",
        fix=f"make it where it is entered: `with {name}(...):`.",
    )
    error.is_final = True
    return error


def carry(name: str, found: Mismatch, body_fun: Callable[..., Any]) -> CarryMismatchError | MutationError:
    """A loop's variable that an iteration leaves with another type."""
    if is_opaque_place(name):
        return _opaque(name)
    if found.many:
        what = f"'{name}'"
        where = (
            source_places.line_of_function(body_fun),
            *source_places.lines_that_bring(body_fun.__code__, name),
        )
        fix = _objects(found, "loop") or numbered(what)
        return CarryMismatchError(many_variants(what, found), where=where, why=LIMITED, fix=fix)
    return CarryMismatchError(
        f"'{name}' is {found.left} before an iteration of the loop and {found.right} after it.",
        where=source_places.line_of_function(body_fun),
        why="The loop is staged: one body is compiled for all iterations, so a variable has the same type in all of them.",
        fix=_start(f"{name}", found),
    )


_ARRAY = re.compile(r"(\w+)\[([\w,]*)\]")


SHALLOW, DEEPER = "a structure", "one with more objects in it"


def _start(name: str, found: Mismatch) -> str:
    """What to do about a variable that changes its type in a loop."""
    if found.right == DEEPER:
        return "keep a list or tree that grows in arrays: one of the values, and one of the positions of what follows each."
    before, after = _ARRAY.fullmatch(found.left), _ARRAY.fullmatch(found.right)
    if "{" in found.left and sorted(found.left) == sorted(found.right):
        return f"make '{name}' with its keys in one order in every iteration: {{key: {name}[key] for key in sorted({name})}}."
    if found.left == "None":
        return _none(f"'{name}'", found)
    if before and after and before[2]:
        return f"give '{name}' its final shape before the loop, and write its items in the body."
    if before and after:
        return f"start with '{name}' of its final shape: jnp.zeros(({after[2]},), jnp.{after[1]})."
    if " items>" in found.left + found.right:
        return f"change the list that there is: {name}[:] = [...], or {name}.clear() and append to it."
    resized = _length(found.right) - _length(found.left) if found.left[0] == found.right[0] else 0
    if resized > 0:
        return (
            f"'{name}' may not get longer: append to a list, in a loop with a known bound, "
            "or write to the items of an array that has the final length from the start."
        )
    if resized < 0:
        return f"'{name}' may not get shorter: keep its items in an array, and count how many are left."
    if found.left == "a Variable object":
        return f"start with the Variable's value, which is an array: {name} = {name}.value before the loop."
    return _objects(found, "loop") or f"start with '{name}' of the structure and shape that it has later."


def _length(text: str) -> int:
    """How many items a tuple or list has, whose type `text` tells; 0 for anything else."""
    if text[0] not in "([":
        return 0
    depth, separators = 0, 0
    for character in text[1:-1].rstrip(","):
        depth += (character in "([{") - (character in ")]}")
        separators += character == "," and depth == 0
    return separators + (len(text) > len("()"))


@dataclasses.dataclass(frozen=True)
class Lost:
    """Branches that may have left a variable unassigned."""

    depth: int  # how many bodies are traced around their statement
    funs: tuple[Callable[..., Any], ...]  # those that do not raise

    @property
    def places(self) -> tuple[Location, ...]:
        """Where the first of them is."""
        return tuple(place for place in map(source_places.line_of_function, self.funs) if place)[:1]


def skipped_branch(name: str, left: Lost) -> UndefinedVariableError:
    """A variable that is read on a path on which, as the program runs, no branch has assigned it."""
    return UndefinedVariableError(
        f"'{name}' was used before it was assigned.",
        where=tuple(p for p in (source_places.here(), *left.places) if p),
        why="The second line's path that was taken does not assign it.",
        fix=f"assign '{name}' before that statement, or on its other paths too.",
    )


def unassigned(name: str, left: Lost) -> UndefinedVariableError:
    """A variable that is read although a branch may have skipped its assignment."""
    return UndefinedVariableError(
        f"'{name}' may be used before it is assigned.",
        where=tuple(p for p in (source_places.here(), *left.places) if p),
        why="Only one of the paths of the second line assigns it, and a traced value decides which is taken.",
        fix=f"assign '{name}' before that statement, or on its other paths too.",
    )


def skipped_loop(name: str) -> UndefinedVariableError:
    """A variable that only a loop's body assigns, when the loop did not run."""
    here = source_places.here()
    return UndefinedVariableError(
        f"'{name}' was not assigned: the loop must run at least once.",
        where=here,
        fix=f"assign '{name}' before the loop.",
    )
