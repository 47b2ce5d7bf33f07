#include "sparsedyn/program/algorithm_programs.hpp"

#include <stdexcept>
#include <utility>

#include "sparsedyn/program/lean_aba.hpp"
#include "sparsedyn/program/lean_crba.hpp"
#include "sparsedyn/program/recorder.hpp"
#include "sparsedyn/recursive/aba.hpp"
#include "sparsedyn/recursive/rnea.hpp"
#include "sparsedyn/recursive/rnea_derivatives.hpp"

namespace sparsedyn {
namespace {

using Vector = std::vector<Expr>;

std::vector<Vector> zero_matrix(int n) { return {static_cast<std::size_t>(n), Vector(static_cast<std::size_t>(n))}; }

void output_matrix(Recorder& recorder, const std::string& kind, const std::vector<Vector>& rows) {
  std::vector<std::string> names;
  Vector entries;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      names.push_back(kind + "." + std::to_string(i) + "." + std::to_string(k));
      entries.push_back(rows[i][k]);
    }
  recorder.output(kind, names, entries);
}

/// The torques of all joints but the base, and zeros for it.
Vector torques(Recorder& recorder, const Model& model) {
  std::vector<std::string> names = prefixed("tau.", force_names(model));
  const std::size_t base = model.floating() ? 6 : 0;
  names.erase(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(base));
  Vector tau = recorder.input("tau", names);
  tau.insert(tau.begin(), base, Expr(0.0));
  return tau;
}

Vector rates(Recorder& recorder, const Model& model, const std::string& port) {
  return recorder.input(port, prefixed(port + ".", velocity_names(model)));
}

/// a = nullptr means zero.
Vector inverse_dynamics(const Model& model, const Vector& q, const Vector& v, const Expr* a, double unit = 1) {
  if (has_lean_tree(model)) return lean_rnea(lean_tree(model, {true, unit}), q.data(), v.data(), a);
  Vector tau(v.size());
  Workspace<Expr> work(model);
  rnea(model, work, q.data(), v.data(), a, static_cast<const Force<Expr>*>(nullptr), tau.data());
  return tau;
}

Program inverse_dynamics(const Model& model, double unit) {
  Recorder recorder;
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), a = rates(recorder, model, "ddq");
  recorder.output("tau", prefixed("tau.", force_names(model)), inverse_dynamics(model, q, v, a.data(), unit));
  return recorder.program();
}

enum class Elimination { template_aba, articulated, joint_space };

Program forward_dynamics(const Model& model, Elimination elimination, double unit) {
  Recorder recorder;
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), tau = torques(recorder, model);
  Vector a(v.size());
  switch (elimination) {
    case Elimination::articulated: a = lean_aba(lean_tree(model, {true, unit}), q.data(), v.data(), tau.data()); break;
    case Elimination::joint_space:
      a = lean_joint_space_dynamics(lean_tree(model, {true, unit}), q.data(), v.data(), tau.data());
      break;
    case Elimination::template_aba: {
      Workspace<Expr> work(model);
      aba(model, work, q.data(), v.data(), tau.data(), static_cast<const Force<Expr>*>(nullptr), a.data());
    }
  }
  recorder.output("ddq", prefixed("ddq.", velocity_names(model)), a);
  return recorder.program();
}

Program cheapest(std::vector<Program> programs) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < programs.size(); ++k)
    if (programs[k].counts().flops() < programs[best].counts().flops()) best = k;
  return std::move(programs[best]);
}

Program inverse_dynamics(const Model& model) {
  if (!has_lean_tree(model)) return inverse_dynamics(model, 1);
  std::vector<Program> programs;
  for (double unit : length_units(model)) programs.push_back(inverse_dynamics(model, unit));
  return cheapest(std::move(programs));
}

Program forward_dynamics(const Model& model) {
  if (!has_lean_tree(model)) return forward_dynamics(model, Elimination::template_aba, 1);
  std::vector<Program> programs;
  for (Elimination e : {Elimination::articulated, Elimination::joint_space})
    for (double unit : length_units(model)) programs.push_back(forward_dynamics(model, e, unit));
  return cheapest(std::move(programs));
}

/// M(q) by its lower triangle: composite bodies, or the derivatives' by-product where there is no lean tree.
JointSpaceMatrix<Expr> joint_space_matrix(const Model& model, const Vector& q) {
  if (has_lean_tree(model)) return lean_crba(lean_tree(model), q.data());
  const auto n = static_cast<std::size_t>(model.nv);
  const Vector zero(n);
  Vector tau(n), dq(n * n), dv(n * n), M(n * n);
  MomentWorkspace<Expr> work(model);
  rnea_derivatives(model, work, q.data(), zero.data(), zero.data(), static_cast<const Force<Expr>*>(nullptr),
                   {tau.data(), dq.data(), dv.data(), M.data()});
  JointSpaceMatrix<Expr> matrix{freedom_parents(model), {}};
  for (std::size_t i = 0; i < n; ++i)
    matrix.lower.emplace_back(M.begin() + static_cast<std::ptrdiff_t>(i * n),
                              M.begin() + static_cast<std::ptrdiff_t>(i * n + i + 1));
  return matrix;
}

Program joint_space_inertia(const Model& model) {
  Recorder recorder;
  const JointSpaceMatrix<Expr> M = joint_space_matrix(model, recorder.coordinates(model));
  std::vector<Vector> full = zero_matrix(model.nv);
  for (std::size_t i = 0; i < full.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) full[i][k] = full[k][i] = M.lower[i][k];
  output_matrix(recorder, "M", full);
  return recorder.program();
}

Program inverse_inertia(const Model& model) {
  Recorder recorder;
  const BranchFactors<Expr> factors = branch_factors(joint_space_matrix(model, recorder.coordinates(model)));
  output_matrix(recorder, "Minv", branch_inverse(factors));
  return recorder.program();
}

/// ∂τ/∂q, ∂τ/∂v and M of a recorded inverse dynamics, as matrices.
struct Derivatives {
  std::vector<Vector> dtau_dq, dtau_dv;
  JointSpaceMatrix<Expr> M;
};
Derivatives derivatives(const Model& model, const Vector& q, const Vector& v, const Vector& a) {
  const Model& lean = has_lean_tree(model) ? lean_model(model) : model;
  const auto n = static_cast<std::size_t>(model.nv);
  Vector tau(n), dq(n * n), dv(n * n), M(n * n);
  MomentWorkspace<Expr> work(lean);
  rnea_derivatives(lean, work, q.data(), v.data(), a.data(), static_cast<const Force<Expr>*>(nullptr),
                   {tau.data(), dq.data(), dv.data(), M.data()});
  Derivatives d{zero_matrix(model.nv), zero_matrix(model.nv), {freedom_parents(model), {}}};
  for (std::size_t i = 0; i < n; ++i) {
    d.M.lower.emplace_back();
    for (std::size_t k = 0; k < n; ++k) {
      d.dtau_dq[i][k] = dq[i * n + k], d.dtau_dv[i][k] = dv[i * n + k];
      if (k <= i) d.M.lower[i].push_back(M[i * n + k]);
    }
  }
  return d;
}

Program inverse_dynamics_derivatives(const Model& model) {
  Recorder recorder;
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), a = rates(recorder, model, "ddq");
  const Derivatives d = derivatives(model, q, v, a);
  output_matrix(recorder, "dtau_dq", d.dtau_dq);
  output_matrix(recorder, "dtau_dv", d.dtau_dv);
  return recorder.program();
}

/// ∂q̈/∂x = −M⁻¹ ∂τ/∂x at the acceleration that the torques give.
Program forward_dynamics_derivatives(const Model& model) {
  Recorder recorder;
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), tau = torques(recorder, model);
  const BranchFactors<Expr> factors = branch_factors(joint_space_matrix(model, q));
  Vector rest = inverse_dynamics(model, q, v, nullptr);
  for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = tau[k] - rest[k];
  const Vector a = branch_solve(factors, rest);
  const Derivatives d = derivatives(model, q, v, a);
  std::vector<Vector> by_q = zero_matrix(model.nv), by_v = by_q;
  for (std::size_t c = 0; c < a.size(); ++c) {
    Vector q_column, v_column;
    for (std::size_t r = 0; r < a.size(); ++r) q_column.push_back(-d.dtau_dq[r][c]), v_column.push_back(-d.dtau_dv[r][c]);
    q_column = branch_solve(factors, q_column), v_column = branch_solve(factors, v_column);
    for (std::size_t r = 0; r < a.size(); ++r) by_q[r][c] = q_column[r], by_v[r][c] = v_column[r];
  }
  output_matrix(recorder, "dddq_dq", by_q);
  output_matrix(recorder, "dddq_dv", by_v);
  output_matrix(recorder, "dddq_dtau", branch_inverse(factors));
  return recorder.program();
}

using Make = Program (*)(const Model&);
const std::vector<std::pair<std::string, Make>>& makers() {
  static const std::vector<std::pair<std::string, Make>> all{{"rnea", inverse_dynamics},
                                                             {"aba", forward_dynamics},
                                                             {"crba", joint_space_inertia},
                                                             {"minverse", inverse_inertia},
                                                             {"rnea-derivatives", inverse_dynamics_derivatives},
                                                             {"aba-derivatives", forward_dynamics_derivatives}};
  return all;
}

}  // namespace

std::vector<std::string> program_algorithms() {
  std::vector<std::string> names;
  for (const auto& maker : makers()) names.push_back(maker.first);
  return names;
}

Program algorithm_program(const Model& model, const std::string& algorithm, const std::vector<std::string>& outputs) {
  for (const auto& [name, make] : makers())
    if (name == algorithm) return outputs.empty() ? make(model) : make(model).only(outputs);
  throw std::invalid_argument("algorithm " + algorithm + " is not known");
}

}  // namespace sparsedyn
