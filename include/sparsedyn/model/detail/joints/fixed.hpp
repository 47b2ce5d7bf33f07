// No column: only in what a formulation makes of a Model (a frame on the way to the next body).
#pragma once

#include "sparsedyn/model/detail/joint_type.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

struct FixedJoint : AdditiveJoint<0> {
  static constexpr std::array<JointCoordinate, 0> coordinates{};
  static constexpr std::array<JointFreedom, 0> freedoms{};
  template <class S>
  static Pose<S> pose(const Mat3<Constant<S>>& R, const Vec3<Constant<S>>& d, const Constant<S>&, const S*) {
    return {cast<S>(R), cast<S>(d)};
  }
};

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
