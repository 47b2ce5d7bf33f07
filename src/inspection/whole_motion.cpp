// The motion that torques and readings are compared with: positions and velocities as the tests before corrected them, what the
// log lacks of velocities derived, and accelerations derived from velocities or positions, whichever are less noisy.
#include <algorithm>
#include <cmath>

#include "io/suggestions.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "tests.hpp"

namespace sparsedyn::inspection {
namespace {

/// Of one joint: from the velocity's first derivative, or from the position's second, by the noise that either leaves.
Series acceleration_of(const Series* q, const Series& v, bool derived, double step, double& noise) {
  if (derived && q) return derivative_of(*q, 2, step, 0.05, &noise);
  return derivative_of(v, 1, step, 0.05, &noise);
}

/// Sample i of each; false where one is no number.
bool take(const std::vector<Series>& series, std::size_t i, std::vector<double>& values) {
  for (std::size_t k = 0; k < series.size(); ++k) values[k] = series[k][i];
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// Joints that are held while the log moves them, by more than rounding.
void add_held(Examination& x) {
  constexpr double at_rest = 1e-3;  // rad or m
  for (const Link& link : x.model.links) {
    if (link.parent < 0 || link.moving_joint >= 0) continue;
    const Series* const q = x.column("q." + link.joint);
    if (!q) continue;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (double value : *q)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    if (high - low > at_rest) x.unplaced.push_back(link.joint);
  }
}

}  // namespace

void for_each_state(const Examination& x, const WholeMotion& motion, std::size_t most,
                    const std::function<void(std::size_t i, const double* q, const double* v, const double* a)>& use) {
  std::vector<double> q(motion.q.size()), v(motion.v.size()), a(motion.a.size());
  const std::size_t stride = std::max<std::size_t>(1, x.samples() / most);
  for (std::size_t i = 0; i < x.samples(); i += stride)
    if (take(motion.q, i, q) && take(motion.v, i, v) && take(motion.a, i, a) && normalise(x.model, q.data()))
      use(i, q.data(), v.data(), a.data());
}

WholeMotion whole_motion(Examination& x) {
  WholeMotion motion;
  if (!x.timed) {
    motion.why = "no times: no accelerations";
    return motion;
  }
  const Model& model = x.model;
  const std::vector<std::string> q = coordinate_names(model), v = velocity_names(model);
  motion.q.resize(q.size()), motion.v.resize(v.size()), motion.a.resize(v.size());
  motion.noise_q.assign(q.size(), 0), motion.noise_v.assign(v.size(), 0), motion.noise_a.assign(v.size(), 0);
  std::vector<std::string> missing;
  std::vector<char> held(v.size(), 0);  // joints that the log lacks: at 0, or as near to it as their limits allow
  std::size_t there = 0;
  add_held(x);
  for (const SingleJoint& joint : x.joints) {
    if (x.column("q." + joint.name)) {
      ++there;
      continue;
    }
    x.unplaced.push_back(joint.name);
    if (std::count(x.misspelt.begin(), x.misspelt.end(), "q." + joint.name)) missing.push_back("q." + joint.name);
    held[static_cast<std::size_t>(joint.v)] = 1;
    motion.q[static_cast<std::size_t>(joint.q)].assign(
        x.samples(), joint.limits.lower < joint.limits.upper ? std::clamp(0.0, joint.limits.lower, joint.limits.upper) : 0.0);
    motion.v[static_cast<std::size_t>(joint.v)].assign(x.samples(), 0.0);
    motion.a[static_cast<std::size_t>(joint.v)].assign(x.samples(), 0.0);
  }
  if (there == 0 && !x.joints.empty()) {
    motion.why = "no positions of joints in the log";
    return motion;
  }
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!motion.q[k].empty()) continue;
    const bool place = q[k] == "base.x" || q[k] == "base.y" || q[k] == "base.z";
    if (const Series* const found = x.column("q." + q[k]))
      motion.q[k] = *found, motion.noise_q[k] = noise_of(*found);
    else if (place)
      motion.q[k].assign(x.samples(), 0.0);
    else
      missing.push_back("q." + q[k]);
  }
  if (!missing.empty()) {
    motion.why = "positions that the log lacks: " + listing(missing, missing.size());
    return motion;
  }
  std::vector<const Series*> position(v.size(), nullptr);
  for (const SingleJoint& joint : x.joints)
    position[static_cast<std::size_t>(joint.v)] = &motion.q[static_cast<std::size_t>(joint.q)];
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (held[k]) continue;
    const Series* const found = x.column("dq." + v[k]);
    const bool linear = v[k].compare(0, 6, "base.v") == 0;
    if (found)
      motion.v[k] = *found, motion.noise_v[k] = noise_of(*found);
    else if (position[k])
      motion.v[k] = derivative_of(*position[k], 1, x.step, 0.05, &motion.noise_v[k]);
    else if (linear)
      motion.v[k].assign(x.samples(), 0.0);
    else
      missing.push_back("dq." + v[k]);
    if (motion.v[k].empty()) continue;
    motion.a[k] = acceleration_of(position[k], motion.v[k], !found, x.step, motion.noise_a[k]);
  }
  if (!missing.empty()) motion.why = "velocities that the log lacks: " + listing(missing, missing.size());
  motion.known = missing.empty();
  return motion;
}

}  // namespace sparsedyn::inspection
