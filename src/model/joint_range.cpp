#include "joint_range.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/coordinate_map.hpp"

namespace sparsedyn {
namespace {

/// Uniform in (0, 1), the same with every standard library.
double unit_draw(std::mt19937& rng) { return (static_cast<double>(rng()) + 0.5) * 0x1p-32; }

}  // namespace

JointRange::JointRange(const Model& model)
    : model_(model),
      lower_(static_cast<std::size_t>(model.nv), -std::numeric_limits<double>::infinity()),
      upper_(static_cast<std::size_t>(model.nv), std::numeric_limits<double>::infinity()),
      coordinate_(static_cast<std::size_t>(model.nv), -1) {
  const Model& tree = model.tree();
  for (const Joint& joint : tree.joints) {
    if (joint.nv != 1 || tree.limits.empty()) continue;
    const JointLimits& limits = tree.limits[static_cast<std::size_t>(joint.v)];
    if (!std::isfinite(limits.lower) && !std::isfinite(limits.upper)) continue;
    // lower ≤ multiplier q + offset ≤ upper
    const CoordinateMap::Entry at =
        model.coordinate_map ? model.coordinate_map->q[static_cast<std::size_t>(joint.q)] : CoordinateMap::Entry{joint.q, 1, 0};
    const double one = (limits.lower - at.offset) / at.multiplier, other = (limits.upper - at.offset) / at.multiplier;
    const auto v = static_cast<std::size_t>(entry_of(model, joint.v).index);
    coordinate_[v] = at.index;
    lower_[v] = std::max(lower_[v], std::min(one, other)), upper_[v] = std::min(upper_[v], std::max(one, other));
    if (lower_[v] > upper_[v])
      throw std::invalid_argument("joint " + joint.name +
                                  ": no position is within its limits and those of the joints it moves with");
  }
}

std::vector<std::string> held_by_limits(const Model& model) {
  const JointRange range(model);
  std::vector<std::string> names;
  for (const Joint& joint : model.joints)
    for (int v = joint.v; v < joint.v + joint.nv; ++v)
      if (const auto i = static_cast<std::size_t>(v); range.lower()[i] == range.upper()[i]) names.push_back(joint.name);
  return names;
}

void JointRange::clamp(double* q) const noexcept {
  for (std::size_t i = 0; i < coordinate_.size(); ++i)
    if (const int k = coordinate_[i]; k >= 0) q[k] = std::clamp(q[k], lower_[i], upper_[i]);
}

double JointRange::room_below(const double* q, std::size_t i) const noexcept {
  return coordinate_[i] < 0 ? -std::numeric_limits<double>::infinity() : std::min(0.0, lower_[i] - q[coordinate_[i]]);
}

double JointRange::room_above(const double* q, std::size_t i) const noexcept {
  return coordinate_[i] < 0 ? std::numeric_limits<double>::infinity() : std::max(0.0, upper_[i] - q[coordinate_[i]]);
}

double JointRange::stated_lower(std::size_t i) const noexcept {
  return upper_[i] - lower_[i] > widest && lower_[i] < -0.5 * widest ? -std::numeric_limits<double>::infinity() : lower_[i];
}

double JointRange::stated_upper(std::size_t i) const noexcept {
  return upper_[i] - lower_[i] > widest && upper_[i] > 0.5 * widest ? std::numeric_limits<double>::infinity() : upper_[i];
}

void JointRange::middle(double* q) const noexcept {
  neutral(model_, q);
  for (std::size_t i = 0; i < coordinate_.size(); ++i)
    if (const int k = coordinate_[i]; k >= 0) {
      const double middle = 0.5 * lower_[i] + 0.5 * upper_[i];
      q[k] = std::isfinite(middle) ? middle : std::clamp(0.0, lower_[i], upper_[i]);
    }
}

void JointRange::draw(std::mt19937& rng, double* q) const noexcept {
  constexpr double pi = 3.14159265358979323846;
  for (const Body& body : model_.bodies) {
    const int quaternion = quaternion_offset(body.joint);
    for (int k = 0; k < coordinates(body.joint); ++k) {
      const double half = coordinate_of(body.joint, k).measure == Measure::length ? 1.0 : pi;
      double low = -half, high = half;
      if (freedoms(body.joint) == 1) {
        const auto i = static_cast<std::size_t>(body.v);
        const double lower = stated_lower(i), upper = stated_upper(i);
        const bool below = std::isfinite(lower), above = std::isfinite(upper);
        low = below ? lower : above ? upper - 2 * half : low;
        high = above ? upper : below ? lower + 2 * half : high;
      }
      q[body.q + k] = low + (high - low) * unit_draw(rng);
    }
    if (quaternion < 0) continue;
    // Shoemake 1992: uniform on the sphere of unit quaternions
    double* const u = q + body.q + quaternion;
    const double r = unit_draw(rng), a = 2 * pi * unit_draw(rng), b = 2 * pi * unit_draw(rng);
    u[0] = std::sqrt(1 - r) * std::sin(a), u[1] = std::sqrt(1 - r) * std::cos(a);
    u[2] = std::sqrt(r) * std::sin(b), u[3] = std::sqrt(r) * std::cos(b);
  }
}

}  // namespace sparsedyn
