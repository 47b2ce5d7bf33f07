#include "tracking/plan/row_supports.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "constraints/loops/loop_errors.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/model/detail/joint.hpp"
#include "tracking/whole/whole_feet.hpp"

namespace sparsedyn::tracking {
namespace {

constexpr int states = 2;

/// A state, accelerations and forces with no zero among them.
struct GeneralState {
  GeneralState(const WholeLayout& layout, unsigned seed)
      : q(static_cast<std::size_t>(layout.model.nq)),
        v(static_cast<std::size_t>(layout.nv)),
        z(layout.unknowns.size()),
        y(layout.system->inputs().size(), 0.0) {
    std::mt19937 rng(seed);
    const auto draw = [&] { return static_cast<double>(rng()) / 4294967296.0 + 0.1; };
    std::vector<double> zero(q.size()), step(v.size());
    for (double& x : step) x = draw();
    for (double& x : v) x = draw();
    for (double& x : z) x = draw();
    neutral(layout.model, zero.data());
    integrate(layout.model, zero.data(), step.data(), q.data());
  }
  std::vector<double> q, v, z, y;
};

bool any(const double* x, int count) {
  return std::any_of(x, x + count, [](double entry) { return entry != 0; });
}

void add_three(std::set<int>& errors, int first) { errors.insert({first, first + 1, first + 2}); }

/// The errors of WholeForward's row i: its derivatives by z, q and v at the interval's middle.
void add_support(const WholeLayout& layout, const IntervalRows& rows, int i, std::set<int>& errors) {
  const double *const by_z = rows.derivative(i), *const by_q = by_z + rows.of_q(), *const by_v = by_z + rows.of_v();
  if (layout.floating && any(by_q, 3)) add_three(errors, WholeLayout::turn), add_three(errors, WholeLayout::rate);
  if (layout.floating && any(by_v, 3)) add_three(errors, WholeLayout::rate);
  if (layout.floating && any(by_v + 3, 3)) add_three(errors, WholeLayout::velocity);
  for (int v = layout.base_freedoms; v < layout.nv; ++v) {
    if (by_q[v] != 0) errors.insert({layout.position_error(v), layout.velocity_error(v)});
    if (by_v[v] != 0) errors.insert(layout.velocity_error(v));
  }
  for (const GroupJoint& group : layout.groups)
    for (int f = 0; f < group.freedoms && any(by_q + group.v, group.freedoms); ++f)
      errors.insert({layout.position_error(group.v + f), layout.velocity_error(group.v + f)});
  for (int k = 0; k < rows.of_q(); ++k)
    if (by_z[k] != 0 || (k < layout.nv && by_v[k] != 0)) errors.insert(layout.first_unknown + k);
  if (const int offset = layout.intervals[static_cast<std::size_t>(i)].offset; offset >= 0) errors.insert(offset);
}

void add_joints(const WholeLayout& layout, const double* J, int rows, std::set<int>& errors) {
  for (int v = layout.base_freedoms; v < layout.nv; ++v)
    for (int r = 0; r < rows; ++r)
      if (J[r * layout.nv + v] != 0) errors.insert(layout.position_error(v));
}

std::vector<int> listed(const std::set<int>& errors) { return {errors.begin(), errors.end()}; }

}  // namespace

Supports interval_supports(const WholeLayout& layout, IntervalRows& rows) {
  std::vector<std::set<int>> found(static_cast<std::size_t>(rows.rows()));
  for (unsigned seed = 1; seed <= states; ++seed) {
    const GeneralState state(layout, seed);
    rows.find_derivatives(state.q.data(), state.v.data(), state.y.data(), state.z.data());
    for (int i = 0; i < rows.rows(); ++i) add_support(layout, rows, i, found[static_cast<std::size_t>(i)]);
  }
  Supports supports;
  for (const std::set<int>& errors : found) supports.push_back(listed(errors));
  return supports;
}

Supports end_supports(const WholeLayout& layout) {
  Supports supports;
  for (const KnotReading& reading : layout.knots) {
    std::set<int> errors{reading.position ? layout.position_error(reading.v) : layout.velocity_error(reading.v)};
    if (reading.offset >= 0) errors.insert(reading.offset);
    supports.push_back(listed(errors));
  }
  for (const GroupReading& reading : layout.group_readings) {
    const GroupJoint& group = layout.groups[static_cast<std::size_t>(reading.group)];
    for (int f = 0; f < group.freedoms; ++f) {
      std::set<int> errors;
      for (int other = 0; other < group.freedoms; ++other)
        if (other == f || (is_shift(group.joint, f) && is_shift(group.joint, other)))
          errors.insert(layout.position_error(group.v + other));
      supports.push_back(listed(errors));
    }
  }
  LoopErrors loops(layout.model, layout.system->sensors().constraints);
  loops.at(GeneralState(layout, 1).q.data());
  for (int row = 0; row < loops.rows(); ++row) {
    std::set<int> errors;
    const double* const J = loops.jacobian(row);
    const bool by_base = layout.floating && !loops.within_robot(row);
    if (by_base && any(J, 6)) add_three(errors, WholeLayout::turn);
    if (by_base && any(J + 3, 3)) add_three(errors, WholeLayout::place);
    add_joints(layout, loops.jacobian(row), 1, errors);
    supports.push_back(listed(errors));
  }
  if (!layout.floating) return supports;
  WholeFeet feet(layout);
  feet.at(GeneralState(layout, 1).q.data());
  for (std::size_t p = 0; p < layout.points.size(); ++p) {
    std::set<int> errors;
    add_three(errors, layout.points[p].error), add_three(errors, WholeLayout::place);
    add_joints(layout, feet.jacobian(static_cast<int>(p)), 3, errors);
    supports.insert(supports.end(), 3, listed(errors));
  }
  for (std::size_t m = 0; m < layout.poses.size(); ++m) {
    std::set<int> errors;
    add_three(errors, WholeLayout::turn);
    add_joints(layout, feet.pose_jacobian(static_cast<int>(m)), 6, errors);
    if (layout.poses[m].turns) supports.insert(supports.end(), 3, listed(errors));
    for (int k = 0; k < 3; ++k) {
      if (layout.poses[m].inputs[k] < 0) continue;
      std::set<int> place = errors;
      place.insert(WholeLayout::place + k);
      supports.push_back(listed(place));
    }
  }
  for (const ContactForce& force : layout.contact_forces)
    for (int k = 0; k < force.count; ++k) supports.push_back({force.first + k});
  return supports;
}

/// [n]× M W: M is full, W has a column for each joint that turns the link, and [n]× a row of zeros where the vertical n is
/// along an axis of the world.
long rolling_entries(const WholeLayout& layout) {
  if (!layout.floating) return 0;
  const Matrix3 across = hat(layout.vertical);
  long rows = 0, columns = 0;
  for (int i = 0; i < 3; ++i) rows += across(i, 0) != 0 || across(i, 1) != 0 || across(i, 2) != 0;
  WholeFeet feet(layout);
  feet.at(GeneralState(layout, 1).q.data());
  const auto nv = static_cast<std::size_t>(layout.nv);
  std::vector<double> W(3 * nv);
  for (std::size_t p = 0; p < layout.points.size(); ++p) {
    if (!layout.points[p].rolls()) continue;
    feet.find_turn(static_cast<int>(p), W.data());
    for (std::size_t c = 0; c < nv; ++c) columns += W[c] != 0 || W[nv + c] != 0 || W[2 * nv + c] != 0;
  }
  return rows * columns;
}

}  // namespace sparsedyn::tracking
