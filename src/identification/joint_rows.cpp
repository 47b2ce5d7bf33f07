#include "joint_rows.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

using Vector = Eigen::VectorXd;

/// The springs of joints that move on their own: nothing else grows with q so.
std::vector<Vector> springs_alone(const Model& model, const ParameterIndex& index) {
  std::vector<Vector> rows;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (index.counts[j] == 5 && moves_alone(model, model.joints[j]))
      rows.push_back(Vector::Unit(index.count, index.of_joints[j] + 4));
  return rows;
}

/// |m| over a velocity to 12 digits: where it is the same, so is the function of v.
double steepness(double m, double velocity) { return velocity > 0 ? std::round(1e12 * std::log(m / velocity)) : 0; }

}  // namespace

std::vector<Vector> joint_rows(const Model& model, const ParameterIndex& index) {
  const Model& tree = model.tree();
  std::map<int, Vector> damping;                           // by freedom of the robot
  std::map<std::tuple<int, double>, Vector> sliding;       // and by |m| / smoothing
  std::map<std::tuple<int, double, double>, Vector> lost;  // and by |m| / stribeck_velocity
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    const int own = index.of_joints[j], v = tree.joints[j].v;
    if (own < 0) continue;
    const CoordinateMap::Entry entry = entry_of(model, v);
    const double m = std::fabs(entry.multiplier);
    const FrictionShape g = physics_of(tree, v);
    const double smoothed = steepness(m, g.smoothing), falling = steepness(m, g.stribeck_velocity);
    damping.try_emplace(entry.index, Vector::Zero(index.count)).first->second[own + 1] += m * m;
    const auto add = [&](auto& rows, const auto& key, double share) {
      if (share != 0) rows.try_emplace(key, Vector::Zero(index.count)).first->second[own + 2] += share * m;
    };
    add(sliding, std::make_tuple(entry.index, smoothed), 1 - g.stribeck);
    add(lost, std::make_tuple(entry.index, smoothed, falling), g.stribeck);
  }
  std::vector<Vector> rows;
  for (const auto& [freedom, row] : damping) rows.push_back(row);
  for (const Vector& row : springs_alone(model, index)) rows.push_back(row);
  for (const auto& [function, row] : sliding) rows.push_back(row);
  for (const auto& [function, row] : lost) rows.push_back(row);
  return rows;
}

}  // namespace sparsedyn
