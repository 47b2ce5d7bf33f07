"""What inspect.signature, and help in notebooks, know of functions in C++: what their text says."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from . import _core


def _default(node: ast.expr | None) -> Any:
    if node is None:
        return inspect.Parameter.empty
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def parsed(text: str) -> inspect.Signature:
    """Of `def name(a: int, *, b: str = 'x') -> T`; annotations as texts."""
    function = ast.parse(text.rstrip().rstrip(":") + ": ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    of, kinds = function.args, inspect.Parameter

    def parameter(node: ast.arg, kind: Any, default: ast.expr | None = None) -> inspect.Parameter:
        annotation = ast.unparse(node.annotation) if node.annotation else kinds.empty
        return inspect.Parameter(node.arg, kind, default=_default(default), annotation=annotation)

    given = [(node, kinds.POSITIONAL_ONLY) for node in of.posonlyargs] + [(node, kinds.POSITIONAL_OR_KEYWORD) for node in of.args]
    defaults = [None] * (len(given) - len(of.defaults)) + list(of.defaults)
    found = [parameter(node, kind, default) for (node, kind), default in zip(given, defaults)]
    if of.vararg:
        found.append(parameter(of.vararg, kinds.VAR_POSITIONAL))
    found += [parameter(node, kinds.KEYWORD_ONLY, default) for node, default in zip(of.kwonlyargs, of.kw_defaults)]
    if of.kwarg:
        found.append(parameter(of.kwarg, kinds.VAR_KEYWORD))
    returned = ast.unparse(function.returns) if function.returns else inspect.Signature.empty
    return inspect.Signature(found, return_annotation=returned)


def _of_function(function: Any) -> inspect.Signature:
    return parsed(function.__nb_signature__[0][0])


def _of_bound(method: Any) -> inspect.Signature:
    return _without_self(_of_function(method.__func__))


def _without_self(whole: inspect.Signature) -> inspect.Signature:
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def _of_class(kind: type) -> inspect.Signature:
    """That of `__init__`; Python 3.11.2 asks `__new__`, which is there and tells nothing. Other classes have none here: Python looks itself."""
    init = next(base.__dict__["__init__"] for base in kind.__mro__ if "__init__" in base.__dict__)
    if not hasattr(init, "__nb_signature__"):
        raise AttributeError("__signature__")
    return _without_self(_of_function(init))


def teach() -> None:
    """The types of functions, methods and classes are the module's own: nobody else's change."""
    bound = _core.Model.__new__(_core.Model).neutral
    kinds = ((type(_core.rnea), _of_function), (type(_core.Model.neutral), _of_function), (type(bound), _of_bound), (type(_core.Model), _of_class))
    for kind, signature in kinds:
        _core._set_signature(kind, property(signature))
