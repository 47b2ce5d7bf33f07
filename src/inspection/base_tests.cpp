// The floating base: its quaternion, and its velocity against the rates of its pose.
//
// A quaternion in another order, or the other way round, turns another way; a velocity in world axes, or with its halves
// exchanged, disagrees with the rate of a right pose. All four together: of the 4 × 4 readings of both, the one with the fewest
// faults that agrees is taken, if the columns as they stand do not agree.
//   ω = 2 vec(q̄ dq/dt) in the base's axes,   v = Rᵀ dx/dt.
#include <algorithm>
#include <array>
#include <cmath>

#include "io/text/how_many.hpp"
#include "tests.hpp"

namespace sparsedyn::inspection {
namespace {

using Quaternion = std::array<double, 4>;  // x y z w

Quaternion conjugate(const Quaternion& q) { return {-q[0], -q[1], -q[2], q[3]}; }
Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}
Vec3<double> turned_back(const Quaternion& q, const Vec3<double>& v) {
  const Quaternion x = product(product(conjugate(q), {v[0], v[1], v[2], 0}), q);
  return {{x[0], x[1], x[2]}};
}

/// What a reading of the pose takes its numbers for.
struct PoseReading {
  bool scalar_first, conjugated;
  Quaternion of(const Quaternion& columns) const {
    const Quaternion q = scalar_first ? Quaternion{columns[1], columns[2], columns[3], columns[0]} : columns;
    return conjugated ? conjugate(q) : q;
  }
};
struct VelocityReading {
  bool linear_first, in_world;
};

struct Base {
  std::vector<Series*> position, quaternion, velocity;
};

Quaternion at(const Base& base, std::size_t i) {
  Quaternion q;
  for (std::size_t k = 0; k < 4; ++k) q[k] = (*base.quaternion[k])[i];
  return q;
}

/// Turns by more than half keep the sign of the quaternion before.
void make_continuous(const Base& base) {
  Quaternion last{};
  for (std::size_t i = 0; i < base.quaternion[0]->size(); ++i) {
    Quaternion q = at(base, i);
    if (!std::isfinite(q[0] + q[1] + q[2] + q[3])) continue;
    double along = 0;
    for (std::size_t k = 0; k < 4; ++k) along += q[k] * last[k];
    for (std::size_t k = 0; k < 4; ++k) {
      if (along < 0) (*base.quaternion[k])[i] = q[k] = -q[k];
      last[k] = q[k];
    }
  }
}

void test_norm(Examination& x, const Base& base) {
  constexpr double allowed = 0.01;
  long zero = 0, off = 0, count = 0;
  double worst = 0, first = -1, last = 0;
  for (std::size_t i = 0; i < base.quaternion[0]->size(); ++i) {
    const Quaternion q = at(base, i);
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!std::isfinite(norm)) continue;
    ++count;
    const bool bad = std::abs(norm - 1) > allowed;
    if (bad) {
      off += 1, zero += norm < 1e-9 ? 1 : 0;
      worst = std::max(worst, std::abs(norm - 1)), last = static_cast<double>(i);
      if (first < 0) first = last;
    }
    for (Series* component : base.quaternion) (*component)[i] = norm > 1e-9 ? (*component)[i] / norm : std::nan("");
  }
  if (off == 0) return;
  x.add(FindingKind::quaternion_norm, worst > 0.05 ? Severity::harm : Severity::doubt,
        {"q.base.qx", "q.base.qy", "q.base.qz", "q.base.qw"},
        std::to_string(off) + " of " + how_many(count, "quaternion", "quaternions") + (off == 1 ? " is" : " are") +
            " not of unit length, by up to " + shown(worst) + (zero > 0 ? "; " + how_many(zero, "is", "are") + " zero" : ""),
        zero > 0 ? "rows without an orientation" : "quaternions that were averaged, interpolated or rounded, or no quaternions",
        zero > 0 ? "leave these rows out" : "scale to unit length, if they are quaternions", first, last);
}

/// Rates of the pose as one reading of it says: angular and linear velocity in the base's axes, and in the world's.
struct Rates {
  std::vector<Series> own, world;  // three angular, three linear; no linear ones where there is no position
};

Rates rates_of(const Base& base, const PoseReading& reading, double step) {
  const std::size_t n = base.quaternion[0]->size(), parts = base.position.empty() ? 3 : 6;
  std::array<Series, 4> q;
  for (std::size_t i = 0; i < n; ++i) {
    const Quaternion one = reading.of(at(base, i));
    for (std::size_t k = 0; k < 4; ++k) q[k].push_back(one[k]);
  }
  std::vector<Series> rate;
  for (const Series& component : q) rate.push_back(derivative_of(component, 1, step, 0.02));
  for (Series* position : base.position) rate.push_back(derivative_of(*position, 1, step, 0.02));
  Rates found{std::vector<Series>(parts, Series(n, std::nan(""))), std::vector<Series>(parts, Series(n, std::nan("")))};
  for (std::size_t i = 0; i < n; ++i) {
    const Quaternion here{q[0][i], q[1][i], q[2][i], q[3][i]};
    const Quaternion w = product(conjugate(here), {rate[0][i], rate[1][i], rate[2][i], rate[3][i]});
    const Vec3<double> body{{2 * w[0], 2 * w[1], 2 * w[2]}}, world = turned_back(conjugate(here), body);
    for (std::size_t k = 0; k < 3; ++k) {
      found.own[k][i] = body[static_cast<int>(k)], found.world[k][i] = world[static_cast<int>(k)];
      if (parts == 6) found.world[3 + k][i] = rate[4 + k][i];
    }
    if (parts < 6) continue;
    const Vec3<double> v = turned_back(here, {{rate[4][i], rate[5][i], rate[6][i]}});
    for (std::size_t k = 0; k < 3; ++k) found.own[3 + k][i] = v[static_cast<int>(k)];
  }
  return found;
}

/// The share of the velocities' squares that these rates leave unexplained: the mean of the angular and the linear one.
double unlike(const Base& base, const Rates& rates, const VelocityReading& reading) {
  const std::vector<Series>& made = reading.in_world ? rates.world : rates.own;
  double shares = 0, halves = 0;
  for (std::size_t first = 0; first < made.size(); first += 3) {
    double left = 0, size = 0;
    for (std::size_t k = first; k < first + 3; ++k) {
      const Series& v = *base.velocity[reading.linear_first ? (k + 3) % 6 : k];
      for (std::size_t i = 0; i < v.size(); ++i)
        if (const double d = v[i] - made[k][i]; std::isfinite(d)) left += d * d, size += v[i] * v[i] + made[k][i] * made[k][i];
    }
    if (size > 0) shares += left / size, ++halves;
  }
  return halves > 0 ? shares / halves : 0;
}

bool turns(const Base& base) {
  double way = 0;
  for (const Series* component : base.quaternion) way += deviation_of(*component);
  return way > 0.01;
}

constexpr std::array<PoseReading, 4> poses{{{false, false}, {true, false}, {false, true}, {true, true}}};
constexpr std::array<VelocityReading, 4> velocities{{{false, false}, {false, true}, {true, false}, {true, true}}};

int faults(const PoseReading& pose, const VelocityReading& velocity) {
  return pose.scalar_first + pose.conjugated + velocity.linear_first + velocity.in_world;
}

void tell_of_base(Examination& x, const PoseReading& pose, const VelocityReading& velocity, double as_is, double best) {
  const std::vector<std::string> quaternion{"q.base.qx", "q.base.qy", "q.base.qz", "q.base.qw"};
  const std::vector<std::string> speed{"dq.base.wx", "dq.base.wy", "dq.base.wz", "dq.base.vx", "dq.base.vy", "dq.base.vz"};
  const std::string evidence = "dq.base and the rates of q.base differ by " + shown(100 * as_is) +
                               " % of their squares as they stand, by " + shown(100 * best) + " % so";
  if (pose.scalar_first)
    x.add(FindingKind::quaternion_order, Severity::harm, quaternion, evidence, "quaternions with w first: w x y z",
          "name the columns q.base.qw, qx, qy, qz");
  if (pose.conjugated)
    x.add(FindingKind::quaternion_conjugate, Severity::harm, quaternion, evidence,
          "quaternions that turn the world into the base, not the base into the world", "change the signs of qx, qy, qz");
  if (velocity.linear_first)
    x.add(FindingKind::base_velocity_order, Severity::harm, speed, evidence, "linear velocities before angular ones",
          "exchange w and v in the columns' names");
  if (velocity.in_world)
    x.add(FindingKind::base_velocity_frame, Severity::harm, speed, evidence, "velocities in the world's axes",
          "turn them into the base's axes: R^T w, R^T v");
}

void take_off(const Base& base, const PoseReading& pose, const VelocityReading& velocity) {
  for (std::size_t i = 0; i < base.quaternion[0]->size(); ++i) {
    const Quaternion q = pose.of(at(base, i));
    for (std::size_t k = 0; k < 4; ++k) (*base.quaternion[k])[i] = q[k];
    if (base.velocity.empty()) continue;
    std::array<double, 6> v;
    for (std::size_t k = 0; k < 6; ++k) v[k] = (*base.velocity[velocity.linear_first ? (k + 3) % 6 : k])[i];
    for (std::size_t half : {0u, 3u}) {
      Vec3<double> part{{v[half], v[half + 1], v[half + 2]}};
      if (velocity.in_world) part = turned_back(q, part);
      for (std::size_t k = 0; k < 3; ++k) (*base.velocity[half + k])[i] = part[static_cast<int>(k)];
    }
  }
}

/// Median of the cosine between the base's z axis and upwards, 1 − 2 (qx² + qy²), gravity being along −z.
double uprightness(const Base& base, const PoseReading& reading) {
  Series cosines;
  for (std::size_t i = 0; i < base.quaternion[0]->size(); ++i) {
    const Quaternion q = reading.of(at(base, i));
    cosines.push_back(1 - 2 * (q[0] * q[0] + q[1] * q[1]));
  }
  return median_of(std::move(cosines));
}

/// Without velocities the way of the quaternion tells nothing. But a robot that hangs head down, and that stands with w first,
/// most likely stands.
void test_upright(Examination& x, const Base& base) {
  constexpr double head_down = -0.5, stands = 0.7;  // beyond 120 degrees; within 45
  if (!(x.model.gravity[2] < 0) || x.model.gravity[0] != 0 || x.model.gravity[1] != 0) return;
  const double as_is = uprightness(base, poses[0]), first = uprightness(base, poses[1]);
  if (as_is > head_down || first < stands) return;
  const auto degrees = [](double cosine) { return shown(57.29577951308232 * std::acos(std::clamp(cosine, -1.0, 1.0))); };
  x.add(FindingKind::quaternion_order, Severity::doubt, {"q.base.qx", "q.base.qy", "q.base.qz", "q.base.qw"},
        "the base's z axis is " + degrees(as_is) + " degrees from upwards (median), with w first " + degrees(first),
        "quaternions with w first: w x y z; or a robot that hangs head down", "name the columns q.base.qw, qx, qy, qz");
}

std::vector<std::string> columns_of_base(const Examination& x) {
  std::vector<std::string> names = x.names_with("q.base.");
  for (std::string& name : x.names_with("dq.base.")) names.push_back(std::move(name));
  return names;
}

}  // namespace

void test_base(Examination& x) {
  if (!x.has_base()) return;
  Base base{x.columns("q.base.", {"x", "y", "z"}), x.columns("q.base.", {"qx", "qy", "qz", "qw"}),
            x.columns("dq.base.", {"wx", "wy", "wz", "vx", "vy", "vz"})};
  if (base.quaternion.empty()) return x.unjudged(x.names_with("q.base."), "no orientation of the base in the log");
  test_norm(x, base);
  make_continuous(base);
  if (!x.timed || base.velocity.empty()) return test_upright(x, base);
  if (!turns(base)) return x.unjudged(columns_of_base(x), "a base that does not turn: neither order nor axes show");
  PoseReading pose = poses[0];
  VelocityReading velocity = velocities[0];
  std::vector<Rates> rates;
  for (const PoseReading& p : poses) rates.push_back(rates_of(base, p, x.step));
  const double as_is = unlike(base, rates[0], velocities[0]);
  if (as_is < 0.002) return;
  double best = 1e300;
  std::array<std::array<double, velocities.size()>, poses.size()> left{};
  for (std::size_t p = 0; p < poses.size(); ++p)
    for (std::size_t v = 0; v < velocities.size(); ++v)
      best = std::min(best, left[p][v] = unlike(base, rates[p], velocities[v]));
  double chosen = 1e300;
  int fewest = 9;
  for (std::size_t p = 0; p < poses.size(); ++p)
    for (std::size_t v = 0; v < velocities.size(); ++v) {
      const int wrong = faults(poses[p], velocities[v]);
      if (left[p][v] > 1.5 * best || wrong > fewest || (wrong == fewest && left[p][v] >= chosen)) continue;
      fewest = wrong, chosen = left[p][v], pose = poses[p], velocity = velocities[v];
    }
  if (fewest == 0) return;
  if (chosen > 0.25 * as_is || chosen > 0.1) {
    if (as_is > 0.1) x.unjudged(columns_of_base(x), "the base's velocity is no rate of its pose in any reading");
    return;
  }
  tell_of_base(x, pose, velocity, as_is, chosen);
  take_off(base, pose, velocity);
}

}  // namespace sparsedyn::inspection
