// Along e_z: S = (0; e_z).
#pragma once

#include "sparsedyn/model/detail/joint_type.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

struct PrismaticJoint : AdditiveJoint<1> {
  static constexpr std::array<JointCoordinate, 1> coordinates{{{"", Measure::length}}};
  static constexpr std::array<JointFreedom, 1> freedoms{{{"", "", 5}}};
  template <class S>
  static Pose<S> pose(const Mat3<Constant<S>>& R, const Vec3<Constant<S>>& d, [[maybe_unused]] const Constant<S>& pitch,
                      const S* q) {
    return {cast<S>(R), moved_along<S>(R, d, 2, q[0])};
  }
};

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
