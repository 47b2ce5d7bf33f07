#include "tracking/whole/whole_step.hpp"

#include <algorithm>
#include <utility>

#include "tracking/shared/block_rows.hpp"
#include "tracking/shared/rolling.hpp"

namespace sparsedyn::tracking {
namespace {

/// The rows of X, n numbers each, become those of F X. scratch: 6 n.
void carry_base(const WholeLayout& layout, const WholeJacobian& F, double* X, int n, double* scratch) noexcept {
  const auto at = [&](int error) { return X + error * n; };
  double *const z = at(layout.first_unknown), *const rate = at(WholeLayout::rate), *const v = at(WholeLayout::velocity);
  double *const turned = scratch, *const moved = scratch + 3 * n;  // Δ; δv⁺
  std::fill(scratch, scratch + 6 * n, 0.0);
  add_rows(F.A, rate, turned, n);
  add_rows(scaled(layout.theta * F.dt, F.A), z, turned, n);
  add_rows(F.onward, v, moved, n);
  add_rows(scaled(F.dt, F.R), z + 3 * n, moved, n);
  double* const p = at(WholeLayout::place);
  add_scaled(0.5 * F.dt, v, p, 3 * n);
  add_scaled(0.5 * F.dt, moved, p, 3 * n);
  add_rows(scaled(-1, F.arm), turned, p, n);
  std::copy_n(moved, 3 * n, v);
  add_scaled(1, turned, at(WholeLayout::turn), 3 * n);
  add_scaled(F.dt, z, rate, 3 * n);
  for (std::size_t k = 0; k < layout.points.size(); ++k) add_rows(F.foothold_by_turn(k), turned, at(layout.points[k].error), n);
}

/// Likewise of a joint of several freedoms.
void carry_group(const WholeLayout& layout, const GroupJoint& group, const GroupStep& step, double dt, double* X, int n,
                 double* scratch) noexcept {
  double *const q = X + layout.position_error(group.v) * n, *const dq = X + layout.velocity_error(group.v) * n;
  const double* const z = X + (layout.first_unknown + group.v) * n;
  const int f = group.freedoms;
  std::fill(scratch, scratch + f * n, 0.0);
  for (int i = 0; i < f; ++i)
    for (int k = 0; k < f; ++k) {
      add_scaled(step.E[i][k], q + k * n, scratch + i * n, n);
      add_scaled(dt * step.J[i][k], dq + k * n, scratch + i * n, n);
      add_scaled(layout.theta * dt * dt * step.J[i][k], z + k * n, scratch + i * n, n);
    }
  std::copy_n(scratch, f * n, q);
  add_scaled(dt, z, dq, f * n);
}

/// `to`, three rows of n numbers, plus J times the rows of joints' positions.
void add_by_joints(const WholeLayout& layout, const std::vector<double>& J, const double* X, double* to, int n) noexcept {
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < layout.joints; ++k)
      if (const double by = J[static_cast<std::size_t>(r * layout.joints + k)]; by != 0)
        add_scaled(by, X + (layout.first_joint + k) * n, to + r * n, n);
}

void carry_rows(const WholeLayout& layout, const WholeJacobian& F, double* X, int n, double* scratch) noexcept {
  for (std::size_t k = 0; k < layout.points.size(); ++k) {
    if (!layout.points[k].rolls()) continue;
    double* const d = X + layout.points[k].error * n;
    add_rows(F.rolls[k].by_turn, X + WholeLayout::turn * n, d, n);
    add_by_joints(layout, F.rolls[k].before, X, d, n);
  }
  if (layout.floating) carry_base(layout, F, X, n, scratch);
  const double dt = F.dt;
  for (std::size_t g = 0; g < layout.groups.size(); ++g) carry_group(layout, layout.groups[g], F.groups[g], dt, X, n, scratch);
  for (int v = layout.base_freedoms; v < layout.nv; ++v) {
    if (layout.coordinate(v) < 0) continue;
    double *const q = X + layout.position_error(v) * n, *const dq = X + layout.velocity_error(v) * n;
    const double* const z = X + (layout.first_unknown + v) * n;
    for (int c = 0; c < n; ++c) {
      q[c] += dt * (dq[c] + layout.theta * dt * z[c]);
      dq[c] += dt * z[c];
    }
  }
  for (std::size_t k = 0; k < layout.points.size(); ++k)
    if (layout.points[k].rolls()) add_by_joints(layout, F.rolls[k].after, X, X + layout.points[k].error * n, n);
}

/// λ of joints' positions plus Jᵀ λ of a foothold.
void add_to_joints(const WholeLayout& layout, const std::vector<double>& J, const double* of, double* lambda) noexcept {
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < layout.joints; ++k)
      lambda[layout.first_joint + k] += J[static_cast<std::size_t>(r * layout.joints + k)] * of[r];
}

/// M W of the joints: 3 × layout.joints. turn: 3 × nv.
void put_turns(const WholeLayout& layout, const Matrix3& M, const std::vector<double>& turn, std::vector<double>& J) noexcept {
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < layout.joints; ++k) {
      double sum = 0;
      for (int i = 0; i < 3; ++i) sum += M(r, i) * turn[static_cast<std::size_t>(i * layout.nv + layout.base_freedoms + k)];
      J[static_cast<std::size_t>(r * layout.joints + k)] = sum;
    }
}

/// Feet that roll, from x to `next`. Of their links F.rolls[k].by_end holds the orientation before meanwhile.
void roll_feet(const WholeLayout& layout, const WholeKnot& x, WholeFeet& feet, WholeKnot& next, WholeJacobian& F) noexcept {
  const Matrix3 R = x.R();
  feet.at(x.q.data());
  for (std::size_t k = 0; k < layout.points.size(); ++k) {
    if (!layout.points[k].rolls()) continue;
    F.rolls[k].by_end = R * feet.link_rotation(layout.points[k].link);
    feet.find_turn(static_cast<int>(k), F.turn.data());
    put_turns(layout, R, F.turn, F.rolls[k].before);
  }
  feet.at(next.q.data());
  for (std::size_t k = 0; k < layout.points.size(); ++k) {
    if (!layout.points[k].rolls()) continue;
    RollJacobian& J = F.rolls[k];
    const Matrix3 E = F.R * feet.link_rotation(layout.points[k].link) * transpose(J.by_end);
    const Roll roll = roll_over(layout.points[k].radius, E, layout.vertical);
    next.footholds[k] += roll.moved;
    J.by_turn = roll.by_turn, J.by_end = roll.by_end;
    const Matrix3 back = scaled(-1, roll.by_end * E);
    for (int c = 0; c < layout.joints; ++c) {
      double* const at = J.before.data() + c;
      const Vector3 before = back * Vector3{{at[0], at[layout.joints], at[2 * layout.joints]}};
      for (int r = 0; r < 3; ++r) at[r * layout.joints] = before[r];
    }
    feet.find_turn(static_cast<int>(k), F.turn.data());
    put_turns(layout, roll.by_end * F.R, F.turn, J.after);
  }
}

void transpose_square(double* X, int n) noexcept {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) std::swap(X[i * n + k], X[k * n + i]);
}

}  // namespace

WholeJacobian::WholeJacobian(const WholeLayout& layout)
    : footholds(layout.points.size()), rolls(layout.points.size()), groups(layout.groups.size()) {
  for (std::size_t k = 0; k < rolls.size(); ++k) {
    if (!layout.points[k].rolls()) continue;
    rolls[k].before.resize(3 * static_cast<std::size_t>(layout.joints)), rolls[k].after = rolls[k].before;
    rolls[k].there = any_rolls = true;
  }
  if (any_rolls) turn.resize(3 * static_cast<std::size_t>(layout.nv));
}

void step_whole(const WholeLayout& layout, const WholeKnot& x, double dt, WholeFeet& feet, WholeKnot& next,
                WholeJacobian& F) noexcept {
  copy(x, next);
  F.dt = dt;
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupJoint& group = layout.groups[g];
    double mean[6], step[6];
    for (int k = 0; k < group.freedoms; ++k) {
      const auto v = static_cast<std::size_t>(group.v + k);
      mean[k] = x.dq[v] + layout.theta * dt * x.z[v], step[k] = dt * mean[k];
    }
    group.integrate(x.q.data(), step, next.q.data());
    F.groups[g].at(group, mean, dt);
  }
  for (int v = layout.base_freedoms; v < layout.nv; ++v) {
    const auto at = static_cast<std::size_t>(v);
    if (const int q = layout.coordinate(v); q >= 0)
      next.q[static_cast<std::size_t>(q)] += dt * (x.dq[at] + layout.theta * dt * x.z[at]);
    next.dq[at] += dt * x.z[at];
  }
  if (!layout.floating) return;
  const Vector3 w = x.w() + layout.theta * dt * part_of(x.z.data(), 0);
  const Matrix3 R = x.R();
  F.R = R * exponential(dt * w);
  const Vector3 v = F.R * (transposed_times(R, x.v()) + dt * part_of(x.z.data(), 3)), p = x.p() + 0.5 * dt * (x.v() + v);
  next.put_base(F.R, p, v, x.w() + dt * part_of(x.z.data(), 0));
  F.A = scaled(dt, F.R * right_jacobian(dt * w));
  F.onward = F.R * transpose(R);
  F.arm = hat(0.5 * dt * v - p);
  if (F.any_rolls) roll_feet(layout, x, feet, next, F);
  std::copy(next.footholds.begin(), next.footholds.end(), F.footholds.begin());
}

void carry(const WholeLayout& layout, const WholeJacobian& F, double* e) noexcept {
  double scratch[6];
  carry_rows(layout, F, e, 1, scratch);
}

void carry(const WholeLayout& layout, const WholeJacobian& F, Gaussian& e, std::vector<double>& scratch) noexcept {
  e.couple_all();
  for (int pass = 0; pass < 2; ++pass) {
    carry_rows(layout, F, e.P.data(), e.n, scratch.data());
    transpose_square(e.P.data(), e.n);
  }
}

void carry_back(const WholeLayout& layout, const WholeJacobian& F, double* lambda) noexcept {
  const double dt = F.dt;
  const int z = layout.first_unknown;
  for (std::size_t k = 0; k < layout.points.size(); ++k)
    if (layout.points[k].rolls()) add_to_joints(layout, F.rolls[k].after, lambda + layout.points[k].error, lambda);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const GroupJoint& group = layout.groups[g];
    const GroupStep& step = F.groups[g];
    double *const q = lambda + layout.position_error(group.v), *const dq = lambda + layout.velocity_error(group.v);
    double before[6];
    std::copy_n(q, group.freedoms, before);
    for (int k = 0; k < group.freedoms; ++k) {
      double by_q = 0, by_step = 0;
      for (int i = 0; i < group.freedoms; ++i) by_q += step.E[i][k] * before[i], by_step += step.J[i][k] * before[i];
      lambda[z + group.v + k] += dt * (dq[k] + layout.theta * dt * by_step);
      dq[k] += dt * by_step;
      q[k] = by_q;
    }
  }
  for (int v = layout.base_freedoms; v < layout.nv; ++v) {
    if (layout.coordinate(v) < 0) continue;
    double &q = lambda[layout.position_error(v)], &dq = lambda[layout.velocity_error(v)];
    lambda[z + v] += dt * (dq + layout.theta * dt * q);
    dq += dt * q;
  }
  if (!layout.floating) return;
  const auto add = [&](int at, const Vector3& x) { put_part(lambda, at, part_of(lambda, at) + x); };
  const Vector3 place = part_of(lambda, WholeLayout::place), rate = part_of(lambda, WholeLayout::rate);
  const Vector3 velocity = part_of(lambda, WholeLayout::velocity) + 0.5 * dt * place;  // δv⁺ enters δp⁺ too
  Vector3 turned = part_of(lambda, WholeLayout::turn) - transposed_times(F.arm, place);
  for (std::size_t k = 0; k < layout.points.size(); ++k)
    turned += transposed_times(F.foothold_by_turn(k), part_of(lambda, layout.points[k].error));
  const Vector3 by_rate = transposed_times(F.A, turned);
  add(z, layout.theta * dt * by_rate + dt * rate);
  add(z + 3, dt * transposed_times(F.R, velocity));
  add(WholeLayout::rate, by_rate);
  put_part(lambda, WholeLayout::velocity, transposed_times(F.onward, velocity) + 0.5 * dt * place);
  for (std::size_t k = 0; k < layout.points.size(); ++k) {
    if (!layout.points[k].rolls()) continue;
    const double* const of = lambda + layout.points[k].error;
    add(WholeLayout::turn, transposed_times(F.rolls[k].by_turn, part_of(of, 0)));
    add_to_joints(layout, F.rolls[k].before, of, lambda);
  }
}

}  // namespace sparsedyn::tracking
