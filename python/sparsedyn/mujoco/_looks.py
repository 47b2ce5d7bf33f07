"""Geoms as what a link looks like: the visuals of robot files."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._frames import inverse, pose, pose_json, times
from ._compiled import Names, any_of, mujoco_module


def looks_of(model: Any, names: Names, body: int) -> dict[str, Any]:
    """Of the body's geoms that are spheres, capsules, cylinders, boxes or meshes, in its frame."""
    first = int(model.body_geomadr[body])
    found = [made for geom in range(first, first + int(model.body_geomnum[body])) if (made := _look(model, names, geom)) is not None]
    return {"visuals": found} if found else {}


def _look(model: Any, names: Names, geom: int) -> dict[str, Any] | None:
    types, kind = mujoco_module().mjtGeom, int(model.geom_type[geom])
    radius, half, _ = map(float, model.geom_size[geom])
    frame = pose(model.geom_pos[geom], model.geom_quat[geom])
    shapes: dict[int, dict[str, Any]] = {
        int(types.mjGEOM_SPHERE): {"shape": "sphere", "radius": radius},
        int(types.mjGEOM_CAPSULE): {"shape": "capsule", "radius": radius, "length": 2 * half},
        int(types.mjGEOM_CYLINDER): {"shape": "cylinder", "radius": radius, "length": 2 * half},
        int(types.mjGEOM_BOX): {"shape": "box", "size": [float(2 * x) for x in model.geom_size[geom]]},
    }
    mesh = int(model.geom_dataid[geom])
    if kind == int(types.mjGEOM_MESH) and mesh >= 0:  # MuJoCo has moved the mesh to its centre of mass
        frame = times(frame, inverse(pose(model.mesh_pos[mesh], model.mesh_quat[mesh])))
        scale = any_of(model, "mesh_scale")
        shapes[kind] = {"shape": "mesh", "file": _file(model, names, mesh), **({"scale": [float(x) for x in scale[mesh]]} if scale.size else {})}
    if kind not in shapes:
        return None
    name = names.raw("geom", geom)
    return {**({"name": name} if name else {}), **shapes[kind], "pose": pose_json(frame)}


def _file(model: Any, names: Names, mesh: int) -> str:
    """Its path as the model has it, else its name."""
    addresses = any_of(model, "mesh_pathadr")
    if addresses.size and (start := int(addresses[mesh])) >= 0:
        return bytes(model.paths)[start:].split(b"\0", 1)[0].decode("utf-8", "replace")
    return names.raw("mesh", mesh)
