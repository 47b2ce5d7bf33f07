"""Programs as operators of PyTorch: torch.library's custom operators, each the backward of another, around arrays by DLPack.

The backward of y = f(x) is the operator of (∂y/∂x)ᵀ times_y, its tangent that of (∂y/∂x) along_x; these have derivatives of the same
kind, so that gradients can be differentiated as often as is asked. What users call is an autograd.Function around the operator,
because torch.func differentiates those alone.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._derived import COORDINATE_INPUTS, Derived, in_order
from ._results import Answer

if TYPE_CHECKING:
    from ._program import Program

try:
    torch: Any = importlib.import_module("torch")
except ImportError:
    raise ImportError("torch() needs PyTorch: pip install 'sparsedyn[torch]'") from None

_operators: dict[tuple[int, str], Callable[..., Any]] = {}
_functions: dict[tuple[int, str], Any] = {}
_codes: dict[int, Derived] = {}  # by the operator's number; torch keeps operators for ever, and nothing that they do not need
_numbers = itertools.count()
atexit.register(_codes.clear)
atexit.register(_functions.clear)


def _tuple(values: Any) -> tuple[Any, ...]:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _batch_of(code: Derived, tensors: tuple[Any, ...]) -> tuple[int, ...]:
    """Leading axes, which all tensors of an operator have alike."""
    return tuple(tensors[0].shape[: len(tensors[0].shape) - len(code.inputs[0][1])])


def _compute(code: Derived, on_error: Any, *tensors: Any) -> Any:
    arrays = [np.from_dlpack(x.detach()) for x in tensors]
    made = tuple(torch.from_dlpack(np.ascontiguousarray(x)) for x in code.results(arrays, on_error))
    return made if len(code.outputs) > 1 else made[0]


def _like(code: Derived, *tensors: Any) -> Any:
    """Results without their numbers."""
    batch = _batch_of(code, tensors)
    made = tuple(tensors[0].new_empty(batch + shape) for _, shape in code.outputs)
    return made if len(code.outputs) > 1 else made[0]


def _filled(like: Any, batch: tuple[int, ...], given: tuple[Any, ...], shapes: Any) -> list[Any]:
    """Zeros where torch has none."""
    return [like.new_zeros(batch + shape) if x is None else x for x, (_, shape) in zip(given, shapes)]


def _back(call: Callable[..., Any], code: Derived, saved: Any, gradients: Any) -> Any:
    times = _filled(saved[0], _batch_of(code, saved), gradients, code.outputs)
    return _tuple(call(code.then("r"))(*saved, *times))


def _over_batch(call: Callable[..., Any], info: Any, axes: tuple[int | None, ...], tensors: Any) -> Any:
    moved = [x.expand(info.batch_size, *x.shape) if axis is None else x.movedim(axis, 0) for x, axis in zip(tensors, axes)]
    results = call(*moved)
    return results, (0,) * len(results) if isinstance(results, tuple) else 0


def operator(code: Derived, on_error: str) -> Callable[..., Any]:
    """Of tensors of one type with the same leading axes; made once for each program in a process."""
    key = (id(code), on_error)
    if key not in _operators:
        number = next(_numbers)
        _codes[number] = code
        results = ["Tensor"] * len(code.outputs)
        schema = f"({', '.join(f'Tensor {name}' for name, _ in code.inputs)}) -> {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}"
        compute = lambda *x: _compute(_codes[number], on_error, *x)  # noqa: E731
        made = torch.library.custom_op(f"sparsedyn::{code.name}_{number}", compute, mutates_args=(), schema=schema, device_types="cpu")
        made.register_fake(lambda *x: _like(_codes[number], *x))
        again = functools.partial(operator, on_error=on_error)
        made.register_autograd(lambda ctx, *gradients: _back(again, _codes[number], ctx.saved_tensors, gradients), setup_context=_keep_inputs)
        made.register_vmap(lambda info, axes, *x: _over_batch(again(_codes[number]), info, axes, x))
        _operators[key] = made
    return _operators[key]


def _keep_inputs(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


def differentiable(code: Derived, on_error: str) -> Callable[..., Any]:
    """The operator as torch.func differentiates it, backwards and forwards."""
    key = (id(code), on_error)
    if key not in _functions:
        call = operator(code, on_error)
        again = functools.partial(differentiable, on_error=on_error)

        class Function(torch.autograd.Function):  # type: ignore[misc]
            @staticmethod
            def forward(*tensors: Any) -> Any:
                return call(*tensors)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs)
                ctx.save_for_forward(*inputs)

            @staticmethod
            def backward(ctx: Any, *gradients: Any) -> Any:
                return _back(again, code, ctx.saved_tensors, gradients)

            @staticmethod
            def jvp(ctx: Any, *tangents: Any) -> Any:
                saved = ctx.saved_tensors
                return again(code.then("f"))(*saved, *_filled(saved[0], _batch_of(code, saved), tangents, code.inputs))

            @staticmethod
            def vmap(info: Any, axes: Any, *tensors: Any) -> Any:
                return _over_batch(again(code), info, axes, tensors)

        _functions[key] = Function
    apply: Callable[..., Any] = _functions[key].apply
    return apply


def _kind(typed: list[Any]) -> Any:
    """The type of floating numbers that what has a type asks for; torch's usual one where nothing does."""
    if any(x.dtype == torch.float64 for x in typed):
        return torch.float64
    return torch.float64 if not any(x.is_floating_point() for x in typed) and torch.get_default_dtype() == torch.float64 else torch.float32


def _in_type(x: Any, kind: Any) -> Any:
    """Python's numbers and lists, of which torch alone would make its usual type, with fewer digits than the program reads."""
    plain = torch.as_tensor(x)
    return plain if plain.is_complex() else torch.as_tensor(x, dtype=kind)


def _operands(code: Derived, given: list[Any]) -> list[Any]:
    """Floating tensors of one type, each with all leading axes."""
    typed = [x if isinstance(x, torch.Tensor) else torch.as_tensor(np.asarray(x)) if hasattr(x, "dtype") else None for x in given]
    kind = _kind([x for x in typed if x is not None])
    tensors = [_in_type(x, kind) if each is None else each for x, each in zip(given, typed)]
    for x in tensors:
        if x.device.type != "cpu":
            raise ValueError(f"{code.name}: a tensor on {x.device}; expected cpu")
        if x.is_complex():
            raise TypeError(f"{code.name}: {x.dtype}; expected float64 or float32")
    shaped = []
    for x, (name, core) in zip(tensors, code.inputs):
        if x.ndim == 0 and len(core) == 1 and name not in COORDINATE_INPUTS:
            x = x.expand(core)
        if x.ndim < len(core) or tuple(x.shape[x.ndim - len(core) :]) != core:
            raise ValueError(f"{name}: {tuple(x.shape)}; expected (..., {', '.join(map(str, core))})")
        shaped.append(x.to(kind))
    batches = [tuple(x.shape[: x.ndim - len(core)]) for x, (_, core) in zip(shaped, code.inputs)]
    try:
        batch = tuple(torch.broadcast_shapes(*batches))
    except RuntimeError:
        shapes = ", ".join(f"{name} {tuple(x.shape)}" for x, (name, _) in zip(shaped, code.inputs))
        raise ValueError(f"{shapes}: their leading axes do not broadcast") from None
    return [x.expand(batch + core) for x, (_, core) in zip(shaped, code.inputs)]


def function(program: Program, on_error: str) -> Callable[..., Any]:
    """The program as a function of tensors; see Program.torch."""
    if on_error not in ("raise", "nan"):
        raise ValueError(f"on_error: {on_error!r}; expected 'raise' or 'nan'")
    code = program._derivatives
    make = program._tuple

    def call(*arguments: Any, **by_name: Any) -> Any:
        results = _tuple(differentiable(code, on_error)(*_operands(code, in_order(program, arguments, by_name))))
        value = make(*results) if make else results[0]
        if on_error == "raise":
            return value
        failed = sum((~torch.isfinite(x)).sum(dim=tuple(range(x.ndim - len(core), x.ndim))) for x, (_, core) in zip(results, code.outputs)) > 0
        return Answer(value, failed)

    call.__name__ = call.__qualname__ = program.name
    call.__doc__ = f"{program.what}, of tensors {', '.join(program.inputs)}"
    return call
