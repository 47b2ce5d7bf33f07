#include "tracking/visibility/loop_turns.hpp"

#include <algorithm>

#include "tracking/shared/block_rows.hpp"
#include "tracking/whole/whole_knot.hpp"

namespace sparsedyn::tracking {
namespace {

Vector3 force_at(const std::array<int, 3>& force, const double* of) { return {{of[force[0]], of[force[1]], of[force[2]]}}; }

}  // namespace

LoopTurns::LoopTurns(const WholeLayout& layout, const IntervalRows& rows)
    : layout_(layout), rows_(rows), own_(static_cast<std::size_t>(rows.rows())) {
  if (!layout.floating) return;
  const std::vector<int>& free = rows.free_unknowns();
  const auto place_of = [&](int unknown) {
    return static_cast<int>(std::find(free.begin(), free.end(), unknown) - free.begin());
  };
  for (const Closure& c : layout.system->closures()) {
    if (c.type == ConstraintType::joint) continue;  // of joints' coordinates and torques
    // Forces along a link's axes turn with it as they are; those along the world's axes follow from them.
    for (int first = c.lambda; c.axes < 0 && first < c.lambda + c.rows; first += 3)
      forces_.push_back({place_of(first), place_of(first + 1), place_of(first + 2)});
    find_rows(c);
  }
}

void LoopTurns::find_rows(const Closure& c) {
  const std::vector<int>& equations = rows_.equations();
  const bool within_robot = c.sides[0].body >= 0 && c.sides[1].body >= 0;
  const auto first = std::find(equations.begin(), equations.end(), c.first_row);
  const bool all = std::none_of(c.redundant.begin(), c.redundant.end(), [](char redundant) { return redundant != 0; });
  const bool turns = !within_robot && c.type == ConstraintType::connect && all;
  for (std::size_t i = 0; i < equations.size(); ++i)
    if (equations[i] >= c.first_row && equations[i] < c.first_row + c.rows)
      own_[i] = {true, within_robot, turns ? static_cast<int>(first - equations.begin()) : -1};
}

void LoopTurns::put_turn(int i, const double* z, double* h) const noexcept {
  if (!layout_.floating) return;
  const OwnRow& own = own_[static_cast<std::size_t>(i)];
  if (own.within_robot) {
    std::fill_n(h, layout_.first_joint, 0.0);
    std::fill_n(h + layout_.first_unknown, layout_.base_freedoms, 0.0);
    return;
  }
  Vector3 turn = part_of(h, WholeLayout::turn);
  for (const std::array<int, 3>& force : forces_) turn += cross(force_at(force, z), force_at(force, h + layout_.first_unknown));
  if (own.first >= 0) {  // less ĝ × e_k; the residual is −ĝ
    Vector3 axis = zero3<double>();
    axis[i - own.first] = 1;
    turn += cross(Vector3{{rows_.residual(own.first), rows_.residual(own.first + 1), rows_.residual(own.first + 2)}}, axis);
  }
  put_part(h, WholeLayout::turn, turn);
}

double LoopTurns::left_out(int i, const double* z) const noexcept {
  double sum = 0;
  for (int k = 0; k < layout_.base_freedoms && own_[static_cast<std::size_t>(i)].within_robot; ++k)
    sum += rows_.derivative(i)[k] * z[k];
  return sum;
}

void LoopTurns::make_additive(const double* z, Gaussian& e) const noexcept {
  for (const std::array<int, 3>& force : forces_) {
    const Matrix3 by_turn = scaled(-1, hat(force_at(force, z)));  // θ × λ̂ = −λ̂ × θ
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        e.add_error(layout_.first_unknown + force[static_cast<std::size_t>(i)], WholeLayout::turn + k, by_turn(i, k));
  }
}

}  // namespace sparsedyn::tracking
