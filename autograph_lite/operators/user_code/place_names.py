"""Place names: how did the user write the place that a staged statement changes: `self.count`, `table['k']`, `log`?

    o.value = x                           'o.value'
    d['k'] = x                            "d['k']"
    log.append(x)                         'log'

Only errors ask. The lines that write to an object are kept while a trace goes on, and the source there is read.
"""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import re
import threading
import types
import weakref
from collections.abc import Hashable, Sequence
from typing import Any

from autograph_lite.errors import Location
from autograph_lite.jax_internals import tracing_state
from autograph_lite.operators.user_code import source_places
from autograph_lite.syntax.source_text.compiling import parse

Line = tuple[types.CodeType, int, "int | str | None"]  # with the argument that was passed there, if any


class _Local(threading.local):
    def __init__(self) -> None:
        self.writes: dict[int, dict[Line, None]] = {}  # the last one comes last
        self.names: dict[types.CodeType, dict[str, Any]] = {}  # globals of the code of these lines
        self.trace: weakref.ref[Any] | None = None  # that they belong to


_local = _Local()


def wrote(owner: Any, argument: int | str | None = None) -> None:
    """Keeps the user's line that changes `owner`; with `argument`, by passing it to a function, in that position."""
    frame = source_places.user_frame()
    if frame is not None:
        _keep(owner, frame.f_code, frame.f_lineno, argument)
        _local.names[frame.f_code] = frame.f_globals


def note_assignment(variable: Any, code: types.CodeType, line: int) -> None:
    """Keeps the user's line that assigns a variable, which is called as it is."""
    _keep(variable, code, line, None)


def _keep(owner: Any, code: types.CodeType, line: int, argument: int | str | None) -> None:
    trace = tracing_state.outermost_trace()
    if _local.trace is None or _local.trace() is not trace:  # the lines of a trace that is over
        forget_lines()
        _local.trace = weakref.ref(trace)
    lines = _local.writes.setdefault(id(owner), {})
    lines.pop((code, line, argument), None)
    lines[code, line, argument] = None


def copy(owner: Any, part: Any) -> None:
    """Takes the line that has changed `owner` for that of a part of it, too."""
    if id(owner) in _local.writes:
        _local.writes[id(part)] = dict(_local.writes[id(owner)])


def knows(owner: Any) -> bool:
    """Whether a line is known that has changed `owner`."""
    return id(owner) in _local.writes


def forget_lines() -> None:
    """Lets go of the lines of a trace that is over."""
    _local.writes.clear()
    _local.names.clear()


def written_at(owner: Any) -> Location | None:
    """The user's line that changed `owner` last."""
    return next(map(_location, _lines(owner)), None)


def _location(line: Line) -> Location:
    code, number, _ = line
    return source_places.at(code.co_filename, number, source_places.function_name(code))


def _lines(owner: Any) -> list[Line]:
    """The user's lines that have written to `owner`, the last one first; of a container, that one only."""
    lines = list(_local.writes.get(id(owner), ()))[::-1]
    return lines if _has_attributes(owner) else lines[:1]


class Label(str):
    """What an object's attribute or item is called; the user's own spelling where a message asks for it."""

    owner: Any  # the object
    key: Hashable  # attribute's name, index, or key
    attribute: bool  # whether the key is an attribute's name, and no index or key of a container

    def __format__(self, spec: str) -> str:
        return format(item_spelling(self.owner, self.key, attribute=self.attribute) or str(self), spec)

    @property
    def whole(self) -> str:
        """What the object itself is called."""
        return owner_spelling(self.owner, attribute=self.attribute) or str(self)

    @property
    def line(self) -> Location | None:
        """The user's line that wrote there; where it is not clear which, the last that wrote to the object."""
        for line in _lines(self.owner):
            if _spelled_on(line, self.owner, self.key, attribute=self.attribute):
                return _location(line)
        return written_at(self.owner)


def written_line(label: str) -> Location | None:
    """The user's line that changed what `label` names, where it is known."""
    return label.line if isinstance(label, Label) else None


def label(owner: Any, key: Hashable, otherwise: str, *, attribute: bool = False) -> Label:
    """A label for what `owner` holds under `key`, shown as `otherwise` where the source does not tell."""
    made = Label(otherwise)
    made.owner, made.key, made.attribute = owner, key, attribute
    return made


def item_spelling(owner: Any, key: Hashable, *, attribute: bool = False) -> str | None:
    """The user's spelling of what `owner` holds under `key`, from the line that wrote it last."""
    for line in _lines(owner):
        text = _spelled_on(line, owner, key, attribute=attribute)
        if text:
            return text
    if attribute and not any(argument is not None for _, _, argument in _lines(owner)):
        return None  # the name of the object alone would mislead
    text = owner_spelling(owner, attribute=attribute)
    if text and attribute:
        return f"{text}.{key}"
    return f"{text}[{key!r}]" if text and isinstance(owner, dict) else text


def _spelled_on(line: Line, owner: Any, key: Hashable, *, attribute: bool) -> str | None:
    for node in _writes_on_line(line, owner, attribute=attribute):
        match node:
            case _ if line[2] is not None:
                break
            case ast.Attribute(attr=name) if name == key:
                return ast.unparse(node)
            case ast.Subscript(value=value):
                return f"{ast.unparse(value)}[{key!r}]" if _is_item(owner) else ast.unparse(value)
            case ast.Call(func=ast.Name(id="setattr" | "delattr"), args=[first, *_]):
                return f"{ast.unparse(first)}.{key}"
    return None


def owner_spelling(owner: Any, *, attribute: bool = False) -> str | None:
    """The user's spelling of the object `owner`, from the line that wrote to it last."""
    lines = _lines(owner)
    for node in _writes_on_line(lines[0], owner, attribute=attribute) if lines else ():
        if lines[0][2] is not None:
            return ast.unparse(node)
        match node:
            case (
                ast.Attribute(value=value)
                | ast.Subscript(value=value)
                | ast.Call(func=ast.Attribute(value=value))
            ):
                return ast.unparse(value)
            case ast.Name(id=name):
                return name
    return None


def _is_item(owner: Any) -> bool:
    return isinstance(owner, (list, dict))


def _has_attributes(owner: Any) -> bool:
    """Whether `owner` is changed by `owner.name = value`, and not by `owner[key] = value`."""
    return not isinstance(owner, (list, dict, set, bytearray)) and hasattr(type(owner), "__dict__")


def _writes_on_line(line: Line, owner: Any, *, attribute: bool) -> list[ast.expr]:
    """The expressions that change an object on a line that wrote to `owner`; none where it is not clear which."""
    if type(owner) is tuple:  # a global variable
        return []
    code, number, argument = line
    nodes = _changes(code.co_filename, len(linecache.getlines(code.co_filename))).get(number, [])
    if argument is not None:
        return _passed(nodes, argument)
    found = [node for node in nodes if _changes_object(node) and not _is_of_module(node, code)]
    if not any(hasattr(type(owner), name) for name in _IN_PLACE):
        found = [node for node in found if not isinstance(node, ast.Name)]
    if not attribute:
        found = [node for node in found if not isinstance(node, ast.Attribute)]
    else:
        found = [node for node in found if not isinstance(node, ast.Subscript)]
    if len(found) > 1:  # `table.setdefault(key, []).append(x)`
        found = [node for node in found if not _is_method_of_others(node, owner)]
    bases = {ast.unparse(getattr(node, "value", getattr(node, "func", node))) for node in found}
    return found if len(bases) == 1 else []


def _is_method_of_others(node: ast.expr, owner: Any) -> bool:
    """Whether it calls a method that `owner`, one of Python's containers, has not."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return isinstance(owner, (list, dict, set)) and not hasattr(owner, name)
    return False


def _is_of_module(node: ast.expr, code: types.CodeType) -> bool:
    """Whether `node` calls what a module or a class holds, `jnp.sin(o.x)`, whose name is not that of what changes."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    path = ast.unparse(node.func.value).split(".")
    if path[0] in {*code.co_varnames, *code.co_cellvars, *code.co_freevars}:
        return False
    found: Any = {**vars(builtins), **_local.names.get(code, {})}
    for name in path:
        found = (found if isinstance(found, dict) else vars(found)).get(name)
        if not isinstance(found, (types.ModuleType, type)):
            return False
    return True


_IN_PLACE = ("__iadd__", "__isub__", "__imul__", "__ior__", "__iand__", "__ixor__")


def _passed(nodes: Sequence[ast.expr], argument: int | str) -> list[ast.expr]:
    """What stands on a line as a call's argument, in a position or under a name; nothing where there are several."""
    found: dict[str, ast.expr] = {}
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        for name, value in (*enumerate(node.args), *((word.arg, word.value) for word in node.keywords)):
            if name == argument:
                found[ast.unparse(value)] = value
    return list(found.values()) if len(found) == 1 else []


def list_bound_anew(name: str, changed: Any) -> str:
    """The list that a variable is bound to for the second time, `ys = []`, above a line that changes it; or nothing."""
    if not (name and name.isidentifier() and isinstance(changed, Location)):
        return ""
    lines = [line.strip() for line in linecache.getlines(changed.path)[: changed.line]]
    starts = [number for number, line in enumerate(lines) if line.startswith(f"def {changed.function}(")]
    binds = re.compile(rf"(?<![\w.]){name}\b[^=\[]* = (.*\[.*)")
    found = [match[1] for line in lines[starts[-1] if starts else 0 :] if (match := binds.search(line))]
    return found[-1] if len(found) > 1 else ""


@functools.lru_cache(maxsize=64)
def _changes(path: str, lines: int) -> dict[int, list[ast.expr]]:
    """By lines of a file, the expressions that may change an object: targets, and calls.

    The file is walked once: a loop over a growing list asks for its name at each pass.
    """
    found: dict[int, list[ast.expr]] = {}
    try:
        tree = parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        match node:
            case ast.AugAssign(target=ast.Name() as name):
                found.setdefault(name.lineno, []).append(name)
            case (
                ast.Attribute(ctx=ast.Store() | ast.Del())
                | ast.Subscript(ctx=ast.Store() | ast.Del())
                | ast.Call()
            ):
                found.setdefault(node.lineno, []).append(node)
    return found


def _changes_object(node: ast.expr) -> bool:
    """Whether it is a target, or a call of a method, setattr or delattr."""
    match node:
        case ast.Call(func=ast.Attribute()) | ast.Call(func=ast.Name(id="setattr" | "delattr")):
            return True
    return not isinstance(node, ast.Call)
