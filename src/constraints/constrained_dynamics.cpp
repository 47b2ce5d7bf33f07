#include "sparsedyn/constraints/constrained_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "constrained_derivatives.hpp"
#include "inertia_factor.hpp"
#include "rows.hpp"
#include "sparsedyn/dynamics/inertia_matrix.hpp"
#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn {
namespace {

double largest(const std::vector<double>& x) noexcept {
  double most = 0;
  for (double value : x) most = std::max(most, std::abs(value));
  return most;
}

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

/// The whole of an iteration is (j, λ): M (a − a0) = Jᵀ λ holds from the first step on.
struct ConstrainedDynamics::State {
  State(const Model& robot, const ConstraintSet& set, const ConstraintOptions& choice)
      : model(robot),
        options(choice),
        ws(robot),
        rows(robot, resolved(robot, set, inverse_weights(robot))),
        factor(robot, freedoms_of(rows.blocks()), choice.order),
        M(static_cast<std::size_t>(robot.nv) * robot.nv),
        H(M.size()),
        push(robot.nv),
        a(robot.nv),
        next(robot.nv),
        j(rows.rows(), 0.0),
        j_next(j),
        f(j),
        lambda(j),
        lambda_next(j),
        trial(j),
        was_active(rows.blocks().size(), 0),
        slopes(rows.blocks().size() * LawNumbers::most_rows * LawNumbers::most_rows),
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

  /// τ − bias + Σ Jᵀ fx in `push`; M; rows.
  ConstraintStatus prepare(const double* q, const double* v, const double* tau, const Force<double>* fx) noexcept {
    rows.at(ws, q, v);
    crba(model, ws, q, M.data());
    rnea<double>(model, ws, q, v, nullptr, fx, push.data());
    for (int i = 0; i < model.nv; ++i) push[i] = applied(tau, i) - push[i];
    return judged(finite(tau, model.nv) && finite(push.data(), model.nv) && finite(M.data(), static_cast<int>(M.size())) &&
                  finite(rows.aim().data(), rows.rows()));
  }

  bool cut_off(const double* tau, int i) const noexcept {
    return !options.effort_limits.empty() && std::abs(tau[i]) > options.effort_limits[i];
  }
  double applied(const double* tau, int i) const noexcept {
    return cut_off(tau, i) ? std::copysign(options.effort_limits[i], tau[i]) : tau[i];
  }

  /// Whether the state's numbers, and what finders gave, may be used.
  ConstraintStatus judged(bool all_finite) const noexcept {
    ConstraintStatus status;
    status.constraint = rows.unusable();
    if (status.constraint >= 0) status.state = ConstraintState::no_contact_point;
    if (!all_finite) status.state = ConstraintState::not_finite_input, status.constraint = -1;
    return status;
  }

  /// f(j) of the active blocks.
  void forces(const double* at, double* force_of) noexcept {
    for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
      const RowBlock& b = rows.blocks()[k];
      if (rows.states()[k].active)
        force(rows.states()[k].law, at + b.first_row, force_of + b.first_row, nullptr);
      else
        std::fill_n(force_of + b.first_row, b.rows, 0.0);
    }
  }

  /// (M + Jᵀ h J) a⁺ = push + Jᵀ (f + h (j + a*)),  j⁺ = J a⁺ − a*,  λ⁺ = f − h (j⁺ − j). `sticks`: start where every cone that
  /// counts sticks at j = 0. Returns the freedom without inertia, or -1.
  int step(bool sticks) noexcept {
    H = M, next = push;
    std::copy(f.begin(), f.end(), lambda_next.begin());
    for (std::size_t k = 0; k < rows.blocks().size(); ++k)
      if (rows.states()[k].active) add_block(static_cast<int>(k), sticks);
    const int failed = factor.factor(H.data());
    if (failed >= 0) return failed;
    rows.add_transposed(lambda_next.data(), next.data());
    factor.solve(H.data(), next.data());
    rows.miss(next.data(), j_next.data());
    std::copy(f.begin(), f.end(), lambda_next.begin());
    for (std::size_t k = 0; k < rows.blocks().size(); ++k)
      if (rows.states()[k].active) add_slope(static_cast<int>(k));
    return -1;
  }

  /// h of block k, rows × rows.
  const double* slope(int k, bool sticks) noexcept {
    const RowBlock& b = rows.blocks()[k];
    const LawNumbers& law = rows.states()[k].law;
    double* of_block = slopes.data() + static_cast<std::ptrdiff_t>(k) * LawNumbers::most_rows * LawNumbers::most_rows;
    std::array<double, LawNumbers::most_rows> unused{};
    force(law, j.data() + b.first_row, unused.data(), of_block);
    if (!sticks) return of_block;
    std::fill_n(of_block, b.rows * b.rows, 0.0);
    for (int r = 0; r < b.rows; ++r) of_block[r * b.rows + r] = law.D[r];
    return of_block;
  }

  /// H += Jᵀ h J, and h (j + a*) into what is pushed.
  void add_block(int k, bool sticks) noexcept {
    const RowBlock& b = rows.blocks()[k];
    const double* h = slope(k, sticks);
    bool open = true;
    for (int r = 0; r < b.rows; ++r)
      for (int s = 0; s < b.rows; ++s) {
        const double hrs = h[r * b.rows + s];
        open = open && hrs == 0;
        lambda_next[b.first_row + r] += hrs * (j[b.first_row + s] + rows.aim()[b.first_row + s]);
      }
    if (!open) rows.add_product(b, h, H.data());
  }

  /// λ⁺ −= h (j⁺ − j), with the h that add_block left.
  void add_slope(int k) noexcept {
    const RowBlock& b = rows.blocks()[k];
    const double* h = slopes.data() + static_cast<std::ptrdiff_t>(k) * LawNumbers::most_rows * LawNumbers::most_rows;
    for (int r = 0; r < b.rows; ++r)
      for (int s = 0; s < b.rows; ++s) {
        const int c = b.first_row + s;
        lambda_next[b.first_row + r] -= h[r * b.rows + s] * (j_next[c] - j[c]);
      }
  }

  /// The root of φ'(α) = Σ (λ + α dλ − f(j + α dj)) · dj, which grows with α: regula falsi between its signs, halved where it
  /// stalls (Illinois). A φ' that is rounding says nothing of how far to go: the full step it is then.
  double best_length() noexcept {
    constexpr double rounding = 1e-15;
    double noise = 0;
    const auto slope_at = [&](double alpha) {
      for (std::size_t r = 0; r < j.size(); ++r) trial[r] = j[r] + alpha * (j_next[r] - j[r]);
      forces(trial.data(), f.data());
      double sum = 0, terms = 0;
      for (std::size_t r = 0; r < j.size(); ++r) {
        const double pulled = lambda[r] + alpha * (lambda_next[r] - lambda[r]), along = j_next[r] - j[r];
        sum += (pulled - f[r]) * along;
        terms += (std::abs(pulled) + std::abs(f[r])) * std::abs(along);
      }
      noise = rounding * terms;
      return sum;
    };
    double low = 0, at_low = slope_at(0);
    if (std::abs(at_low) <= noise) return 1;
    double high = 1, at_high = slope_at(1);
    const double small = 1e-10 * std::abs(at_low);
    for (int k = 0; k < 30 && at_high < -std::max(small, noise); ++k)
      low = high, at_low = at_high, high *= 2, at_high = slope_at(high);
    if (std::abs(at_high) <= std::max(small, noise)) return high;
    double before = at_low;
    for (int k = 0; k < 60 && high - low > 1e-15 * high; ++k) {
      const double middle = low + (high - low) * (at_low / (at_low - at_high));
      const double at = slope_at(middle);
      if (std::abs(at) <= small) return middle;
      if ((at < 0) == (at_low < 0)) {
        low = middle, at_low = at;
        if ((before < 0) == (at < 0)) at_high *= 0.5;
      } else {
        high = middle, at_high = at;
        if ((before < 0) == (at < 0)) at_low *= 0.5;
      }
      before = at;
    }
    return 0.5 * (low + high);
  }

  /// Largest |λ − f(j)|, and whose.
  double residual(int& block) noexcept {
    forces(j.data(), f.data());
    double worst = 0;
    block = -1;
    for (std::size_t k = 0; k < rows.blocks().size(); ++k)
      for (int r = rows.blocks()[k].first_row; r < rows.blocks()[k].first_row + rows.blocks()[k].rows; ++r)
        if (!(std::abs(lambda[r] - f[r]) <= worst)) worst = std::abs(lambda[r] - f[r]), block = static_cast<int>(k);
    return worst;
  }

  /// Hard rows' multipliers take over what the proximal force holds; returns the largest miss beside what the row aims at.
  double pull_hard_rows(int& block) noexcept {
    double worst = 0;
    for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
      const RowBlock& b = rows.blocks()[k];
      if (!b.hard) continue;
      for (int r = 0; r < b.rows; ++r) {
        const int row = b.first_row + r;
        const double miss = std::abs(j[row]) / std::max(1.0, std::abs(rows.aim()[row]));
        if (!(miss <= worst)) worst = miss, block = static_cast<int>(k);
        rows.states()[k].law.pull[r] = lambda[row];
      }
    }
    return worst;
  }

  /// Hard rows' λ carries the rounding of j = J a − a* times D = 10⁶/w. A step of refinement by the last step's factors,
  /// against what the equations themselves miss, with f(j) = λ − D j (`pull` is λ):
  ///   (M + Jᵀ h J) δa = push + Jᵀ f(j) − M a,    λ ← f(j) − h J δa
  /// D j and D J δa cancel but for a millionth of the one rounding that is in both.
  void refine() noexcept {
    rows.miss(a.data(), j.data());
    forces(j.data(), f.data());
    next = push;
    for (std::size_t k = 0; k < next.size(); ++k)  // M is symmetric: along rows, several entries at a time
      for (std::size_t i = 0; i < next.size(); ++i) next[i] -= M[k * next.size() + i] * a[k];
    rows.add_transposed(f.data(), next.data());
    factor.solve(H.data(), next.data());
    for (std::size_t i = 0; i < next.size(); ++i) a[i] += next[i];
    rows.times<1>(next.data(), j_next.data());
    for (std::size_t r = 0; r < j.size(); ++r) j_next[r] += j[r];
    std::copy(f.begin(), f.end(), lambda_next.begin());
    for (std::size_t k = 0; k < rows.blocks().size(); ++k)
      if (rows.states()[k].active) add_slope(static_cast<int>(k));
    std::copy(lambda_next.begin(), lambda_next.end(), lambda.begin());
    std::copy(j_next.begin(), j_next.end(), j.begin());
  }

  /// Refines until all hard rows are held, and once more, for the last digits of their forces, as long as what is soft stays
  /// settled, |λ − f(j)| ≤ left. False, and which block misses, where they are not held.
  bool settle_hard_rows(double left, ConstraintStatus& status) noexcept {
    constexpr double closed = 1e-11;  // beside what a row aims at
    double miss = pull_hard_rows(status.constraint);
    bool held = false;
    for (int k = 0; k < 4 && miss > 0 && !held; ++k) {
      held = miss <= closed;
      refine();
      const double off = residual(status.constraint), size = largest(lambda);
      if (off > left) {
        status.residual = size > 0 ? off / size : 0;
        return false;
      }
      miss = pull_hard_rows(status.constraint);
    }
    if (miss > closed) status.residual = miss;
    return miss <= closed;
  }

  void start() noexcept {
    for (std::size_t k = 0; k < rows.blocks().size(); ++k) {
      const RowBlock& b = rows.blocks()[k];
      const bool known = options.warm && warm && was_active[k];
      for (int r = b.first_row; r < b.first_row + b.rows; ++r) j[r] = known ? j[r] : 0;
    }
    forces(j.data(), f.data());
  }

  ConstraintStatus iterate() noexcept;

  const Model& model;
  ConstraintOptions options;
  Workspace<double> ws;
  ConstraintRows rows;
  InertiaFactor factor;
  std::vector<double> M, H;                                      // nv × nv
  std::vector<double> push, a, next;                             // nv
  std::vector<double> j, j_next, f, lambda, lambda_next, trial;  // rows
  std::vector<char> was_active;                                  // by block, at the state before
  std::vector<double> slopes;                                    // Hessians, by block
  ConstrainedDerivatives derivatives;
  bool warm = false;
  std::vector<std::string> names, force_names, gap_names;
};

ConstraintStatus ConstrainedDynamics::State::iterate() noexcept {
  ConstraintStatus status;
  status.state = ConstraintState::not_converged;
  const bool cold = !(options.warm && warm);
  start();
  double best = -1;
  int stalled = 0;
  for (status.iterations = 1; status.iterations <= options.iterations; ++status.iterations) {
    const bool first = status.iterations == 1;
    status.freedom = step(first && cold);
    if (status.freedom >= 0) {
      status.state = ConstraintState::singular;
      return status;
    }
    const double alpha = first ? 1 : best_length();
    for (std::size_t r = 0; r < j.size(); ++r) {
      if (first)
        j[r] = j_next[r], lambda[r] = lambda_next[r];
      else
        j[r] += alpha * (j_next[r] - j[r]), lambda[r] += alpha * (lambda_next[r] - lambda[r]);
    }
    for (int i = 0; i < model.nv; ++i) a[i] = first ? next[i] : a[i] + alpha * (next[i] - a[i]);
    const double left = residual(status.constraint), size = largest(lambda);
    status.residual = size > 0 ? left / size : 0;
    bool done = left <= options.tolerance * size;
    stalled = best >= 0 && status.residual >= 0.5 * best ? stalled + 1 : 0;
    if (best < 0 || status.residual < best) best = status.residual;
    if (!done && stalled >= 4 && status.residual <= 1e4 * options.tolerance) done = true;  // rounding: no step helps
    if (!done) continue;
    if (!settle_hard_rows(std::max(2 * left, options.tolerance * size), status)) {
      best = -1, stalled = 0;
      forces(j.data(), f.data());
      continue;
    }
    status.state = ConstraintState::ok, status.constraint = -1;
    break;
  }
  return status;
}

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
  status = s.iterate();
  s.warm = status.ok();
  if (!status.ok()) return status;
  if (!finite(s.a.data(), s.model.nv)) {
    status.state = ConstraintState::not_finite_input;
    return status;
  }
  std::copy(s.a.begin(), s.a.end(), a);
  s.rows.write(s.lambda.data(), lambda, gap);
  for (std::size_t k = 0; k < s.was_active.size(); ++k) s.was_active[k] = s.rows.states()[k].active;
  return status;
}

ConstraintStatus ConstrainedDynamics::inverse(const double* q, const double* v, const double* a, const Force<double>* fx,
                                              double* tau, double* lambda, double* gap) noexcept {
  State& s = *state_;
  s.rows.at(s.ws, q, v);
  rnea(s.model, s.ws, q, v, a, fx, s.push.data());
  s.rows.miss(a, s.j.data());
  s.forces(s.j.data(), s.f.data());
  std::copy(s.f.begin(), s.f.end(), s.lambda.begin());
  for (double& force : s.f) force = -force;
  s.rows.add_transposed(s.f.data(), s.push.data());
  const ConstraintStatus status = s.judged(finite(s.push.data(), s.model.nv));
  if (!status.ok()) return status;
  std::copy(s.push.begin(), s.push.end(), tau);
  s.rows.write(s.lambda.data(), lambda, gap);
  return status;
}

ConstraintStatus ConstrainedDynamics::derivatives(const double* q, const double* v, const double* tau, const Force<double>* fx,
                                                  const ConstraintDerivatives& out) noexcept {
  State& s = *state_;
  ConstraintStatus status = forward(q, v, tau, fx, out.a, out.lambda, out.gap);
  if (!status.ok()) return status;
  status.constraint = s.rows.untold();
  if (status.constraint >= 0) {
    status.state = ConstraintState::no_derivatives;
    return status;
  }
  status.freedom = s.step(false);
  if (status.freedom >= 0) {
    status.state = ConstraintState::singular;
    return status;
  }
  status.constraint =
      s.derivatives.solve(s.ws, s.factor, {q, v, s.a.data(), fx, s.lambda.data(), s.H.data(), s.slopes.data()}, out);
  if (status.constraint >= 0) status.state = ConstraintState::not_converged;
  for (int i = 0; i < s.model.nv; ++i) {
    if (!s.cut_off(tau, i)) continue;
    clear_column(out.da_dtau, static_cast<std::size_t>(s.model.nv), s.model.nv, i);
    clear_column(out.dlambda_dtau, s.force_names.size(), s.model.nv, i);
  }
  return status;
}

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
    case ConstraintState::not_finite_input: return "a number of the state or the torques is not finite";
    case ConstraintState::singular:
      return "the robot is singular at this state: nothing determines ddq." + velocity_names(state_->model)[status.freedom];
    case ConstraintState::no_contact_point:
      return "constraint \"" + state_->names[status.constraint] +
             "\": what its finder gave is no contact point; expected finite numbers and a normal of unit length";
    case ConstraintState::no_derivatives:
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
