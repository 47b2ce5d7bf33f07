// Meshes of scenes: COLLADA and glTF, whose parts lie in a tree of nodes.
#pragma once

#include <string>
#include <vector>

#include "report/meshes/mesh.hpp"

namespace sparsedyn {

/// .dae, .gltf and .glb, for report::read_mesh.
std::vector<report::MeshKind> more_mesh_kinds();

/// COLLADA 1.4 and 1.5: triangles, polygons (as fans), strips and fans of the scene's geometries, in metres by its <unit>; axes
/// as the file has them, as RViz takes them (<up_axis> turns nothing). Without a scene, all geometries where they are. Skins
/// and curves are left out. Throws InputError with the line.
report::Mesh read_collada(const std::string& path);

/// glTF 2.0, as JSON or binary, with buffers in the file or beside it: triangles, strips and fans of the scene. The format's y
/// points upwards: it becomes z, as Drake takes it. Throws InputError.
report::Mesh read_gltf(const std::string& path);

}  // namespace sparsedyn
