#include "sparsedyn/constraints/constrained_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "constraints/derivatives/constrained_derivatives.hpp"
#include "constraints/derivatives/constraint_answer.hpp"
#include "hard_row_ranks.hpp"
#include "newton_iteration.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {
namespace {

std::vector<RowBlock> blocks_on_tree(const Model& model, const ConstraintSet& set) {
  if (!model.coordinate_map) return {};
  return resolved(model, set, inverse_weights(model), Freedoms::tree);
}

void check(const std::vector<double>& effort_limits, int nv) {
  const bool known = effort_limits.empty() || static_cast<int>(effort_limits.size()) == nv;
  if (!known || !std::all_of(effort_limits.begin(), effort_limits.end(), [](double x) { return x >= 0; }))
    throw std::invalid_argument("effort limits that are not " + std::to_string(nv) + " numbers >= 0");
}

void clear_column(double* matrix, std::size_t rows, int nv, int column) noexcept {
  for (std::size_t r = 0; matrix && r < rows; ++r) matrix[r * static_cast<std::size_t>(nv) + column] = 0;
}

}  // namespace

std::vector<double> effort_limits(const Model& model) {
  std::vector<double> limits(static_cast<std::size_t>(model.nv), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < model.limits.size(); ++i)
    if (model.limits[i].effort > 0) limits[i] = model.limits[i].effort;
  return limits;
}

struct ConstrainedDynamics::State {
  State(const Model& robot, const ConstraintSet& set, const ConstraintOptions& choice)
      : model(robot),
        options(choice),
        ws(robot),
        rows(robot, resolved(robot, set, inverse_weights(robot))),
        newton(robot, rows, choice, hard_row_postures(robot, set)),
        derivatives(robot, rows, blocks_on_tree(robot, set)) {
    check(choice.effort_limits, robot.nv);
    name_columns();
  }

  void name_columns() {
    for (const RowBlock& b : rows.blocks()) {
      names.push_back(b.name);
      if (b.first_gap >= 0) gap_names.push_back(b.name);
      static const char* const force_parts[] = {".x", ".y", ".z", ".nx", ".ny", ".nz"};
      static const char* const wrench_parts[] = {".nx", ".ny", ".nz", ".fx", ".fy", ".fz"};
      for (int k = 0; k < b.forces; ++k)
        force_names.push_back(b.name + (b.forces == 1                    ? ""
                                        : b.type == ConstraintType::weld ? wrench_parts[k]
                                                                         : force_parts[k]));
    }
  }

  /// The rows, M, and τ − bias + Σ Jᵀ fx in `push`.
  ConstraintStatus prepare(const double* q, const double* v, const double* tau, const Force<double>* fx) noexcept {
    rows.at(ws, q, v);
    std::vector<double>&M = newton.M, &push = newton.push;
    crba(model, ws, q, M.data());
    rnea<double>(model, ws, q, v, nullptr, fx, push.data());
    for (int i = 0; i < model.nv; ++i) push[i] = applied(tau, i) - push[i];
    return judged(finite(tau, model.nv) && finite(push.data(), model.nv) && finite(M.data(), static_cast<int>(M.size())) &&
                  finite(rows.aim().data(), rows.rows()));
  }

  /// All derivatives at the answer, in `out`; `so_far`: of the answer.
  ConstraintStatus derive(const double* q, const double* v, const Force<double>* fx, const ConstraintDerivatives& out,
                          ConstraintStatus so_far) noexcept {
    so_far.state = ConstraintState::ok;
    so_far.freedom = newton.step(false);
    if (so_far.freedom >= 0) {
      so_far.state = ConstraintState::singular;
      return so_far;
    }
    so_far.constraint =
        derivatives.solve(ws, newton.factor, newton.by_hard_factor(),
                          {q, v, newton.a.data(), fx, newton.lambda.data(), newton.H.data(), newton.slopes.data()}, out);
    if (so_far.constraint >= 0) so_far.state = ConstraintState::not_converged;
    return so_far;
  }

  bool cut_off(const double* tau, int i) const noexcept {
    return !options.effort_limits.empty() && std::abs(tau[i]) > options.effort_limits[i];
  }
  double applied(const double* tau, int i) const noexcept {
    return cut_off(tau, i) ? std::copysign(options.effort_limits[i], tau[i]) : tau[i];
  }
  /// By the i-th torque.
  void clear_slopes(int i, const ConstraintDerivatives& of) const noexcept {
    clear_column(of.da_dtau, static_cast<std::size_t>(model.nv), model.nv, i);
    clear_column(of.dlambda_dtau, force_names.size(), model.nv, i);
  }

  /// Whether the state's numbers, and what finders gave, may be used.
  ConstraintStatus judged(bool all_finite) const noexcept {
    ConstraintStatus status;
    status.constraint = rows.unusable();
    if (status.constraint >= 0) status.state = ConstraintState::no_contact_point;
    if (!all_finite) status.state = ConstraintState::not_finite_input, status.constraint = -1;
    return status;
  }

  const Model& model;
  ConstraintOptions options;
  Workspace<double> ws;
  ConstraintRows rows;
  NewtonIteration newton;
  ConstrainedDerivatives derivatives;
  bool warm = false;
  std::vector<std::string> names, force_names, gap_names;
};

std::vector<std::vector<int>> tied_freedoms(const Model& model, const ConstraintSet& set) {
  return tied_freedoms(model, freedoms_of(resolved(model, set, inverse_weights(model))));
}

ConstrainedDynamics::ConstrainedDynamics(const Model& model, const ConstraintSet& set, const ConstraintOptions& options)
    : state_(std::make_unique<State>(model, set, options)) {}
ConstrainedDynamics::~ConstrainedDynamics() = default;
ConstrainedDynamics::ConstrainedDynamics(ConstrainedDynamics&&) noexcept = default;
ConstrainedDynamics& ConstrainedDynamics::operator=(ConstrainedDynamics&&) noexcept = default;

ConstraintStatus ConstrainedDynamics::forward(const double* q, const double* v, const double* tau, const Force<double>* fx,
                                              double* a, double* lambda, double* gap) noexcept {
  State& s = *state_;
  ConstraintStatus status = s.prepare(q, v, tau, fx);
  if (!status.ok()) return status;
  status = s.newton.iterate(s.options.warm && s.warm);
  s.warm = status.ok();
  if (!status.ok()) return status;
  if (!finite(s.newton.a.data(), s.model.nv)) {
    status.state = ConstraintState::not_finite_input;
    return status;
  }
  std::copy(s.newton.a.begin(), s.newton.a.end(), a);
  s.rows.write(s.newton.lambda.data(), lambda, gap);
  return status;
}

ConstraintStatus ConstrainedDynamics::inverse(const double* q, const double* v, const double* a, const Force<double>* fx,
                                              double* tau, double* lambda, double* gap) noexcept {
  State& s = *state_;
  s.rows.at(s.ws, q, v);
  rnea(s.model, s.ws, q, v, a, fx, s.newton.push.data());
  s.rows.miss(a, s.newton.j.data());
  s.newton.forces(s.newton.j.data(), s.newton.f.data());
  std::copy(s.newton.f.begin(), s.newton.f.end(), s.newton.lambda.begin());
  for (double& force : s.newton.f) force = -force;
  s.rows.add_transposed(s.newton.f.data(), s.newton.push.data());
  const ConstraintStatus status = s.judged(finite(s.newton.push.data(), s.model.nv));
  if (!status.ok()) return status;
  std::copy(s.newton.push.begin(), s.newton.push.end(), tau);
  s.rows.write(s.newton.lambda.data(), lambda, gap);
  return status;
}

ConstraintStatus ConstraintAnswer::derive(ConstrainedDynamics& dynamics, const double* q, const double* v, const double* tau,
                                          const Force<double>* fx, const ConstraintDerivatives& out) noexcept {
  ConstrainedDynamics::State& s = *dynamics.state_;
  ConstraintStatus status = dynamics.forward(q, v, tau, fx, out.a, out.lambda, out.gap);
  if (!status.ok()) return status;
  status.constraint = s.rows.of_unknown_motion();
  if (status.constraint >= 0) {
    status.state = ConstraintState::no_derivatives;
    return status;
  }
  ConstraintStatus lost = status;
  if (s.newton.has_redundant_rows() && !s.newton.hold_exactly(lost) && out.dlambda_dq) return lost;
  status = s.derive(q, v, fx, out, status);
  const bool by_steps = dynamics.has_hard_rows() && !s.newton.by_hard_factor();
  if (status.state == ConstraintState::not_converged && by_steps && s.newton.hold_exactly(lost))
    status = s.derive(q, v, fx, out, status);
  return status;
}

ConstraintStatus ConstrainedDynamics::derivatives(const double* q, const double* v, const double* tau, const Force<double>* fx,
                                                  const ConstraintDerivatives& out) noexcept {
  const ConstraintStatus status = ConstraintAnswer::derive(*this, q, v, tau, fx, out);
  for (int i = 0; status.ok() && i < state_->model.nv; ++i)
    if (state_->cut_off(tau, i)) state_->clear_slopes(i, out);
  return status;
}

void ConstraintAnswer::keep(ConstrainedDynamics& dynamics) { dynamics.state_->derivatives.keep_by_row(); }

bool ConstraintAnswer::cut_off(const double* tau, int i) const noexcept { return dynamics.state_->cut_off(tau, i); }

void ConstraintAnswer::clear_slopes(int i, const ConstraintDerivatives& of) const noexcept {
  dynamics.state_->clear_slopes(i, of);
}

ConstraintAnswer::ConstraintAnswer(const ConstrainedDynamics& own) noexcept
    : dynamics(own),
      rows(dynamics.state_->rows),
      derivatives(dynamics.state_->derivatives),
      j(dynamics.state_->newton.j.data()),
      f(dynamics.state_->newton.lambda.data()),
      slopes(dynamics.state_->newton.slopes.data()),
      redundant(dynamics.state_->newton.has_redundant_rows() ? dynamics.state_->newton.by_hard_factor() : nullptr) {}

void ConstrainedDynamics::forget() noexcept { state_->warm = false; }

bool ConstrainedDynamics::has_hard_rows() const noexcept {
  for (const RowBlock& b : state_->rows.blocks())
    if (b.hard) return true;
  return false;
}
const std::vector<std::string>& ConstrainedDynamics::force_columns() const noexcept { return state_->force_names; }
const std::vector<std::string>& ConstrainedDynamics::gap_columns() const noexcept { return state_->gap_names; }
const std::vector<std::string>& ConstrainedDynamics::constraint_names() const noexcept { return state_->names; }

std::string ConstrainedDynamics::describe(const ConstraintStatus& status) const {
  switch (status.state) {
    case ConstraintState::ok: return "solved";
    case ConstraintState::not_finite_input: return "a number of the state, the torques or the multipliers is not finite";
    case ConstraintState::singular:
      return "the robot is singular at this state: nothing determines ddq." + velocity_names(state_->model)[status.freedom];
    case ConstraintState::rank_lost: {
      const RowBlock& b = state_->rows.blocks()[static_cast<std::size_t>(status.constraint)];
      return "the loops lose rank at this state: nothing determines lambda." +
             equality_rows(b.name, b.rows)[static_cast<std::size_t>(status.row)];
    }
    case ConstraintState::no_contact_point:
      return "constraint \"" + state_->names[status.constraint] +
             "\": what its finder gave is no contact point; expected finite numbers and a normal of unit length";
    case ConstraintState::no_derivatives:
      if (status.constraint < 0)
        return "a second derivative is not finite, as by a power of solimp below 2 where a gap or an error is zero";
      return "constraint \"" + state_->names[status.constraint] +
             "\": its finder does not say how point and normal follow the links, finite; derivatives need that";
    case ConstraintState::not_converged: break;
  }
  char text[160];
  std::snprintf(text, sizeof text, "the constraints' forces do not settle (%.1e after %d steps)%s", status.residual,
                status.iterations - 1, status.constraint >= 0 ? ", worst at " : "");
  return text + (status.constraint >= 0 ? "\"" + state_->names[status.constraint] + "\"" : "");
}

}  // namespace sparsedyn
