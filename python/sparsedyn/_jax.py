"""Programs as functions of JAX: one primitive whose derivatives are programs again.

With y = f(x): the tangent rule calls the program of (∂y/∂x) along_x, and what is linear in along_x is transposed into the program
of (∂y/∂x)ᵀ times_y. Both have tangent rules of the same kind, so that any order is served. A batch is one call.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._derived import COORDINATE_INPUTS, Derived, in_order
from ._jax_handler import handler
from ._results import Answer

if TYPE_CHECKING:
    from ._core import CompiledFunction
    from ._program import Program


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError("jax() needs JAX: pip install 'sparsedyn[jax]'") from None


jax, jnp = _module("jax"), _module("jax.numpy")
ad, batching, mlir = (_module(f"jax.interpreters.{name}") for name in ("ad", "batching", "mlir"))
_call = _module("jax.extend.core").Primitive("sparsedyn_program")
_call.multiple_results = True
_targets: dict[str, CompiledFunction] = {}  # of XLA, by name; their code must live as long as they
_registering = threading.Lock()


def _batch_of(shapes: list[tuple[int, ...]], code: Derived) -> tuple[int, ...]:
    return tuple(jnp.broadcast_shapes(*(shape[: len(shape) - len(core)] for shape, (_, core) in zip(shapes, code.inputs))))


def _abstract(*operands: Any, code: Derived, on_error: str) -> list[Any]:
    batch = _batch_of([x.shape for x in operands], code)
    return [jax.core.ShapedArray(batch + shape, operands[0].dtype) for _, shape in code.outputs]


def _target(code: Derived, on_error: str) -> str:
    """Of XLA, compiled and registered once. The name stands for the text, in every process, so that JAX may keep what it compiled."""
    name = f"sparsedyn_{code.name}_{on_error}_{code.digest()}"
    if name not in _targets:
        function = code.compiled(lambda operations: handler(code, operations))
        address = ctypes.CFUNCTYPE(ctypes.c_void_p)(function._address(f"{code.name}_xla_{on_error}"))
        with _registering:  # XLA refuses a second one, which an equal program of another thread may have registered by now
            if name not in _targets:
                jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(address), platform="cpu")
                _targets[name] = function
    return name


def _lower(context: Any, *operands: Any, code: Derived, on_error: str) -> Any:
    return jax.ffi.ffi_lowering(_target(code, on_error))(context, *operands)


@functools.lru_cache(maxsize=None)
def _alone(code: Derived, on_error: str) -> Any:
    """The call where nothing is traced."""
    return jax.jit(lambda *operands: _call.bind(*operands, code=code, on_error=on_error))


def _zeros(x: Any, like: Any) -> Any:
    return jnp.zeros(jnp.shape(like), jnp.result_type(like)) if type(x) is ad.Zero else x


def _tangents(primals: Any, tangents: Any, *, code: Derived, on_error: str) -> Any:
    values = _call.bind(*primals, code=code, on_error=on_error)
    if all(type(t) is ad.Zero for t in tangents[: code.linear_from]):  # what is linear is its own derivative
        along = [_zeros(t, x) for t, x in zip(tangents[code.linear_from :], primals[code.linear_from :])]
        return values, _call.bind(*primals[: code.linear_from], *along, code=code, on_error=on_error)
    along = [_zeros(t, x) for t, x in zip(tangents, primals)]
    return values, _call.bind(*primals, *along, code=code.then("f"), on_error=on_error)


def _transposed(cotangents: Any, *operands: Any, code: Derived, on_error: str) -> Any:
    known, linear = operands[: code.linear_from], operands[code.linear_from :]
    if any(ad.is_undefined_primal(x) for x in known):
        raise NotImplementedError(f"{code.name} is not linear in {', '.join(name for name, _ in code.inputs[: code.linear_from])}")
    before = code.before
    assert before is not None
    times = [ad.instantiate_zeros(c) for c in cotangents]
    back = _call.bind(*known, *times, code=before.then("r" if code.letters[-1] == "f" else "f"), on_error=on_error)
    return [None] * len(known) + [_summed_like(c, x.aval) if ad.is_undefined_primal(x) else None for c, x in zip(back, linear)]


def _summed_like(x: Any, aval: Any) -> Any:
    """The cotangent of what was one for all samples along some axes."""
    axes = tuple(k for k, (n, m) in enumerate(zip(x.shape, aval.shape)) if n != m)
    return jnp.sum(x, axis=axes, keepdims=True) if axes else x


def _batched(operands: Any, axes: Any, *, code: Derived, on_error: str) -> Any:
    moved = [jnp.expand_dims(x, 0) if axis is None else jnp.moveaxis(x, axis, 0) for x, axis in zip(operands, axes)]
    return _call.bind(*moved, code=code, on_error=on_error), [0] * len(code.outputs)


_call.def_impl(lambda *operands, **parameters: _alone(**parameters)(*operands))
_call.def_abstract_eval(_abstract)
mlir.register_lowering(_call, _lower, platform="cpu")
ad.primitive_jvps[_call] = _tangents
ad.primitive_transposes[_call] = _transposed
batching.primitive_batchers[_call] = _batched


def _operands(code: Derived, given: list[Any]) -> list[Any]:
    """Floating arrays of one type, each with all axes of the batch, of length 1 where it has no such axis."""
    arrays = [jnp.asarray(x) for x in given]
    dtype = jnp.result_type(*arrays)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        raise TypeError(f"{code.name}: {dtype}; expected float64 or float32")
    if dtype not in (jnp.float32, jnp.float64):
        wide = jax.config.jax_enable_x64 and not jnp.issubdtype(dtype, jnp.floating)
        dtype = jnp.dtype(jnp.float64 if wide else jnp.float32)
    shaped = []
    for x, (name, core) in zip(arrays, code.inputs):
        if x.ndim == 0 and len(core) == 1 and name not in COORDINATE_INPUTS:
            x = jnp.broadcast_to(x, core)
        if x.ndim < len(core) or x.shape[x.ndim - len(core) :] != core:
            raise ValueError(f"{name}: {x.shape}; expected (..., {', '.join(map(str, core))})")
        shaped.append(x.astype(dtype))
    axes = max((x.ndim - len(core) for x, (_, core) in zip(shaped, code.inputs)), default=0)
    try:
        _batch_of([x.shape for x in shaped], code)
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for x, (name, _) in zip(shaped, code.inputs))
        raise ValueError(f"{shapes}: their leading axes do not broadcast") from None
    return [jnp.reshape(x, (1,) * (axes - x.ndim + len(core)) + x.shape) for x, (_, core) in zip(shaped, code.inputs)]


def _failed(results: list[Any], code: Derived) -> Any:
    flags = [jnp.any(~jnp.isfinite(x), axis=tuple(range(x.ndim - len(core), x.ndim))) for x, (_, core) in zip(results, code.outputs)]
    return functools.reduce(jnp.logical_or, flags)


def function(program: Program, on_error: str) -> Callable[..., Any]:
    """The program as a function of JAX; see Program.jax."""
    if on_error not in ("raise", "nan"):
        raise ValueError(f"on_error: {on_error!r}; expected 'raise' or 'nan'")
    code = program._derivatives
    make = program._tuple

    def call(*arguments: Any, **by_name: Any) -> Any:
        operands = _operands(code, in_order(program, arguments, by_name))
        results: Any = _call.bind(*operands, code=code, on_error=on_error)
        value = make(*results) if make else results[0]
        return Answer(value, _failed(results, code)) if on_error == "nan" else value

    shapes = [", ".join(f"{name} (..., {', '.join(map(str, core))})" for name, core in ports) for ports in (code.inputs, code.outputs)]
    call.__name__ = call.__qualname__ = program.name
    call.__doc__ = f"{program.what}: ({shapes[0]}) -> ({shapes[1]})"
    return call


