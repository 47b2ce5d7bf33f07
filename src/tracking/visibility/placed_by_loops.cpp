#include "tracking/visibility/placed_by_loops.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "constraints/hard_row_ranks.hpp"
#include "constraints/loops/loop_errors.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr double rounding = 1e-6;  // of a direction of length one: redundant loops close to 1e-8
constexpr std::size_t tried_postures = 3;

using Direction = std::array<double, 4>;  // x, y, z, yaw

const std::array<const char*, 4> names{"base.x", "base.y", "base.z", "base.yaw"};

double product(const Direction& a, const Direction& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// The directions that are told: an orthonormal basis.
class Told {
 public:
  /// What is left of a direction, twice for rounding.
  Direction left(Direction d) const {
    for (int pass = 0; pass < 2; ++pass)
      for (const Direction& b : basis_) {
        const double share = product(d, b);
        for (std::size_t k = 0; k < d.size(); ++k) d[k] -= share * b[k];
      }
    return d;
  }
  bool tells(const Direction& d) const { return !(std::sqrt(product(left(d), left(d))) > rounding); }
  void add(Direction d) {
    const double size = std::sqrt(product(d, d));
    if (!(size > rounding)) return;
    for (double& x : d) x /= size;
    d = left(d);
    const double rest = std::sqrt(product(d, d));
    if (!(rest > rounding)) return;
    for (double& x : d) x /= rest;
    basis_.push_back(d);
  }

 private:
  std::vector<Direction> basis_;
};

Direction unit(std::size_t k) {
  Direction d{};
  d[k] = 1;
  return d;
}

/// A loop's row along the place p and the yaw about the base's origin: the base's twist in its own axes is (Rᵀ θ, Rᵀ δp).
Direction along_base(const double* J, const double* q) {
  const Mat3<double> R = rotation_from_quaternion(q + 3);
  const Vec3<double> shift = R * Vec3<double>{{J[3], J[4], J[5]}}, turn = R * Vec3<double>{{J[0], J[1], J[2]}};
  return {shift[0], shift[1], shift[2], turn[2]};
}

bool has_loop_with_world(const System& system) {
  return std::any_of(system.closures().begin(), system.closures().end(), [](const Closure& c) {
    return c.type != ConstraintType::joint && (c.sides[0].body < 0 || c.sides[1].body < 0);
  });
}

}  // namespace

std::vector<std::string> unplaced(const System& system, const std::vector<TrackedPose>& poses) {
  const std::vector<std::string> unread = unplaced(poses);
  if (!has_loop_with_world(system)) return unread;
  const ConstraintSet& set = system.sensors().constraints;
  LoopErrors loops(system.model(), set);
  std::vector<std::vector<double>> postures = moving_postures(system.model(), set);
  postures.resize(std::min(postures.size(), tried_postures));
  std::array<bool, 4> unseen{};
  for (const std::vector<double>& q : postures) {
    Told told;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (std::find(unread.begin(), unread.end(), names[k]) == unread.end()) told.add(unit(k));
    loops.at(q.data());
    for (int row = 0; row < loops.rows(); ++row)
      if (!loops.within_robot(row)) told.add(along_base(loops.jacobian(row), q.data()));
    for (std::size_t k = 0; k < names.size(); ++k) unseen[k] = unseen[k] || !told.tells(unit(k));
  }
  std::vector<std::string> found;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (unseen[k]) found.emplace_back(names[k]);
  return found;
}

}  // namespace sparsedyn::tracking
