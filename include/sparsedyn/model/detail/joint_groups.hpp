// Joints of several freedoms, whose configurations form a Lie group: a step along their velocities is not the sum of the steps
// of the freedoms.
#pragma once

#include <type_traits>
#include <vector>

#include "sparsedyn/detail/code.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

/// Their bodies, with the entries of the robot's q and v. None of them follows another joint, nor leads one.
inline std::vector<Body> bodies_of_several_freedoms(const Model& model) {
  std::vector<Body> found;
  for (Body body : model.tree().bodies) {
    if (freedoms(body.joint) < 2) continue;
    if (const CoordinateMap* map = model.coordinate_map.get()) {
      body.q = map->q[static_cast<std::size_t>(body.q)].index;
      body.v = map->v[static_cast<std::size_t>(body.v)].index;
    }
    found.push_back(body);
  }
  return found;
}

/// Whether a joint turns the axes along which it shifts its body: velocities along them are no rates of coordinates. Such a
/// joint has one coordinate in metres for each freedom that shifts, in the same order: the position of the body's origin along
/// the axis that the shift has where nothing is turned (tests/model holds every kind of joint to that).
constexpr bool turns_own_shifts(BodyJoint joint) {
  const bool additive = with_joint(joint, [](auto type) {
    using Type = decltype(type);
    return std::is_base_of_v<AdditiveJoint<static_cast<int>(Type::freedoms.size())>, Type>;
  });
  bool shifts = false, turns = false;
  for (int c = 0; c < freedoms(joint); ++c) (is_shift(joint, c) ? shifts : turns) = true;
  return shifts && turns && !additive;
}

/// Whether each freedom that shifts has its coordinate in metres: for_each_shift pairs them.
constexpr bool shifts_have_coordinates(BodyJoint joint) {
  int lengths = 0, shifts = 0;
  for (int k = 0; k < coordinates(joint); ++k) lengths += coordinate_of(joint, k).measure == Measure::length;
  for (int c = 0; c < freedoms(joint); ++c) shifts += is_shift(joint, c);
  return !turns_own_shifts(joint) || lengths == shifts;
}
#define SPARSEDYN_HAS_COORDINATES(name, type)             \
  static_assert(shifts_have_coordinates(BodyJoint::name), \
                #type ": a joint that turns the axes of its shifts has one coordinate in metres for each of them");
SPARSEDYN_JOINT_TYPES(SPARSEDYN_HAS_COORDINATES)
#undef SPARSEDYN_HAS_COORDINATES

/// f(freedom c, its coordinate's place among the joint's, its axis 0 to 2) for each freedom that shifts.
template <class F>
void for_each_shift(BodyJoint joint, F&& f) {
  int k = -1;
  for (int c = 0; c < freedoms(joint); ++c) {
    if (!is_shift(joint, c)) continue;
    do ++k;
    while (coordinate_of(joint, k).measure != Measure::length);
    f(c, k, freedom_of(joint, c).axis - 3);
  }
}

/// How far the joint turns its body: the body's axes in those of the joint on its parent.
inline Mat3<double> joint_rotation(const Body& body, const double* q) {
  Body alone = body;
  alone.placement = identity_pose<double>();
  return joint_pose(alone, q).R;
}

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
