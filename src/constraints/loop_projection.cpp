#include <algorithm>
#include <cmath>
#include <cstdio>

#include "hard_row_factor.hpp"
#include "inertia_factor.hpp"
#include "rows.hpp"
#include "sparsedyn/constraints/closed_loops.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn {
namespace {

constexpr double open_from = 1e-9;    // of RowBlock::unit or rad: a larger gap fails
constexpr double no_gap = 1e-15;      // likewise: below it no step helps
constexpr int most_steps = 50;        // of Gauss and Newton
constexpr int most_multipliers = 20;  // of one step: each shrinks the miss by about 1e-6 where J has full rank

}  // namespace

struct LoopProjection::State {
  State(const Model& robot, const ConstraintSet& set)
      : model(robot),
        ws(robot),
        rows(robot, resolved(robot, hard_part(set), inverse_weights(robot))),
        factor(robot, freedoms_of(rows.blocks())),
        exact(robot, rows, {}),
        H(static_cast<std::size_t>(robot.nv) * static_cast<std::size_t>(robot.nv)),
        rest(robot.nv, 0.0),
        step(robot.nv),
        part(robot.nv),
        here(robot.nq),
        tried(robot.nq),
        aim(rows.rows()),
        push(rows.rows()),
        unused(rows.rows()) {
    for (const RowBlock& b : rows.blocks()) names.push_back(b.name);
  }

  /// Rows at (q, v); the largest |φ|, lengths beside the robot's unit, and, in `worst`, whose.
  double error_at(const double* q, const double* v, int& worst) noexcept {
    rows.at(ws, q, v);
    double most = 0;
    worst = -1;
    for (std::size_t k = 0; k < rows.blocks().size(); ++k)
      for (int r = 0; r < rows.blocks()[k].rows; ++r) {
        const double of_row = r < 3 ? rows.blocks()[k].unit : 1;
        const double error = std::abs(rows.states()[k].error[static_cast<std::size_t>(r)]) / of_row;
        if (!(error <= most)) most = error, worst = static_cast<int>(k), unit = of_row;
      }
    return most;
  }

  double along(const double* J, const double* x) const noexcept {
    double sum = 0;
    for (int i = 0; i < model.nv; ++i) sum += J[i] * x[i];
    return sum;
  }

  /// H = M + Jᵀ D J at the rows' state, D = 1/(10⁻⁶ w): the freedom without inertia, or -1. Where loops do not hold what moves
  /// no mass, as rods that are stretched, many steps are least: then M has a millionth of the loops' D beside it.
  int factor_at(const double* q) noexcept {
    const int idle = factor_at(q, 0);
    return idle < 0 ? idle : factor_at(q, 1e-6);
  }

  int factor_at(const double* q, double share) noexcept {
    crba(model, ws, q, H.data());
    if (share > 0) add_to_inertia(share);
    for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
      const RowBlock& b = rows.blocks()[k];
      std::array<double, LawNumbers::most_rows * LawNumbers::most_rows> D{};
      for (int r = 0; r < b.rows; ++r) D[static_cast<std::size_t>(r * b.rows + r)] = rows.states()[k].law.D[r];
      rows.add_product(b, D.data(), H.data());
    }
    return factor.factor(H.data());
  }

  void add_to_inertia(double share) noexcept {
    const auto n = static_cast<std::size_t>(model.nv);
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double own = H[i * n + i];
      for (std::size_t k = 0; k < rows.blocks().size(); ++k)
        for (int r = 0; r < rows.blocks()[k].rows; ++r) {
          const double J = rows.row(rows.blocks()[k].first_row + r)[i];
          own += 1e-6 * rows.states()[k].law.D[r] * J * J;
        }
      part[i] = own, most = std::max(most, own);
    }
    for (std::size_t i = 0; i < n; ++i) H[i * n + i] += share * (part[i] > 0 ? part[i] : most > 0 ? most : 1);
  }

  /// step = argmin ½ δᵀ M δ, J δ = aim. Multipliers λ ← λ + D (aim − J δ) with (M + Jᵀ D J) δ = Jᵀ (λ + D aim), so δ grows by
  /// H⁻¹ Jᵀ D (aim − J δ). Rows that contradict each other are met by least squares.
  void shortest_step() noexcept {
    std::fill(step.begin(), step.end(), 0.0);
    double before = -1;
    for (int k = 0; k < most_multipliers; ++k) {
      double miss = 0;
      for (std::size_t b = 0; b < rows.blocks().size(); ++b)
        for (int r = 0; r < rows.blocks()[b].rows; ++r) {
          const int row = rows.blocks()[b].first_row + r;
          const double left = aim[row] - along(rows.row(row), step.data());
          miss = std::max(miss, std::abs(left));
          push[row] = rows.states()[b].law.D[r] * left;
        }
      if (miss == 0 || (before >= 0 && miss > 0.5 * before)) return;
      before = miss;
      std::fill(part.begin(), part.end(), 0.0);
      rows.add_transposed(push.data(), part.data());
      factor.solve(H.data(), part.data());
      for (int i = 0; i < model.nv; ++i) step[i] += part[i];
    }
  }

  /// The same by the rows' own factor, where these steps are slow: near a flat posture, or with light links beside heavy ones.
  void meet_exactly(const double* q) noexcept {
    int row = -1;
    if (!exact.any() || exact.met(step.data(), aim.data(), row)) return;
    crba(model, ws, q, H.data());
    exact.take(H.data());
    if (exact.factor(H.data()) >= 0) return;
    std::fill(part.begin(), part.end(), 0.0);
    exact.solve(part.data(), aim.data(), step.data(), unused.data());
  }

  /// Of velocities at q, J δ = −J v.
  void close_velocities(const double* q, const double* v) noexcept {
    for (int r = 0; r < rows.rows(); ++r) aim[r] = -along(rows.row(r), v);
    shortest_step();
    meet_exactly(q);
  }

  /// q ← q ⊕ δ as long as the gap shrinks; halves of δ where the whole of it does not help.
  ProjectionStatus close() noexcept {
    ProjectionStatus status;
    status.beside = error_at(here.data(), rest.data(), status.constraint);
    double unit_of_gap = unit;
    while (status.iterations < most_steps && status.beside > no_gap) {
      for (std::size_t k = 0; k < rows.blocks().size(); ++k)
        for (int r = 0; r < rows.blocks()[k].rows; ++r)
          aim[rows.blocks()[k].first_row + r] = -rows.states()[k].error[static_cast<std::size_t>(r)];
      status.freedom = factor_at(here.data());
      if (status.freedom >= 0) {
        status.state = ProjectionState::singular;
        return status;
      }
      shortest_step();
      if (status.beside <= open_from) meet_exactly(here.data());
      ++status.iterations;
      double gap = status.beside;
      int worst = -1;
      for (int halved = 0; halved < 12; ++halved) {
        integrate(model, here.data(), step.data(), tried.data());
        gap = error_at(tried.data(), rest.data(), worst);
        if (gap < status.beside || status.beside <= open_from) break;
        for (double& x : step) x *= 0.5;
      }
      if (!(gap < status.beside)) break;
      const bool rounded = gap > 0.5 * status.beside && gap <= open_from;
      here = tried, status.beside = gap, status.constraint = worst, unit_of_gap = unit;
      if (rounded) break;
    }
    if (!(status.beside <= open_from)) status.state = ProjectionState::not_closed;
    status.gap = status.beside * unit_of_gap;
    return status;
  }

  const Model& model;
  Workspace<double> ws;
  ConstraintRows rows;
  InertiaFactor factor;
  HardRowFactor exact;
  double unit = 1;                        // of error_at's worst row
  std::vector<double> H;                  // nv × nv
  std::vector<double> rest;               // v = 0
  std::vector<double> step, part;         // nv
  std::vector<double> here, tried;        // nq
  std::vector<double> aim, push, unused;  // rows
  std::vector<std::string> names;
};

LoopProjection::LoopProjection(const Model& model, const ConstraintSet& set) : state_(std::make_unique<State>(model, set)) {}
LoopProjection::~LoopProjection() = default;
LoopProjection::LoopProjection(LoopProjection&&) noexcept = default;
LoopProjection& LoopProjection::operator=(LoopProjection&&) noexcept = default;

ProjectionStatus LoopProjection::project(double* q, double* v) noexcept {
  State& s = *state_;
  ProjectionStatus status;
  if (!finite(q, s.model.nq) || !finite(v, s.model.nv)) {
    status.state = ProjectionState::not_finite_input;
    return status;
  }
  std::copy_n(q, s.model.nq, s.here.data());
  status = s.close();
  if (!status.ok()) return status;
  int unused = -1;
  s.error_at(s.here.data(), v, unused);
  status.freedom = s.factor_at(s.here.data());
  if (status.freedom >= 0) {
    status.state = ProjectionState::singular;
    return status;
  }
  s.close_velocities(s.here.data(), v);
  std::copy(s.here.begin(), s.here.end(), q);
  for (int i = 0; i < s.model.nv; ++i) v[i] += s.step[i];
  return status;
}

void LoopProjection::gaps(const double* q, double* gaps) noexcept {
  State& s = *state_;
  s.rows.at(s.ws, q, s.rest.data());
  for (std::size_t k = 0; k < s.rows.blocks().size(); ++k) {
    const std::array<double, 6>& e = s.rows.states()[k].error;
    const double apart = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    const double turned = std::sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5]);  // sin of half the angle
    gaps[k] = std::max(apart, 2 * std::asin(std::min(1.0, turned)));
  }
}

const std::vector<std::string>& LoopProjection::names() const noexcept { return state_->names; }

std::string LoopProjection::describe(const ProjectionStatus& status) const {
  switch (status.state) {
    case ProjectionState::ok: return "closed";
    case ProjectionState::not_finite_input: return "a number of the state is not finite";
    case ProjectionState::singular:
      return "the robot is singular at this state: nothing determines ddq." + velocity_names(state_->model)[status.freedom];
    case ProjectionState::not_closed: break;
  }
  char text[80];
  std::snprintf(text, sizeof text, "\" stays open by %.1e after %d steps", status.gap, status.iterations);
  return "no posture near this one closes the loops: \"" +
         (status.constraint >= 0 ? state_->names[static_cast<std::size_t>(status.constraint)] : std::string()) + text;
}

}  // namespace sparsedyn
