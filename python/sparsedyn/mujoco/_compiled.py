"""The compiled model of a path, a text, an MjSpec or an MjModel: what MuJoCo itself computes with."""

from __future__ import annotations

import importlib
import os
from typing import Any


def mujoco_module() -> Any:
    """MuJoCo's package. Raises ImportError that names the extra."""
    try:
        return importlib.import_module("mujoco")
    except ImportError as error:
        raise ImportError("MuJoCo's package is not installed; expected pip install 'sparsedyn[mujoco]'") from error


def compiled(source: Any) -> Any:
    """The MjModel. A text that begins with `<` is MJCF itself, any other a path. Raises ValueError for what MuJoCo refuses."""
    mujoco = mujoco_module()
    if isinstance(source, mujoco.MjModel):
        return source
    if isinstance(source, mujoco.MjSpec):
        return source.compile()
    text = os.fspath(source)
    if isinstance(text, bytes):
        text = text.decode()
    try:
        if text.lstrip("\ufeff \t\r\n").startswith("<"):
            return mujoco.MjModel.from_xml_string(text)
        if not os.path.exists(text):
            raise ValueError(f"{text}: no such file; expected a path, a text of MJCF, an MjSpec or an MjModel")
        return mujoco.MjModel.from_xml_path(text)
    except mujoco.FatalError as error:
        raise ValueError(f"{text[:200]}: {error}") from error


class Names:
    """What elements are called: MuJoCo's name, or one of our own where it has none; each once."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._mujoco = mujoco_module()
        self._taken: dict[str, set[str]] = {}

    def of(self, kind: str, index: int) -> str:
        """As messages name it: `joint "elbow"`, `geom 3`."""
        name = self.raw(kind, index)
        return f'{kind} "{name}"' if name else f"{kind} {index}"

    def raw(self, kind: str, index: int) -> str:
        """MuJoCo's, or an empty text."""
        types = {"dof": "DOF", "key": "KEY"}
        object_type = getattr(self._mujoco.mjtObj, "mjOBJ_" + types.get(kind, kind.upper()))
        return str(self._mujoco.mj_id2name(self._model, object_type, index) or "")

    def unique(self, among: str, wish: str) -> str:
        """`wish`, or `wish_2`, … where that is taken."""
        taken = self._taken.setdefault(among, set())
        name, count = wish, 1
        while name in taken:
            count += 1
            name = f"{wish}_{count}"
        taken.add(name)
        return name


def disabled(model: Any, flag: str) -> bool:
    """Whether the option's flag is off: "gravity", "contact", …"""
    bit = getattr(mujoco_module().mjtDisableBit, "mjDSBL_" + flag.upper(), None)
    return bit is not None and bool(model.opt.disableflags & int(bit))


def without_passive_forces(model: Any) -> bool:
    """Whether no passive force is computed: fluids and the compensation of gravity go with springs and damping."""
    return disabled(model, "passive") or (disabled(model, "spring") and disabled(model, "damper"))


def any_of(model: Any, field: str) -> Any:
    """A field of the model that only some versions have: zeros where it is missing."""
    import numpy as np

    return np.asarray(getattr(model, field, np.zeros(0)))
