#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "catalogue_programs.hpp"
#include "codegen/minimal/minimal_coriolis.hpp"
#include "codegen/minimal/minimal_formulation.hpp"
#include "codegen/minimal/minimal_second_derivatives.hpp"
#include "codegen/minimal/recorded_tree.hpp"
#include "codegen/vector/vectorise.hpp"
#include "coupled_vectors.hpp"
#include "kinematic_programs.hpp"
#include "recorded_dynamics.hpp"
#include "sparsedyn/codegen/programs.hpp"
#include "sparsedyn/codegen/recorder.hpp"
#include "sparsedyn/dynamics/derivatives.hpp"
#include "sparsedyn/dynamics/detail/joint_torques.hpp"
#include "sparsedyn/dynamics/regressor.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/dynamics/second_derivatives.hpp"
#include "varying_robot.hpp"
#include "wrench_inputs.hpp"

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

Vector torques(Recorder& recorder, const Model& model) { return recorder.input("tau", prefixed("tau.", force_names(model))); }

Vector rates(Recorder& recorder, const Model& model, const std::string& port) {
  return recorder.input(port, prefixed(port + ".", velocity_names(model)));
}

void record_inverse_dynamics(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool wrenches) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), a = rates(recorder, model, "ddq");
  const WrenchInputs fx(recorder, model, f, wrenches);
  recorder.output("tau", prefixed("tau.", force_names(model)), inverse_dynamics(model, f, q, v, a.data(), fx));
}

void record_forward_dynamics(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool wrenches) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), tau = torques(recorder, model);
  const WrenchInputs fx(recorder, model, f, wrenches);
  recorder.output("ddq", prefixed("ddq.", velocity_names(model)), forward_dynamics(model, f, q, v, tau, fx));
}

void output_joint_space_matrix(Recorder& recorder, const JointSpaceMatrix<Expr>& M) {
  std::vector<Vector> full = zero_matrix(static_cast<int>(M.lower.size()));
  for (std::size_t i = 0; i < full.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) full[i][k] = full[k][i] = M.lower[i][k];
  output_matrix(recorder, "M", full);
}

void record_joint_space_inertia(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool) {
  output_joint_space_matrix(recorder, joint_space_matrix(model, f, recorder.coordinates(model)));
}

void record_inverse_inertia(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool) {
  const BranchFactors<Expr> factors = branch_factors(joint_space_matrix(model, f, recorder.coordinates(model)));
  output_matrix(recorder, "Minv", branch_inverse(factors));
}

void coriolis_matrices(const Model& model, const MinimalFormulation& f, const Vector& q, const Vector& v,
                       const CoriolisMatrices<Expr>& out) {
  if (const CoordinateMap* map = model.coordinate_map.get()) {
    Vector C(map->v.size() * map->v.size()), M(C);
    coriolis_matrices(map->tree, f, positions(*map, q), tree_of(*map, v), {C.data(), M.data()});
    gather(*map, C, out.C), gather(*map, M, out.M);
  } else if (is_minimal(model, f)) {
    MinimalOptions options = f.tree;
    options.balanced = false;
    minimal_coriolis(recorded_tree(model, options), q.data(), v.data(), out);
    add_armature<Expr>(model, [&](int k) -> Expr& { return out.M[k * model.nv + k]; });
  } else {
    CoriolisWorkspace<Expr> work(model);
    coriolis(model, work, q.data(), v.data(), out);
  }
}

/// C and M.
void record_coriolis(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq");
  const auto n = static_cast<std::size_t>(model.nv);
  Vector C(n * n), M(n * n);
  coriolis_matrices(model, f, q, v, {C.data(), M.data()});
  std::vector<Vector> rows = zero_matrix(model.nv), inertia = rows;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) rows[i][k] = C[i * n + k], inertia[i][k] = M[i * n + k];
  output_matrix(recorder, "C", rows);
  output_matrix(recorder, "M", inertia);
}

/// ∂τ/∂π, column by column: τ is linear in π, and its derivative is the regressor.
std::vector<Vector> torques_by_parameters(const Recorder& recorder, const Model& model, const Vector& q, const Vector& v,
                                          const Vector& a) {
  RegressorWorkspace<Expr> work(model);
  const auto n = static_cast<std::size_t>(model.nv), count = static_cast<std::size_t>(work.index.count);
  Vector Y(n * count);
  regressor(model, work, q.data(), v.data(), a.data(), Y.data());
  std::vector<Vector> columns;
  for (int k : recorder.parameter_columns()) {
    columns.emplace_back();
    for (std::size_t i = 0; i < n; ++i) columns.back().push_back(Y[i * count + static_cast<std::size_t>(k)]);
  }
  return columns;
}

/// A matrix of nv rows by its columns.
void output_columns(Recorder& recorder, const std::string& kind, const Model& model, const std::vector<Vector>& columns) {
  std::vector<Vector> rows(static_cast<std::size_t>(model.nv));
  for (const Vector& column : columns)
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(column[i]);
  output_matrix(recorder, kind, rows);
}

void record_inverse_dynamics_derivatives(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool wrenches) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), a = rates(recorder, model, "ddq");
  const WrenchInputs fx(recorder, model, f, wrenches);
  const RecordedDerivatives d = inverse_dynamics_derivatives(model, f, q, v, a, fx);
  output_matrix(recorder, "dtau_dq", d.dtau_dq);
  output_matrix(recorder, "dtau_dv", d.dtau_dv);
  output_joint_space_matrix(recorder, d.M);
  if (!recorder.parameter_columns().empty())
    output_columns(recorder, "dtau_dpi", model, torques_by_parameters(recorder, model, q, v, a));
}

/// ∂q̈/∂x = −M⁻¹ ∂τ/∂x at the acceleration that the torques give.
void record_forward_dynamics_derivatives(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool wrenches) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), tau = torques(recorder, model);
  const WrenchInputs fx(recorder, model, f, wrenches);
  const BranchFactors<Expr> factors = branch_factors(joint_space_matrix(model, f, q));
  Vector rest = inverse_dynamics(model, f, q, v, nullptr, fx);
  for (std::size_t k = 0; k < rest.size(); ++k) rest[k] = tau[k] - rest[k];
  const Vector a = branch_solve(factors, rest);
  const RecordedDerivatives d = inverse_dynamics_derivatives(model, f, q, v, a, fx);
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
  if (recorder.parameter_columns().empty()) return;
  std::vector<Vector> by_pi = torques_by_parameters(recorder, model, q, v, a);
  for (Vector& column : by_pi) {
    for (Expr& x : column) x = -x;
    column = branch_solve(factors, column);
  }
  output_columns(recorder, "dddq_dpi", model, by_pi);
}

/// Entries [a,b,c] that are not zero at every state.
void output_tensor(Recorder& recorder, const std::string& kind, const Model& model, const TensorIndex& index,
                   const Vector& dense) {
  std::vector<std::string> names;
  Vector entries;
  const Ref zero = Expr(0.0).ref();
  for_each_triple(model, index, [&](int a, int b, int c) {
    const Expr& entry = dense[static_cast<std::size_t>((a * model.nv + b) * model.nv + c)];
    if (entry.ref().node == zero.node) return;
    names.push_back(kind + "." + std::to_string(a) + "." + std::to_string(b) + "." + std::to_string(c));
    entries.push_back(entry);
  });
  recorder.output_in_any_order(kind, names, entries);
}

void second_derivatives(const Model& model, const MinimalFormulation& f, const Vector& q, const Vector& v, const Vector& a,
                        const WrenchInputs& fx, const DenseSecondDerivatives<Expr>& out) {
  const int n = model.nv;
  if (const CoordinateMap* map = model.coordinate_map.get()) {
    const std::size_t m = map->v.size();
    Vector qq(m * m * m), qv(qq), vv(qq), Mq(qq);
    second_derivatives(map->tree, f, positions(*map, q), tree_of(*map, v), tree_of(*map, a), fx,
                       {qq.data(), qv.data(), vv.data(), Mq.data()});
    gather_tensor(*map, qq, out.qq), gather_tensor(*map, qv, out.qv);
    gather_tensor(*map, vv, out.vv), gather_tensor(*map, Mq, out.Mq);
  } else if (is_minimal(model, f)) {
    MinimalOptions options = f.tree;
    options.unit = 1, options.balanced = false;
    minimal_second_derivatives(recorded_tree(model, options), q.data(), v.data(), a.data(), fx.on_bodies(), out);
    add_load_curvatures(model, v.data(), [&](int k, const Expr& x) { out.vv[(k * n + k) * n + k] += x; });
  } else {
    SecondWorkspace<Expr> work(model);
    SecondDerivatives<Expr> second(model);
    rnea_second_derivatives(model, work, q.data(), v.data(), a.data(), fx.on_bodies(), second);
    second.dense(out);
  }
}

void output_second_derivatives(Recorder& recorder, const Model& model, const MinimalFormulation& f, const Vector& q,
                               const Vector& v, const Vector& a, const WrenchInputs& fx) {
  const auto n = static_cast<std::size_t>(model.nv);
  Vector qq(n * n * n), qv(qq), vv(qq), Mq(qq);
  second_derivatives(model, f, q, v, a, fx, {qq.data(), qv.data(), vv.data(), Mq.data()});
  const TensorIndex index(model.tree());
  output_tensor(recorder, "d2tau_dqdq", model, index, qq);
  output_tensor(recorder, "d2tau_dqdv", model, index, qv);
  output_tensor(recorder, "d2tau_dvdv", model, index, vv);
  output_tensor(recorder, "dM_dq", model, index, Mq);
}

void record_second_derivatives(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool wrenches) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), a = rates(recorder, model, "ddq");
  const WrenchInputs fx(recorder, model, f, wrenches);
  output_second_derivatives(recorder, model, f, q, v, a, fx);
}

/// Torques and all their derivatives up to the second.
void record_inverse_dynamics_with_derivatives(Recorder& recorder, const Model& model, const MinimalFormulation& f,
                                              bool wrenches) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq"), a = rates(recorder, model, "ddq");
  const WrenchInputs fx(recorder, model, f, wrenches);
  const RecordedDerivatives d = inverse_dynamics_derivatives(model, f, q, v, a, fx);
  recorder.output("tau", prefixed("tau.", force_names(model)), d.tau);
  output_joint_space_matrix(recorder, d.M);
  output_matrix(recorder, "dtau_dq", d.dtau_dq);
  output_matrix(recorder, "dtau_dv", d.dtau_dv);
  output_second_derivatives(recorder, model, f, q, v, a, fx);
}

/// What joints take at rest or in motion, without accelerations.
void record_bias(Recorder& recorder, const Model& model, const MinimalFormulation& f, bool wrenches) {
  const Vector q = recorder.coordinates(model), v = rates(recorder, model, "dq");
  const WrenchInputs fx(recorder, model, f, wrenches);
  recorder.output("tau", prefixed("tau.", force_names(model)), inverse_dynamics(model, f, q, v, nullptr, fx));
}

/// How an algorithm is recorded, and what may be chosen of it: `unit`, the unit of length; `elimination`, where joints are
/// eliminated.
struct RecordedAlgorithm {
  std::string name;
  void (*record)(Recorder&, const Model&, const MinimalFormulation&, bool wrenches);
  bool unit = true, elimination = false;
  AlgorithmReads reads = {};
  bool formulations = true;  // whether there are several to choose from: else it is the templates on the Model
  bool tensors = false;      // of M: whether composite inertias may be tensors
};

/// How many input vectors an algorithm declares besides its parameters.
int count(const AlgorithmReads& reads, bool wrenches) {
  return 1 + reads.dq + reads.ddq + reads.tau + reads.lambda + reads.pi + (reads.fx && wrenches);
}

/// Those that are recorded in a way of their own.
std::vector<RecordedAlgorithm> specialised() {
  return {{"rnea", record_inverse_dynamics},
          {"aba", record_forward_dynamics, true, true},
          {"crba", record_joint_space_inertia, true, false, {}, true, true},
          {"minverse", record_inverse_inertia, true, false, {}, true, true},
          {"coriolis", record_coriolis},
          {"bias", record_bias},
          {"energy", record_from_catalogue<catalogue::Energy>, false},
          {"kinematics", record_kinematics, false},
          {"jacobians", record_jacobians, false},
          {"jacobian-rates", record_jacobian_rates, false},
          {"momentum", record_momentum, false},
          {"momentum-rate", record_momentum_rate, false},
          {"centroidal-momentum-matrix", record_centroidal_momentum_matrix, false},
          {"centre-of-mass-jacobian", record_centre_of_mass_jacobian, false},
          {"rnea-derivatives", record_inverse_dynamics_derivatives},
          {"aba-derivatives", record_forward_dynamics_derivatives},
          {"rnea-second-derivatives", record_second_derivatives, false},
          {"rnea-with-derivatives", record_inverse_dynamics_with_derivatives, false}};
}

template <class Type>
RecordedAlgorithm recorded_type(const std::vector<RecordedAlgorithm>& own) {
  for (const RecordedAlgorithm& a : own)
    if (a.name == Type::name) {
      RecordedAlgorithm found = a;
      found.reads = Type::reads;
      return found;
    }
  if constexpr (Type::recordable) return {Type::name, record_from_catalogue<Type>, false, false, Type::reads, false};
  throw std::logic_error(std::string(Type::name) + " has neither a recording nor a template for expressions");
}

/// All of the catalogue, in its order.
const std::vector<RecordedAlgorithm>& recorded_algorithms() {
  static const std::vector<RecordedAlgorithm> all = [] {
    const std::vector<RecordedAlgorithm> own = specialised();
    std::vector<RecordedAlgorithm> made;
    AlgorithmCatalogue::for_each([&](auto type) { made.push_back(recorded_type<decltype(type)>(own)); });
    return made;
  }();
  return all;
}

const RecordedAlgorithm& named(const std::string& name) {
  for (const RecordedAlgorithm& a : recorded_algorithms())
    if (a.name == name) return a;
  throw std::invalid_argument("algorithm " + name + " is not known");
}

/// `varying`, which must outlive it: the robot whose parameters are inputs, or nullptr.
RecordMinimal record_of(const RecordedAlgorithm& a, bool wrenches, const VaryingRobot* varying) {
  return [&a, wrenches, varying](Recorder& recorder, const Model& model, const MinimalFormulation& f) {
    if (varying) varying->declare(recorder, model, count(a.reads, wrenches));
    a.record(recorder, model, f, wrenches);
  };
}

/// With parameters as inputs if there are some.
std::unique_ptr<const VaryingRobot> varying_robot(const Model& model, const RecordedAlgorithm& a,
                                                  const ParameterInputs& inputs) {
  if (inputs.empty()) return nullptr;
  if (a.reads.pi) throw std::invalid_argument(a.name + " reads all parameters as it is");
  return std::make_unique<VaryingRobot>(model, inputs);
}

/// Throws std::domain_error for a robot that the algorithm has no meaning for.
void require_fit(const Model& model, const std::string& name) {
  const AlgorithmMisfit misfit = misfit_of(model, name);
  if (!misfit.found.empty()) throw std::domain_error(misfit.element + ": " + misfit.found + "; expected " + misfit.expected);
}

/// Wrenches are in metres and in axes that move with their bodies.
MinimalFormulation cheapest(const RecordedAlgorithm& a, const Model& model, bool wrenches, const VaryingRobot* varying) {
  if (!a.formulations) return {false, {}, std::vector<bool>(model.tree().bodies.size(), true)};
  const bool minimal = has_minimal_tree(model.tree()), eliminates = eliminates_joints(model);
  const Choices choices{minimal && a.unit && !wrenches, minimal && a.elimination && eliminates, !wrenches, varying != nullptr,
                        minimal && a.tensors};
  return cheapest_formulation(model, choices, record_of(a, wrenches, varying));
}

}  // namespace

MinimalFormulation formulation_for(const Model& model, const std::string& algorithm, const VaryingRobot* varying) {
  return cheapest(named(algorithm), model, false, varying);
}

std::vector<std::string> program_algorithms() {
  std::vector<std::string> names;
  for (const RecordedAlgorithm& a : recorded_algorithms()) names.push_back(a.name);
  return names;
}

Program algorithm_program(const Model& robot, const std::string& algorithm, const std::vector<std::string>& outputs,
                          bool wrenches, const ParameterInputs& parameters) {
  const RecordedAlgorithm& a = named(algorithm);
  require_fit(robot, algorithm);
  const std::unique_ptr<const VaryingRobot> varying = varying_robot(robot, a, parameters);
  const Model& model = varying ? varying->model() : robot;
  const Program program = program_in(model, cheapest(a, model, wrenches, varying.get()), record_of(a, wrenches, varying.get()));
  return outputs.empty() ? program : program.only(outputs);
}

VectorisedProgram vectorised_program(const Model& robot, const std::string& algorithm, bool wrenches,
                                     const ParameterInputs& parameters) {
  const RecordedAlgorithm& a = named(algorithm);
  require_fit(robot, algorithm);
  const std::unique_ptr<const VaryingRobot> varying = varying_robot(robot, a, parameters);
  const Model& model = varying ? varying->model() : robot;
  const RecordMinimal record = record_of(a, wrenches, varying.get());
  const MinimalFormulation f = cheapest(a, model, wrenches, varying.get());
  const Program program = program_in(model, f, record);
  // Links on which wrenches are, and columns of parameters, have their places: branches cannot change theirs.
  return wrenches || (varying && a.reads.fx && program.outputs().back().name.find("_dpi") != std::string::npos)
             ? VectorisedProgram{program, nullptr}
             : vectorised(model, f, record, program);
}

}  // namespace sparsedyn
