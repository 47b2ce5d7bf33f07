// The types of joint that one body can have: a registry. A new type is a file of model/detail/joints (the tables and functions
// of model/detail/joint_type.hpp) and, here, its include and its line. Motion subspaces S are constant in the body's frame.
#pragma once

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/detail/joints/fixed.hpp"
#include "sparsedyn/model/detail/joints/floating.hpp"
#include "sparsedyn/model/detail/joints/helical.hpp"
#include "sparsedyn/model/detail/joints/planar.hpp"
#include "sparsedyn/model/detail/joints/prismatic.hpp"
#include "sparsedyn/model/detail/joints/revolute.hpp"
#include "sparsedyn/model/detail/joints/spherical.hpp"

/// X(name, type) for each; a new one last, for fingerprints of plans hold the numbers of the old ones.
#define SPARSEDYN_JOINT_TYPES(X) \
  X(revolute, RevoluteJoint)     \
  X(prismatic, PrismaticJoint)   \
  X(helical, HelicalJoint)       \
  X(spherical, SphericalJoint)   \
  X(planar, PlanarJoint)         \
  X(floating, FloatingJoint)     \
  X(fixed, FixedJoint)

namespace sparsedyn {

#define SPARSEDYN_NAME(name, type) name,
/// Joints that one body can have:
///   revolute (e_z; 0) | prismatic (0; e_z) | helical (e_z; pitch e_z) | spherical (1; 0) |
///   planar: columns vx, vy, w = (0; e_x), (0; e_y), (e_z; 0) | floating: (1 0; 0 1), angular first |
///   fixed: no column; only in what a formulation makes of a Model (a frame on the way to the next body).
/// Coordinates: planar x, y, angle; spherical a quaternion x y z w; floating the position, then a quaternion x y z w.
enum class BodyJoint { SPARSEDYN_JOINT_TYPES(SPARSEDYN_NAME) };

/// What a user can ask for: a joint of one body, `continuous`, a revolute joint, `universal`, two, and `composite`, any number
/// of joints in a row.
enum class JointKind { SPARSEDYN_JOINT_TYPES(SPARSEDYN_NAME) continuous, universal, composite };
#undef SPARSEDYN_NAME

/// "revolute", "universal", …
const char* kind_name(JointKind kind) noexcept;

inline namespace SPARSEDYN_CODE {

/// f(type of the joint), which is known when this is compiled.
template <class F>
[[gnu::always_inline]] constexpr decltype(auto) with_joint(BodyJoint joint, F&& f) {
#define SPARSEDYN_CASE(name, type) \
  case BodyJoint::name: return f(type{});
  switch (joint) { SPARSEDYN_JOINT_TYPES(SPARSEDYN_CASE) }
#undef SPARSEDYN_CASE
  return f(FixedJoint{});
}

/// How many entries of q the joint has.
constexpr int coordinates(BodyJoint j) {
  return with_joint(j, [](auto joint) { return static_cast<int>(decltype(joint)::coordinates.size()); });
}
/// How many entries of v it has.
constexpr int freedoms(BodyJoint j) {
  return with_joint(j, [](auto joint) { return static_cast<int>(decltype(joint)::freedoms.size()); });
}
/// Its entry k of q, k < coordinates(j).
constexpr JointCoordinate coordinate_of(BodyJoint j, int k) {
  return with_joint(j, [k](auto joint) {
    using Joint = decltype(joint);
    if constexpr (Joint::coordinates.size() == 0)
      return static_cast<void>(k), JointCoordinate{"", Measure::angle};
    else
      return Joint::coordinates[static_cast<std::size_t>(k)];
  });
}
/// Its entry k of v, k < freedoms(j).
constexpr JointFreedom freedom_of(BodyJoint j, int k) {
  return with_joint(j, [k](auto joint) {
    using Joint = decltype(joint);
    if constexpr (Joint::freedoms.size() == 0)
      return static_cast<void>(k), JointFreedom{"", "", 0};
    else
      return Joint::freedoms[static_cast<std::size_t>(k)];
  });
}
/// Where its unit quaternion x y z w starts among its entries of q, or -1 where it has none.
constexpr int quaternion_offset(BodyJoint j) {
  for (int k = 0; k < coordinates(j); ++k)
    if (coordinate_of(j, k).measure == Measure::quaternion) return k;
  return -1;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
