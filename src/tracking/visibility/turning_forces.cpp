#include "tracking/visibility/turning_forces.hpp"

#include <algorithm>
#include <cmath>

#include "tracking/shared/block_rows.hpp"
#include "tracking/whole/whole_knot.hpp"

namespace sparsedyn::tracking {
namespace {

bool is_pair(const Closure& c) { return c.type != ConstraintType::joint; }

bool is_tied_to_world(const Closure& c) { return is_pair(c) && (c.sides[0].body < 0 || c.sides[1].body < 0); }

Matrix3 unseen_turns(const Vector3& gravity) {
  const double square = dot(gravity, gravity);
  Matrix3 along = identity3<double>();
  for (int i = 0; i < 3 && square > 0; ++i)
    for (int k = 0; k < 3; ++k) along(i, k) = gravity[i] * gravity[k] / square;
  return along;
}

}  // namespace

TurningForces::TurningForces(const WholeLayout& layout) : layout_(layout), unseen_(unseen_turns(layout.model.gravity)) {
  const std::vector<Closure>& closures = layout.system->closures();
  turn_ = layout.floating && !closures.empty() && std::none_of(closures.begin(), closures.end(), is_tied_to_world);
  const auto place_of = [&](int unknown) {
    const auto is = [unknown](const IntervalUnknown& u) { return u.unknown == unknown; };
    return static_cast<int>(std::find_if(layout.unknowns.begin(), layout.unknowns.end(), is) - layout.unknowns.begin());
  };
  for (const Closure& c : closures)
    for (int first = 0; turn_ && is_pair(c) && first < c.rows; first += 3)
      forces_.push_back({place_of(c.lambda + first), place_of(c.lambda + first + 1), place_of(c.lambda + first + 2)});
}

void TurningForces::leave_out_turn(double* h) const noexcept {
  if (!turn_) return;
  const Vector3 turn = part_of(h, WholeLayout::turn);
  put_part(h, WholeLayout::turn, turn - unseen_ * turn);
}

void TurningForces::make_additive(const double* z, Gaussian& e) const noexcept {
  for (const std::array<int, 3>& force : forces_) {
    const Matrix3 by_turn = scaled(-1, hat(Vector3{{z[force[0]], z[force[1]], z[force[2]]}}) * unseen_);
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        e.add_error(layout_.first_unknown + force[static_cast<std::size_t>(i)], WholeLayout::turn + k, by_turn(i, k));
  }
}

}  // namespace sparsedyn::tracking
