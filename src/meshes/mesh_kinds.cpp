#include "meshes/mesh_kinds.hpp"

namespace sparsedyn {

std::vector<report::MeshKind> more_mesh_kinds() { return {{"dae", read_collada}, {"gltf", read_gltf}, {"glb", read_gltf}}; }

}  // namespace sparsedyn
