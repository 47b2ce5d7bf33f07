#include "set_hessian.hpp"

#include <string>
#include <utility>

#include "codegen/ir/port_names.hpp"
#include "codegen/programs/varying_robot.hpp"
#include "program_derivatives.hpp"
#include "replayed_program.hpp"
#include "runtime/write_outputs.hpp"
#include "system/assemble.hpp"
#include "tangent_move.hpp"

namespace sparsedyn {
namespace {

using Vector = std::vector<Expr>;

/// The vectors that ℓ is a function of, in the order of its inputs; the robot's parameters may follow.
enum Argument { at_q, at_delta, at_v, at_y, at_x, at_residuals, at_multipliers, at_second_multipliers, at_factor, at_lambda };
constexpr int arguments = 10;

/// ℓ as a program of its own.
class Lagrangian {
 public:
  Lagrangian(const System& system, const Outputs& outputs, const RecordedSolution& solution, const HessianParts& parts)
      : system_(system), outputs_(outputs), work_(system) {
    declare_parameters(recorder_, parts.parameters, system, arguments);
    const auto rows = static_cast<std::size_t>(system.pattern().rows), unknowns = solution.x.size();
    const Vector q = recorder_.coordinates(system.model());
    const Vector delta = input("delta", static_cast<std::size_t>(system.model().nv));
    q_ = tangent_move(system.model(), q, delta);
    v_ = input("v", solution.in.v.size());
    y_ = input("y", solution.in.y.size());
    for (std::size_t k = 0; k < y_.size(); ++k)
      if (!solution.read[k]) y_[k] = Expr(system.inputs()[k].fallback);
    x_ = input("x", unknowns);
    residuals_ = input("residuals", parts.residuals.size());
    multipliers_ = input("multipliers", rows);
    second_ = input("second", parts.residuals.empty() ? 0 : unknowns);
    factor_ = input("factor", parts.factor.size());
    lambda_ = input("lambda", outputs.columns().size());
    recorder_.output("l", {"l"}, {of_rows() + of_outputs()});
  }
  Program program() const { return recorder_.unfactored(); }

 private:
  Vector input(const std::string& name, std::size_t count) { return recorder_.input(name, numbered(name, count)); }
  static bool is_constant(const Expr& x) { return Recording::graph().is_constant(x.ref()); }

  /// μᵀ F b − Σ F A (μ x + second ν), of entries that are no constants: those add nothing to second derivatives, and what they
  /// add to first ones is linear in x alone.
  Expr of_rows() {
    const Pattern& pattern = system_.pattern();
    Vector values(static_cast<std::size_t>(pattern.entries())), right(static_cast<std::size_t>(pattern.rows));
    system_.assemble(q_.data(), v_.data(), y_.data(), values.data(), right.data(), work_);
    assemble_parameters(system_, values.data());
    Expr sum(0.0);
    for (int r = 0; r < pattern.rows; ++r) {
      Expr of_row = multipliers_[r] * right[r];
      for (int e = pattern.row_start[r]; e < pattern.row_start[r + 1]; ++e) {
        if (is_constant(values[e])) continue;
        const int c = pattern.column[e];
        of_row -= values[e] * (multipliers_[r] * x_[c]);
        if (!residuals_.empty()) of_row -= values[e] * (second_[c] * residuals_[r]);
      }
      sum += factor_.empty() ? of_row : factor_[r] * of_row;
    }
    return sum;
  }
  Expr of_outputs() {
    Vector x = x_, out(outputs_.columns().size());
    system_.unshift(x.data(), work_);
    outputs_.write(x.data(), y_.data(), work_, out.data());
    Expr sum(0.0);
    for (std::size_t c = 0; c < out.size(); ++c) sum += lambda_[c] * out[c];
    return sum;
  }

  const System& system_;
  const Outputs& outputs_;
  Recorder recorder_;
  SystemWorkspace<Expr> work_;
  Vector q_, v_, y_, x_, residuals_, multipliers_, second_, factor_, lambda_;
};

/// ∂ℓ/∂(δ, v, y, x, ν), as outputs in that order.
Program gradient_of(const Program& lagrangian) {
  std::vector<std::string> kept;
  for (const char* name : {"delta", "v", "y", "x", "residuals"}) kept.push_back(std::string("slope_") + name);
  return reverse_derivative(lagrangian).only(kept);
}

/// ∂(λᵀ o)/∂x.
Vector pulled_outputs(const Outputs& outputs, const RecordedSolution& solution, const Vector& lambda) {
  Vector sum(solution.x.size(), Expr(0.0));
  for (std::size_t c = 0; c < lambda.size(); ++c) {
    Vector zero(solution.x.size(), Expr(0.0)), gradient = zero;
    outputs.gradient(static_cast<int>(c), solution.in.y.data(), solution.work, zero.data(), gradient.data());
    for (std::size_t u = 0; u < sum.size(); ++u) sum[u] += lambda[c] * gradient[u];
  }
  return sum;
}

/// A direction: entry `element` of the vector `argument` moves.
struct Direction {
  Argument argument;
  std::size_t element;
};

std::vector<Direction> directions(const System& system, const ReadInputs& read, const DerivativesBy& by) {
  std::vector<Direction> all;
  const auto nv = static_cast<std::size_t>(system.model().nv);
  for (std::size_t k = 0; by.q && k < nv; ++k) all.push_back({at_delta, k});
  for (std::size_t k = 0; by.v && k < nv; ++k) all.push_back({at_v, k});
  for (std::size_t k = 0; by.y && k < read.size(); ++k)
    if (read[k]) all.push_back({at_y, k});
  return all;
}

/// Of outputs slope_delta, slope_v, slope_y.
const Expr& entry(const PortValues& slopes, const Direction& d) {
  return slopes[static_cast<std::size_t>(d.argument - at_delta)][d.element];
}

Expr dot_product(const Vector& a, const Vector& b) {
  Expr sum(0.0);
  for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) sum += a[k] * b[k];
  return sum;
}

void output_lower(Recorder& recorder, const std::vector<Vector>& columns) {
  std::vector<std::string> names;
  Vector entries;
  const Ref zero = Expr(0.0).ref();
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      if (columns[k][i].ref().node == zero.node) continue;
      names.push_back("H." + std::to_string(i) + "." + std::to_string(k)), entries.push_back(columns[k][i]);
    }
  recorder.output_in_any_order("H", names, entries);
}

}  // namespace

void record_hessian(Recorder& recorder, const System& system, const Outputs& outputs, const RecordedSolution& solution,
                    const HessianParts& parts, const DerivativesBy& by) {
  const Vector lambda = recorder.input("lambda", prefixed("lambda.", outputs.columns()));
  const Vector of_all_rows = parts.multipliers(pulled_outputs(outputs, solution, lambda));
  const auto rows = of_all_rows.begin() + system.pattern().rows;
  const Program lagrangian = Lagrangian(system, outputs, solution, parts).program(), gradient = gradient_of(lagrangian),
                change = forward_derivative(gradient, 2);

  PortValues at(arguments);
  at[at_q] = solution.in.q, at[at_delta] = Vector(solution.in.v.size(), Expr(0.0)), at[at_v] = solution.in.v;
  at[at_y] = solution.in.y, at[at_x] = solution.x, at[at_residuals] = parts.residuals;
  at[at_multipliers] = {of_all_rows.begin(), rows}, at[at_second_multipliers] = {rows, of_all_rows.end()};
  at[at_factor] = parts.factor, at[at_lambda] = lambda;
  if (!parts.parameters.empty()) at.push_back(recorder.parameters());
  at.push_back({Expr(1.0)});  // times_l

  const std::vector<Direction> moves = directions(system, solution.read, by);
  const std::vector<Vector> slopes = solution_slopes(system, outputs, solution, by);
  const PortValues first = ReplayedProgram(gradient, at).results();
  Vector g;
  for (const Direction& d : moves) g.push_back(entry(first, d));
  std::vector<Vector> second;  // for each direction: ℓ_θθ + ℓ_θx X, then ℓ_xθ and ℓ_νθ one behind the other
  std::vector<Vector> of_solution;
  for (std::size_t j = 0; j < moves.size(); ++j) {
    PortValues along;
    for (const Vector& x : at) along.emplace_back(x.size(), Expr(0.0));
    along[moves[j].argument][moves[j].element] = Expr(1.0);
    const auto n = static_cast<std::ptrdiff_t>(solution.x.size());
    along[at_x] = {slopes[j].begin(), slopes[j].begin() + n};
    if (!parts.residuals.empty()) along[at_residuals] = {slopes[j].begin() + n, slopes[j].end()};
    PortValues inputs = at;
    inputs.insert(inputs.end(), along.begin(), along.end());
    PortValues moved = ReplayedProgram(change, inputs).results();
    second.emplace_back();
    for (const Direction& d : moves) second.back().push_back(entry(moved, d));
    of_solution.push_back(std::move(moved[3]));
    of_solution.back().insert(of_solution.back().end(), moved[4].begin(), moved[4].end());
  }
  std::vector<Vector> columns = second;
  for (std::size_t k = 0; k < moves.size(); ++k)
    for (std::size_t i = k; i < moves.size(); ++i) columns[k][i] = second[k][i] + dot_product(slopes[i], of_solution[k]);
  recorder.output("g", numbered("g", g.size()), g);
  output_lower(recorder, columns);
}

}  // namespace sparsedyn
