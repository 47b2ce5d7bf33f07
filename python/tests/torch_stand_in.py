"""As much of PyTorch as Program.torch calls, on NumPy's arrays: what is asked of torch is asked in .ci/run without its gigabytes.

Operators keep what is registered with them, so that a test calls fake, backward and vmap itself, as torch does.
"""

import types

import numpy as np

float32, float64 = np.dtype("float32"), np.dtype("float64")


class Tensor:
    """An array with the names that torch has for what NumPy does."""

    def __init__(self, array):
        self.array = np.asarray(array)
        self.shape, self.ndim, self.dtype = self.array.shape, self.array.ndim, self.array.dtype
        self.device = types.SimpleNamespace(type="cpu")

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __getitem__(self, at):
        return Tensor(self.array[at])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype)

    def detach(self):
        return self

    def is_complex(self):
        return self.dtype.kind == "c"

    def is_floating_point(self):
        return self.dtype.kind == "f"

    def to(self, kind):
        return Tensor(self.array.astype(kind, copy=False))

    def expand(self, *shape):
        shape = shape[0] if isinstance(shape[0], tuple) else shape
        return Tensor(np.broadcast_to(self.array, shape))

    def movedim(self, source, destination):
        return Tensor(np.moveaxis(self.array, source, destination))

    def new_empty(self, shape):
        return Tensor(np.full(shape, np.nan, self.dtype))

    def new_zeros(self, shape):
        return Tensor(np.zeros(shape, self.dtype))


class Operator:
    """torch.library.CustomOpDef."""

    def __init__(self, name, compute, schema):
        self.name, self.compute, self.schema = name, compute, schema

    def __call__(self, *tensors):
        assert self.schema.split("->")[0].count("Tensor ") == len(tensors) and len({x.dtype for x in tensors}) == 1
        results = self.compute(*tensors)
        assert (isinstance(results, tuple) and len(results) == self.schema.split("->")[1].count("Tensor")) or self.schema.endswith("-> Tensor")
        for x in results if isinstance(results, tuple) else (results,):
            assert isinstance(x, Tensor) and not any(np.shares_memory(x.array, each.array) for each in tensors)
        return results

    def register_fake(self, fake):
        self.fake = fake

    def register_autograd(self, backward, *, setup_context):
        self._backward, self._setup = backward, setup_context

    def register_vmap(self, over_batch):
        self.over_batch = over_batch

    def backward(self, tensors, *gradients):
        """What torch's engine does: a context at the call, and the backward with it."""
        context = types.SimpleNamespace()
        context.save_for_backward = lambda *saved: setattr(context, "saved_tensors", saved)
        self._setup(ctx=context, inputs=tensors, output=self(*tensors))
        return self._backward(context, *gradients)


def custom_op(name, compute, *, mutates_args, schema, device_types):
    assert name.startswith("sparsedyn::") and mutates_args == () and device_types == "cpu"
    return Operator(name, compute, schema)


class _Function:
    """What is called forwards only."""

    @classmethod
    def apply(cls, *tensors):
        return cls.forward(*tensors)


autograd = types.SimpleNamespace(Function=_Function)
library = types.SimpleNamespace(custom_op=custom_op)


def as_tensor(x, dtype=None):
    """Of Python's numbers and lists in the usual type, unless another is asked for: rounded here, as torch does."""
    if isinstance(x, Tensor) or hasattr(x, "dtype"):
        made = x if isinstance(x, Tensor) else Tensor(x)
        return made if dtype is None else made.to(dtype)
    made = np.asarray(x)
    return Tensor(made.astype(dtype if dtype is not None else get_default_dtype() if made.dtype.kind == "f" else made.dtype))


def from_dlpack(x):
    return Tensor(np.from_dlpack(x))


def broadcast_shapes(*shapes):
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise RuntimeError(str(error)) from None


def get_default_dtype():
    return float32
