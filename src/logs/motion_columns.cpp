#include "motion_columns.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "rotation_fit.hpp"

namespace sparsedyn {
namespace {

bool is_there(const std::vector<std::string>& columns, const std::string& name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

constexpr std::size_t first_of_quaternion(JointMotion::Kind kind) { return kind == JointMotion::Kind::floating ? 3 : 0; }

/// Of a joint that has one.
Orientations orientations_of(const JointMotion& m) {
  const std::size_t f = first_of_quaternion(m.kind);
  return {{&m.position[f], &m.position[f + 1], &m.position[f + 2], &m.position[f + 3]}};
}

bool has_orientation(JointMotion::Kind kind) {
  return kind == JointMotion::Kind::orientation || kind == JointMotion::Kind::floating;
}

/// Whether the position that is freedom c's is a plain coordinate, and which; −1: an axis of an orientation.
int plain_position(JointMotion::Kind kind, std::size_t c) {
  const int axes = has_orientation(kind) ? 3 : 0;
  return static_cast<int>(c) < axes ? -1 : static_cast<int>(c) - axes;
}

/// The fitted less the measured value of a plain coordinate, and its derivatives.
void plain_derivatives(const std::vector<double>& x, std::size_t i, const FitWeights& fit, double& value, double& rate,
                       double& second) {
  value = rate = second = 0;
  for (std::size_t j = 0; j < fit.weight[0].size(); ++j) {
    const double each = x[static_cast<std::size_t>(static_cast<long>(i) + fit.first + static_cast<long>(j))] - x[i];
    value += fit.weight[0][j] * each, rate += fit.weight[1][j] * each, second += fit.weight[2][j] * each;
  }
}

/// The way along a coordinate, from sample to sample.
double path(const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (std::isfinite(x[i - 1]) && std::isfinite(x[i])) sum += std::abs(x[i] - x[i - 1]);
  return sum;
}

}  // namespace

bool JointMotion::is_gap(std::size_t i) const {
  if (std::any_of(position.begin(), position.end(), [i](const std::vector<double>& x) { return !std::isfinite(x[i]); }))
    return true;
  if (!has_orientation(kind)) return false;
  const Quaternion q = orientations_of(*this).at(i);
  return std::all_of(q.begin(), q.end(), [](double x) { return x == 0; });  // names no orientation
}

bool JointMotion::turns_beyond(double angle, std::size_t i, std::size_t first, std::size_t count) const {
  return has_orientation(kind) && orientations_of(*this).turns_beyond(angle, i, first, count);
}

std::vector<std::size_t> JointMotion::angles() const {
  if (kind == Kind::single) return {0};
  return kind == Kind::planar ? std::vector<std::size_t>{2} : std::vector<std::size_t>{};
}

std::string JointMotion::q_column(std::size_t k) const {
  return kind == Kind::single ? "q." + name : "q." + name + (k == 2 ? ".angle" : k == 0 ? ".x" : ".y");
}

void JointMotion::local_derivatives(std::size_t i, const FitWeights& fit, double* value, double* rate, double* second) const {
  if (has_orientation(kind)) {
    const RotationFit turning = fit_around_sample(orientations_of(*this), i, fit);
    std::copy(turning.value.begin(), turning.value.end(), value);
    std::copy(turning.rate.begin(), turning.rate.end(), rate);
    std::copy(turning.second.begin(), turning.second.end(), second);
  }
  for (std::size_t c = 0; c < kinds; ++c)
    if (const int p = plain_position(kind, c); p >= 0)
      plain_derivatives(position[static_cast<std::size_t>(p)], i, fit, value[c], rate[c], second[c]);
}

double JointMotion::gain_with_spin(std::size_t i, const FitWeights& fit, std::size_t k) const {
  if (!has_orientation(kind)) return 0;
  const Orientations q = orientations_of(*this);
  return needs_spin(q, i, fit) ? gains_with_spin(q, i, fit)[k] : 0.0;
}

bool JointMotion::is_axis(std::size_t c) const { return plain_position(kind, c) < 0; }

double JointMotion::size(std::size_t c) const {
  const int p = plain_position(kind, c);
  if (p < 0) return 1;
  double largest = 0;
  for (double x : position[static_cast<std::size_t>(p)])
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return largest;
}

double JointMotion::rounding(std::size_t c) const {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  if (const int p = plain_position(kind, c); p >= 0)
    return epsilon * std::max(size(c), path(position[static_cast<std::size_t>(p)]));
  const Orientations q = orientations_of(*this);
  double turned = 0;
  for (std::size_t i = 1; i < samples; ++i)
    if (!is_gap(i - 1) && !is_gap(i)) turned += q.angle(i - 1, i);
  return epsilon * std::max(1.0, turned);
}

/// Velocities in the body's axes, v = Rᵀ ṗ, have the rates Rᵀ p̈ − ω × v.
void JointMotion::derivatives(std::size_t i, const FitWeights& fit, double step, double* v, double* a) const {
  if (kind == Kind::single) {
    double value;
    plain_derivatives(position[0], i, fit, value, v[0], a[0]);
  } else if (kind == Kind::planar) {
    double value[3], rate[3], second[3];
    for (std::size_t c = 0; c < 3; ++c) plain_derivatives(position[c], i, fit, value[c], rate[c], second[c]);
    const double angle = position[2][i] + value[2], c = std::cos(angle), s = std::sin(angle);
    v[0] = c * rate[0] + s * rate[1], v[1] = c * rate[1] - s * rate[0], v[2] = rate[2];
    a[0] = c * second[0] + s * second[1] + v[2] * v[1], a[1] = c * second[1] - s * second[0] - v[2] * v[0], a[2] = second[2];
  } else {
    const RotationFit turning = fit_rotation(orientations_of(*this), i, fit);
    std::copy(turning.rate.begin(), turning.rate.end(), v);
    std::copy(turning.second.begin(), turning.second.end(), a);
    if (kind == Kind::floating) {
      Three value, rate, second;
      for (std::size_t c = 0; c < 3; ++c) plain_derivatives(position[c], i, fit, value[c], rate[c], second[c]);
      const Three linear = in_body(turning.centre, rate), carried = cross(turning.rate, linear),
                  acceleration = in_body(turning.centre, second);
      for (std::size_t c = 0; c < 3; ++c) v[3 + c] = linear[c], a[3 + c] = acceleration[c] - carried[c];
    }
  }
  for (std::size_t c = 0; c < kinds; ++c) v[c] /= step, a[c] /= step * step;
}

/// What turns with the body mixes its axes.
std::vector<double> JointMotion::in_columns(const std::vector<double>& local) const {
  std::vector<double> found = local;
  if (kind == Kind::single || kind == Kind::orientation) return found;
  const std::size_t n = kind == Kind::planar ? 2 : 3, first = kind == Kind::planar ? 0 : 3;
  double squares = 0;
  for (std::size_t c = first; c < first + n; ++c) squares += local[c] * local[c];
  for (std::size_t c = first; c < first + n; ++c) found[c] = std::sqrt(squares / static_cast<double>(n));
  return found;
}

/// To first order: axes are mixed, and ω × v mixes turning and motion.
std::vector<double> JointMotion::deviations(const std::vector<double>& noise, const double* gains, const MeanSquares& v,
                                            std::size_t order) const {
  const std::vector<double> mixed = in_columns(noise);
  std::vector<double> found(kinds);
  for (std::size_t c = 0; c < kinds; ++c) found[c] = gains[order - 1] * mixed[c];
  if (order == 1 || kind == Kind::single || kind == Kind::orientation) return found;
  const std::size_t n = kind == Kind::planar ? 2 : 3, first = kind == Kind::planar ? 0 : 3, turn = kind == Kind::planar ? 2 : 0;
  const double linear_variance = mixed[first] * mixed[first];
  double turning_noise = 0, speed = 0, turning = 0;  // mean squares of one axis, or of all of them
  for (std::size_t c = 0; c < n; ++c) speed += v.of(first + c);
  for (std::size_t c = 0; c < kinds - n; ++c) turning_noise += noise[turn + c] * noise[turn + c], turning += v.of(turn + c);
  turning_noise /= static_cast<double>(kinds - n);
  const double axes = kind == Kind::planar ? 1.0 : 2.0 / 3;  // how many of the others' products each axis has
  const double products =
      axes * gains[0] * gains[0] * (turning * linear_variance + (n == 2 ? 0.5 : 1.0) * speed * turning_noise);
  for (std::size_t c = first; c < first + n; ++c) found[c] = std::sqrt(found[c] * found[c] + products);
  return found;
}

std::vector<JointMotion> motions_in(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values) {
  std::vector<JointMotion> found;
  std::vector<std::string> taken;
  const auto add = [&](JointMotion::Kind kind, const std::string& name, const std::vector<std::string>& positions,
                       const std::vector<std::string>& velocities) {
    JointMotion m;
    m.kind = kind, m.name = name, m.kinds = velocities.size();
    for (const std::string& velocity : velocities) m.velocity_columns.push_back(name + velocity);
    for (const std::string& position : positions) {
      taken.push_back("q." + name + position);
      const auto at = std::find(columns.begin(), columns.end(), taken.back());
      m.position.push_back(values[static_cast<std::size_t>(at - columns.begin())]);
    }
    m.samples = m.position.front().size();
    found.push_back(std::move(m));
  };
  const auto all_there = [&](const std::string& name, const std::vector<std::string>& suffixes) {
    return std::all_of(suffixes.begin(), suffixes.end(),
                       [&](const std::string& suffix) { return is_there(columns, "q." + name + suffix); });
  };
  const std::vector<std::string> quaternion{".qx", ".qy", ".qz", ".qw"}, plane{".x", ".y", ".angle"}, place{".x", ".y", ".z"},
      turning{".wx", ".wy", ".wz"};
  std::vector<std::string> pose = place, spatial = turning;
  pose.insert(pose.end(), quaternion.begin(), quaternion.end());
  spatial.insert(spatial.end(), {".vx", ".vy", ".vz"});
  for (const std::string& column : columns) {
    if (column.compare(0, 2, "q.") != 0 || is_there(taken, column)) continue;
    const std::string name = column.substr(2), joint = name.substr(0, name.rfind('.'));
    if (joint != name && all_there(joint, pose))
      add(JointMotion::Kind::floating, joint, pose, spatial);
    else if (joint != name && all_there(joint, quaternion) && is_there({".qx", ".qy", ".qz", ".qw"}, name.substr(joint.size())))
      add(JointMotion::Kind::orientation, joint, quaternion, turning);
    else if (joint != name && all_there(joint, plane))
      add(JointMotion::Kind::planar, joint, plane, {".vx", ".vy", ".w"});
    else
      add(JointMotion::Kind::single, name, {""}, {""});
  }
  return found;
}

}  // namespace sparsedyn
