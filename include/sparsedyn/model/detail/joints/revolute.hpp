// About e_z: S = (e_z; 0).
#pragma once

#include "sparsedyn/model/detail/joint_type.hpp"

namespace sparsedyn {
inline namespace SPARSEDYN_CODE {

struct RevoluteJoint : AdditiveJoint<1> {
  static constexpr std::array<JointCoordinate, 1> coordinates{{{"", Measure::angle}}};
  static constexpr std::array<JointFreedom, 1> freedoms{{{"", "", 2}}};
  template <class S>
  static Pose<S> pose(const Mat3<Constant<S>>& R, const Vec3<Constant<S>>& d, [[maybe_unused]] const Constant<S>& pitch,
                      const S* q) {
    return {turned_about_z<S>(R, q[0]), cast<S>(d)};
  }
};

}  // namespace SPARSEDYN_CODE
}  // namespace sparsedyn
