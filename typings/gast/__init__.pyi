"""gast builds its classes at run time; here is what differs from `ast`, the same for every Python version."""

import ast
from ast import (
    AST as AST,
    Add as Add,
    And as And,
    Assert as Assert,
    AsyncFor as AsyncFor,
    AsyncWith as AsyncWith,
    Attribute as Attribute,
    Await as Await,
    BinOp as BinOp,
    BitAnd as BitAnd,
    BitOr as BitOr,
    BitXor as BitXor,
    BoolOp as BoolOp,
    Break as Break,
    Call as Call,
    Compare as Compare,
    Continue as Continue,
    Del as Del,
    Delete as Delete,
    Dict as Dict,
    DictComp as DictComp,
    Div as Div,
    Eq as Eq,
    Expr as Expr,
    Expression as Expression,
    FloorDiv as FloorDiv,
    For as For,
    FormattedValue as FormattedValue,
    FunctionType as FunctionType,
    GeneratorExp as GeneratorExp,
    Global as Global,
    Gt as Gt,
    GtE as GtE,
    If as If,
    IfExp as IfExp,
    Import as Import,
    ImportFrom as ImportFrom,
    In as In,
    Interactive as Interactive,
    Invert as Invert,
    Is as Is,
    IsNot as IsNot,
    JoinedStr as JoinedStr,
    LShift as LShift,
    List as List,
    ListComp as ListComp,
    Load as Load,
    Lt as Lt,
    LtE as LtE,
    MatMult as MatMult,
    Match as Match,
    MatchAs as MatchAs,
    MatchClass as MatchClass,
    MatchMapping as MatchMapping,
    MatchOr as MatchOr,
    MatchSequence as MatchSequence,
    MatchSingleton as MatchSingleton,
    MatchStar as MatchStar,
    MatchValue as MatchValue,
    Mod as Mod,
    Module as Module,
    Mult as Mult,
    Nonlocal as Nonlocal,
    Not as Not,
    NotEq as NotEq,
    NotIn as NotIn,
    Or as Or,
    Pass as Pass,
    Pow as Pow,
    RShift as RShift,
    Raise as Raise,
    Return as Return,
    Set as Set,
    SetComp as SetComp,
    Slice as Slice,
    Starred as Starred,
    Store as Store,
    Sub as Sub,
    Subscript as Subscript,
    Tuple as Tuple,
    UAdd as UAdd,
    USub as USub,
    UnaryOp as UnaryOp,
    While as While,
    With as With,
    Yield as Yield,
    YieldFrom as YieldFrom,
    alias as alias,
    boolop as boolop,
    cmpop as cmpop,
    comprehension as comprehension,
    expr as expr,
    expr_context as expr_context,
    iter_child_nodes as iter_child_nodes,
    iter_fields as iter_fields,
    keyword as keyword,
    match_case as match_case,
    mod as mod,
    operator as operator,
    pattern as pattern,
    stmt as stmt,
    unaryop as unaryop,
    withitem as withitem,
)
from collections.abc import Iterator
from typing import Any, TypeVar as _TypeVar

_Node = _TypeVar("_Node", bound=AST)

def parse(source: str | bytes, filename: str = ..., mode: str = ...) -> Module: ...
def ast_to_gast(node: ast.AST) -> Any: ...
def gast_to_ast(node: AST) -> Any: ...
def unparse(gast_obj: AST) -> str: ...
def dump(
    node: AST,
    annotate_fields: bool = True,
    include_attributes: bool = False,
    indent: int | str | None = None,
    show_empty: bool = True,
) -> str: ...
def walk(node: AST) -> Iterator[AST]: ...
def copy_location(new_node: _Node, old_node: AST) -> _Node: ...
def fix_missing_locations(node: _Node) -> _Node: ...
def get_docstring(node: AST, clean: bool = True) -> str | None: ...
def literal_eval(node_or_string: str | AST) -> Any: ...

class NodeVisitor:
    def visit(self, node: AST) -> Any: ...
    def generic_visit(self, node: AST) -> Any: ...

class NodeTransformer(NodeVisitor):
    def generic_visit(self, node: AST) -> AST: ...

class Param(expr_context): ...
class AugLoad(expr_context): ...
class AugStore(expr_context): ...
class type_param(AST): ...

class Name(expr):
    id: str
    ctx: expr_context
    annotation: expr | None
    type_comment: str | None
    def __init__(
        self,
        id: str,
        ctx: expr_context,
        annotation: expr | None = None,
        type_comment: str | None = None,
        **location: int,
    ) -> None: ...

class Constant(expr):
    value: Any
    kind: str | None
    def __init__(self, value: object, kind: str | None = None, **location: int) -> None: ...

class arguments(AST):
    args: list[Name]
    posonlyargs: list[Name]
    vararg: Name | None
    kwonlyargs: list[Name]
    kw_defaults: list[expr | None]
    kwarg: Name | None
    defaults: list[expr]
    def __init__(
        self,
        args: list[Name],
        posonlyargs: list[Name],
        vararg: Name | None,
        kwonlyargs: list[Name],
        kw_defaults: list[expr | None],
        kwarg: Name | None,
        defaults: list[expr],
    ) -> None: ...

class Lambda(expr):
    args: arguments
    body: expr
    def __init__(self, args: arguments, body: expr, **location: int) -> None: ...

class NamedExpr(expr):
    target: Name
    value: expr
    def __init__(self, target: Name, value: expr, **location: int) -> None: ...

class _Function(stmt):
    name: str
    args: arguments
    body: list[stmt]
    decorator_list: list[expr]
    returns: expr | None
    type_comment: str | None
    type_params: list[type_param]
    def __init__(
        self,
        name: str,
        args: arguments,
        body: list[stmt],
        decorator_list: list[expr],
        returns: expr | None,
        type_comment: str | None,
        type_params: list[type_param],
        **location: int,
    ) -> None: ...

class FunctionDef(_Function): ...
class AsyncFunctionDef(_Function): ...

class ClassDef(stmt):
    name: str
    bases: list[expr]
    keywords: list[keyword]
    body: list[stmt]
    decorator_list: list[expr]
    type_params: list[type_param]
    def __init__(
        self,
        name: str,
        bases: list[expr],
        keywords: list[keyword],
        body: list[stmt],
        decorator_list: list[expr],
        type_params: list[type_param],
        **location: int,
    ) -> None: ...

class Assign(stmt):
    targets: list[expr]
    value: expr
    type_comment: str | None
    def __init__(
        self, targets: list[expr], value: expr, type_comment: str | None = None, **location: int
    ) -> None: ...

class AugAssign(stmt):
    target: Name | Attribute | Subscript
    op: operator
    value: expr
    def __init__(
        self, target: Name | Attribute | Subscript, op: operator, value: expr, **location: int
    ) -> None: ...

class AnnAssign(stmt):
    target: Name | Attribute | Subscript
    annotation: expr
    value: expr | None
    simple: int
    def __init__(
        self,
        target: Name | Attribute | Subscript,
        annotation: expr,
        value: expr | None,
        simple: int,
        **location: int,
    ) -> None: ...

class excepthandler(AST):
    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None

class ExceptHandler(excepthandler):
    type: expr | None
    name: Name | None
    body: list[stmt]
    def __init__(self, type: expr | None, name: Name | None, body: list[stmt], **location: int) -> None: ...

class _Try(stmt):
    body: list[stmt]
    handlers: list[ExceptHandler]
    orelse: list[stmt]
    finalbody: list[stmt]
    def __init__(
        self,
        body: list[stmt],
        handlers: list[ExceptHandler],
        orelse: list[stmt],
        finalbody: list[stmt],
        **location: int,
    ) -> None: ...

class Try(_Try): ...

# For the type checkers a kind of Try, as whatever is done with one is done with the other; at run time a class of its own.
class TryStar(Try): ...

class TypeAlias(stmt):
    name: expr
    type_params: list[type_param]
    value: expr

class TypeVar(type_param):
    name: str
    bound: expr | None
    default_value: expr | None

class ParamSpec(type_param):
    name: str
    default_value: expr | None

class TypeVarTuple(type_param):
    name: str
    default_value: expr | None

class TemplateStr(expr):
    values: list[expr]

class Interpolation(expr):
    value: expr
    str: Any
    conversion: int
    format_spec: expr | None
