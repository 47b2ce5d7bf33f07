#include "motion_columns.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace sparsedyn {
namespace {

using Three = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // x y z w, of any length

Three cross(const Three& a, const Three& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// conj(p) q.
Quaternion between(const Quaternion& p, const Quaternion& q) {
  const Three u{-p[0], -p[1], -p[2]}, v{q[0], q[1], q[2]}, c = cross(u, v);
  Quaternion r;
  for (std::size_t k = 0; k < 3; ++k) r[k] = p[3] * v[k] + q[3] * u[k] + c[k];
  r[3] = p[3] * q[3] - (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  return r;
}

/// The rotation vector, of at most π.
Three logarithm(const Quaternion& q) {
  const double s = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), sign = q[3] < 0 ? -1.0 : 1.0;
  const double factor = s > 0 ? 2 * std::atan2(s, sign * q[3]) * sign / s : 2 / q[3];
  return {factor * q[0], factor * q[1], factor * q[2]};
}

/// q Exp(r).
Quaternion turned(const Quaternion& q, const Three& r) {
  const double angle = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), s = angle > 0 ? std::sin(0.5 * angle) / angle : 0.5;
  return between({-q[0], -q[1], -q[2], q[3]}, {s * r[0], s * r[1], s * r[2], std::cos(0.5 * angle)});
}

/// Rᵀ x.
Three in_body(const Quaternion& q, const Three& x) {
  const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const Three u{q[0], q[1], q[2]}, c = cross(u, x), cc = cross(u, c);
  Three y;
  for (std::size_t k = 0; k < 3; ++k) y[k] = x[k] + 2 * (cc[k] - q[3] * c[k]) / n;
  return y;
}

bool is_there(const std::vector<std::string>& columns, const std::string& name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

constexpr std::size_t first_of_quaternion(JointMotion::Kind kind) { return kind == JointMotion::Kind::floating ? 3 : 0; }

Quaternion quaternion_at(const JointMotion& m, std::size_t i) {
  const std::size_t f = first_of_quaternion(m.kind);
  return {m.position[f][i], m.position[f + 1][i], m.position[f + 2][i], m.position[f + 3][i]};
}

/// ω and ω̇ at sample i, and the fitted orientation there.
Quaternion orientation_derivatives(const JointMotion& m, std::size_t i, const FitWeights& fit, double* w, double* dw) {
  Quaternion centre = quaternion_at(m, i);
  for (const bool again : {false, true}) {
    Three value{}, rate{}, second{};
    for (std::size_t j = 0; j < fit.weight[0].size(); ++j) {
      const std::size_t k = static_cast<std::size_t>(static_cast<long>(i) + fit.first + static_cast<long>(j));
      const Three r = logarithm(between(centre, quaternion_at(m, k)));
      for (std::size_t c = 0; c < 3; ++c) {
        value[c] += fit.weight[0][j] * r[c], rate[c] += fit.weight[1][j] * r[c], second[c] += fit.weight[2][j] * r[c];
      }
    }
    for (std::size_t c = 0; c < 3; ++c) w[c] = rate[c], dw[c] = second[c];
    if (!again) centre = turned(centre, value);
  }
  return centre;
}

/// Derivatives of a plain coordinate.
void plain_derivatives(const std::vector<double>& x, std::size_t i, const FitWeights& fit, double& rate, double& second) {
  rate = second = 0;
  for (std::size_t j = 0; j < fit.weight[0].size(); ++j) {
    const double each = x[static_cast<std::size_t>(static_cast<long>(i) + fit.first + static_cast<long>(j))] - x[i];
    rate += fit.weight[1][j] * each, second += fit.weight[2][j] * each;
  }
}

}  // namespace

bool JointMotion::is_gap(std::size_t i) const {
  return std::any_of(position.begin(), position.end(), [i](const std::vector<double>& x) { return !std::isfinite(x[i]); });
}

std::vector<std::size_t> JointMotion::angles() const {
  if (kind == Kind::single) return {0};
  return kind == Kind::planar ? std::vector<std::size_t>{2} : std::vector<std::size_t>{};
}

std::string JointMotion::q_column(std::size_t k) const {
  return kind == Kind::single ? "q." + name : "q." + name + (k == 2 ? ".angle" : k == 0 ? ".x" : ".y");
}

void JointMotion::local(std::size_t i, std::size_t k, double* x) const {
  if (kind == Kind::single || kind == Kind::planar) {
    for (std::size_t c = 0; c < kinds; ++c) x[c] = position[c][k];
    return;
  }
  const Three r = logarithm(between(quaternion_at(*this, i), quaternion_at(*this, k)));
  std::copy(r.begin(), r.end(), x);
  for (std::size_t c = 3; c < kinds; ++c) x[c] = position[c - 3][k];
}

double JointMotion::size(std::size_t c) const {
  if (kind == Kind::orientation || (kind == Kind::floating && c < 3)) return 1;
  double largest = 0;
  for (double x : position[kind == Kind::floating ? c - 3 : c])
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return largest;
}

/// Velocities in the body's axes, v = Rᵀ ṗ, have the rates Rᵀ p̈ − ω × v.
void JointMotion::derivatives(std::size_t i, const FitWeights& fit, double step, double* v, double* a) const {
  if (kind == Kind::single) {
    plain_derivatives(position[0], i, fit, v[0], a[0]);
  } else if (kind == Kind::planar) {
    double rate[3], second[3], angle = 0;
    for (std::size_t c = 0; c < 3; ++c) plain_derivatives(position[c], i, fit, rate[c], second[c]);
    for (std::size_t j = 0; j < fit.weight[0].size(); ++j)
      angle +=
          fit.weight[0][j] * position[2][static_cast<std::size_t>(static_cast<long>(i) + fit.first + static_cast<long>(j))];
    const double c = std::cos(angle), s = std::sin(angle);
    v[0] = c * rate[0] + s * rate[1], v[1] = c * rate[1] - s * rate[0], v[2] = rate[2];
    a[0] = c * second[0] + s * second[1] + v[2] * v[1], a[1] = c * second[1] - s * second[0] - v[2] * v[0], a[2] = second[2];
  } else {
    const Quaternion q = orientation_derivatives(*this, i, fit, v, a);
    if (kind == Kind::floating) {
      Three rate, second;
      for (std::size_t c = 0; c < 3; ++c) plain_derivatives(position[c], i, fit, rate[c], second[c]);
      const Three linear = in_body(q, rate), turning = cross({v[0], v[1], v[2]}, linear), acceleration = in_body(q, second);
      for (std::size_t c = 0; c < 3; ++c) v[3 + c] = linear[c], a[3 + c] = acceleration[c] - turning[c];
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
