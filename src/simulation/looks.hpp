// What a robot looks like on a page: the shapes of its file, meshes where their files are found, else boxes along its links.
#pragma once

#include <string>
#include <vector>

#include "report/animation.hpp"
#include "sparsedyn/model/model.hpp"

namespace sparsedyn {

/// Where the files of meshes are looked for.
struct MeshPlaces {
  std::vector<std::string> packages;         // folders that hold packages, or are one; then those of ROS_PACKAGE_PATH
  std::string beside;                        // the robot's file, whose folder and those above it are looked in; empty: none is
  bool wanted = true;                        // false: no mesh is read
  std::vector<report::MeshKind> kinds = {};  // beside STL and OBJ
};

/// Shapes by bodies and what is to be said of them.
struct RobotLooks {
  std::vector<report::AnimatedShape> shapes;  // bodies without one get boxes along their links, a ball, or their inertia's box
  std::vector<report::Mesh> meshes;
  std::string words;  // how many bodies are drawn by what, and which meshes are missing
};

/// The path of a mesh's file as a URDF names it: package://NAME/…, model://NAME/…, file://…, or relative to the robot's file.
/// Where it is of no kind that is read, an STL or OBJ of the same name beside it. Empty if there is none.
std::string found_mesh(const std::string& named, const MeshPlaces& places);
/// An STL or OBJ of the same name beside it; empty if there is none.
std::string mesh_beside(const std::string& path);

/// The box of even density with a body's mass and second moments: along the principal axes of Σ = ∫ (x − c)(x − c)ᵀ dm its half
/// sides are √(3 σ/m), but none above `most`: files hold inertias that no body of the robot's size has. m > 0.
struct InertiaBox {
  Vec3<double> half;  // m
  Pose<double> pose;  // in the body's frame
};
InertiaBox inertia_box(const Inertia<double>& inertia, double most);

/// All meshes together have about 30 000 triangles, each at least 200 where it has as many. A mesh that is not found or not
/// read counts as none. Throws nothing but std::bad_alloc.
RobotLooks looks_of(const Model& model, const MeshPlaces& places);

/// By body: the limb it belongs to, 0 of a floating trunk, a new one wherever the tree branches; and its depth in the tree.
/// @{
std::vector<int> limbs_of(const Model& model);
std::vector<int> depths_of(const Model& model);
/// @}

/// The longest way from the root along placements, to a centre of mass; infinite for one body, which no other measures.
double reach_of(const Model& model);

}  // namespace sparsedyn
