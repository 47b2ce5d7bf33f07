#include "sparsedyn/ordering/determinacy.hpp"

#include <algorithm>
#include <map>

#include "rank_revealing.hpp"
#include "reduced_rows.hpp"
#include "sparsedyn/ordering/states.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {
namespace {

/// The state at which the sensors see most, and what they see there.
struct BestState {
  NullSpace open;            // directions of the free unknowns that no row sees
  Eigen::MatrixXd reduced;   // sensor rows × free unknowns
  Eigen::MatrixXd open_all;  // the open directions, all unknowns
};

BestState best_state(const System& system, ReducedRows& reduced, int states, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  SystemWorkspace<double> work(system);
  std::vector<double> v(system.model().nv), y(system.inputs().size()), values(system.pattern().entries()),
      right_side(system.pattern().rows);
  BestState best;
  best.open.rank = -1;
  for (int s = 0; s < states; ++s) {
    const std::vector<double> q = random_state(system.model(), rng);
    for (double& x : v) x = normal(rng);
    for (double& x : y) x = normal(rng);
    system.assemble(q.data(), v.data(), y.data(), values.data(), right_side.data(), work);
    reduced.reduce(values.data());
    NullSpace open = null_space(reduced.rows());
    if (open.rank <= best.open.rank) continue;
    best.open_all = reduced.expand(open.basis);
    best.open = std::move(open);
    best.reduced = reduced.rows();
  }
  return best;
}

bool is_exact(const System& system, int equation) {
  const Equation& row = system.equations()[equation];
  const Measurement& m = system.measurements()[row.measurement];
  for (std::size_t k = 0; k < m.components.size(); ++k)
    if (m.components[k] == row.component) return !(m.sigma[k] > 0);
  return true;
}

/// Exact rows that depend on each other: those with a part in the left null space of all exact rows.
std::vector<int> dependent_exact_rows(const System& system, const ReducedRows& reduced, const Eigen::MatrixXd& R) {
  std::vector<int> exact;
  for (std::size_t i = 0; i < reduced.sensor_rows().size(); ++i)
    if (is_exact(system, reduced.sensor_rows()[i])) exact.push_back(static_cast<int>(i));
  Eigen::MatrixXd transposed(R.cols(), static_cast<Eigen::Index>(exact.size()));
  for (std::size_t i = 0; i < exact.size(); ++i) transposed.col(static_cast<Eigen::Index>(i)) = R.row(exact[i]).transpose();
  const NullSpace dependencies = null_space(transposed);
  std::vector<int> rows;
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (dependencies.basis.cols() > 0 && dependencies.basis.row(static_cast<Eigen::Index>(i)).cwiseAbs().maxCoeff() > 0)
      rows.push_back(reduced.sensor_rows()[exact[i]]);
  return rows;
}

/// How many of the open directions a sensor of these unknowns sees.
int directions_seen(const Eigen::MatrixXd& open_all, const std::vector<int>& unknowns) {
  Eigen::MatrixXd seen(static_cast<Eigen::Index>(unknowns.size()), open_all.cols());
  for (std::size_t i = 0; i < unknowns.size(); ++i) seen.row(static_cast<Eigen::Index>(i)) = open_all.row(unknowns[i]);
  return null_space(seen).rank;
}

/// The sensors that read one kind of unknown on one joint or link.
std::vector<SensorAdvice> useful_sensors(const System& system, const Eigen::MatrixXd& open_all) {
  static const std::map<VariableKind, const char*> types{{VariableKind::acc, "link_acceleration"},
                                                         {VariableKind::f, "force_torque"},
                                                         {VariableKind::tau, "joint_torque"},
                                                         {VariableKind::fx, "external_wrench"},
                                                         {VariableKind::ddq, "joint_acceleration"}};
  std::map<std::pair<VariableKind, int>, std::vector<int>> groups;
  for (std::size_t x = 0; x < system.unknowns().size(); ++x)
    groups[{system.unknowns()[x].kind, system.unknowns()[x].owner}].push_back(static_cast<int>(x));
  std::vector<SensorAdvice> advice;
  for (const auto& [group, unknowns] : groups) {
    const auto [kind, owner] = group;
    const int seen = directions_seen(open_all, unknowns);
    if (seen == 0) continue;
    const bool on_link = kind == VariableKind::acc || kind == VariableKind::fx;
    const Model& model = system.model();
    advice.push_back({types.at(kind), !on_link, on_link ? model.links[owner].name : model.joints[owner].name, seen});
  }
  std::stable_sort(advice.begin(), advice.end(), [](const auto& a, const auto& b) { return a.removes > b.removes; });
  return advice;
}

const char* kind_name(VariableKind kind) {
  switch (kind) {
    case VariableKind::acc: return "acc";
    case VariableKind::f: return "f";
    case VariableKind::tau: return "tau";
    case VariableKind::fx: return "fx";
    case VariableKind::ddq: break;
  }
  return "ddq";
}

bool priors_close_the_gap(const System& system, const Eigen::MatrixXd& open_all) {
  std::vector<int> with_prior;
  for (std::size_t x = 0; x < system.unknowns().size(); ++x)
    if (system.sensors().prior.count(kind_name(system.unknowns()[x].kind))) with_prior.push_back(static_cast<int>(x));
  return directions_seen(open_all, with_prior) == open_all.cols();
}

}  // namespace

Determinacy determinacy(const System& system, int states, unsigned seed) {
  ReducedRows reduced(system);
  const BestState best = best_state(system, reduced, states, seed);
  Determinacy found;
  found.unknowns = static_cast<int>(system.unknowns().size());
  found.equations = static_cast<int>(system.equations().size());
  found.structural_rank = structural_rank(system.pattern());
  found.rank = found.unknowns - static_cast<int>(best.open.basis.cols());
  for (int x = 0; x < found.unknowns; ++x)
    if (best.open_all.cols() > 0 && best.open_all.row(x).cwiseAbs().maxCoeff() > 0) found.undetermined.push_back(x);
  if (found.redundant_rows() > 0) found.redundant_exact = dependent_exact_rows(system, reduced, best.reduced);
  if (!found.undetermined.empty()) found.advice = useful_sensors(system, best.open_all);
  found.determined_with_priors = found.rank == found.unknowns || priors_close_the_gap(system, best.open_all);
  return found;
}

const char* verdict_name(Verdict verdict) {
  return verdict == Verdict::determined ? "determined" : verdict == Verdict::redundant ? "redundant" : "insufficient";
}

}  // namespace sparsedyn
