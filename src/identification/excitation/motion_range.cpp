#include "motion_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/joint_range.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/model/detail/joint.hpp"

namespace sparsedyn {

MotionRange::MotionRange(const Model& model, double margin)
    : velocity(static_cast<std::size_t>(model.nv), std::numeric_limits<double>::infinity()), effort(velocity) {
  const JointRange range(model);
  for (std::size_t i = 0; i < velocity.size(); ++i)
    lower.push_back(range.stated_lower(i)), upper.push_back(range.stated_upper(i));
  const Model& tree = model.tree();
  for (const Joint& joint : tree.joints) {
    if (joint.nv != 1) throw std::invalid_argument("joint " + joint.name + ": several freedoms; expected joints with one");
    const CoordinateMap::Entry at = entry_of(model, joint.v);
    const auto i = static_cast<std::size_t>(at.index);
    const JointLimits limits = tree.limits.empty() ? JointLimits() : tree.limits[static_cast<std::size_t>(joint.v)];
    const bool shift = is_shift(tree.bodies[static_cast<std::size_t>(joint.first_body)].joint, 0);
    const double far = shift ? 0.5 : 3.14159265358979323846, fast = shift ? 0.5 : 2.0;
    if (std::isinf(lower[i]) && std::isinf(upper[i]))
      lower[i] = -far, upper[i] = far;
    else if (std::isinf(lower[i]))
      lower[i] = upper[i] - 2 * far;
    else if (std::isinf(upper[i]))
      upper[i] = lower[i] + 2 * far;
    // 0 stands in URDFs for what nobody knew
    const double most = std::isfinite(limits.velocity) && limits.velocity > 0 ? limits.velocity : fast;
    velocity[i] = std::min(velocity[i], most / std::fabs(at.multiplier));
    if (joint.v == 0 || !model.coordinate_map || at.multiplier == 1)
      effort[i] = std::min(effort[i], limits.effort > 0 ? limits.effort : effort[i]);
  }
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const double left = 0.5 * margin * (upper[i] - lower[i]);
    lower[i] += left, upper[i] -= left;
    velocity[i] *= 1 - margin, effort[i] *= 1 - margin;
  }
}

}  // namespace sparsedyn
