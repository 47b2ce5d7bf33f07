#include "sparsedyn/determinacy/determinacy.hpp"

#include <algorithm>

#include "advice.hpp"
#include "model/samples.hpp"
#include "rank_revealing.hpp"
#include "reduced_rows.hpp"
#include "sparse/dulmage_mendelsohn.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/system/detail/rounding_probe.hpp"
#include "system/names.hpp"

namespace sparsedyn {
namespace {

/// The state at which the sensors see most, and what they see there.
struct BestState {
  std::vector<double> q, v;
  std::vector<double> values;  // of the matrix
  int rank = -1;               // of what is not stated by itself
  Eigen::MatrixXd open;        // directions of all unknowns that no row sees
};

BestState best_state(const System& system, int states, unsigned seed) {
  ReducedRows reduced(system, StatedUnknowns::left_out);
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  SystemWorkspace<double> work(system);
  std::vector<double> v(system.model().nv), y(system.inputs().size()), values(system.pattern().entries()),
      right_side(system.pattern().rows);
  BestState best;
  for (int s = 0; s < states && (s == 0 || best.open.cols() > 0); ++s) {
    const std::vector<double> q = normal_sample(system.model(), rng);
    for (double& x : v) x = normal(rng);
    for (double& x : y) x = normal(rng);
    system.assemble(q.data(), v.data(), y.data(), values.data(), right_side.data(), work);
    reduced.reduce(values.data());
    const NullSpace open = null_space(reduced.rows());
    if (open.rank <= best.rank) continue;
    best = {q, v, values, open.rank, reduced.expand(open.basis)};
  }
  return best;
}

bool is_exact(const System& system, int equation) { return !(system.sigma_of(equation) > 0); }

/// Exact rows that depend on each other: those with a part in the left null space of all exact rows.
std::vector<int> dependent_exact_rows(const System& system, const std::vector<double>& values) {
  ReducedRows reduced(system);
  reduced.reduce(values.data());
  const Eigen::MatrixXd& R = reduced.rows();
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

bool priors_close_the_gap(const System& system, const Eigen::MatrixXd& open_all) {
  std::vector<int> with_prior;
  for (std::size_t x = 0; x < system.unknowns().size(); ++x)
    if (system.sensors().prior.count(kind_name(system.unknowns()[x].kind))) with_prior.push_back(static_cast<int>(x));
  Eigen::MatrixXd seen(static_cast<Eigen::Index>(with_prior.size()), open_all.cols());
  for (std::size_t i = 0; i < with_prior.size(); ++i) seen.row(static_cast<Eigen::Index>(i)) = open_all.row(with_prior[i]);
  return rank_beside_directions(seen) == open_all.cols();
}

/// What no row sees at one state, entries that are rounding taken for zero: directions of the free unknowns.
Eigen::MatrixXd open_at(const System& system, const std::vector<double>& q, ReducedRows& reduced) {
  SystemWorkspace<double> work(system);
  // readings enter the matrix through centres of pressure alone: any but zero will do
  const std::vector<double> v(system.model().nv, 0.0), y(system.inputs().size(), 0.37);
  std::vector<double> values(system.pattern().entries()), right_side(system.pattern().rows);
  system.assemble(q.data(), v.data(), y.data(), values.data(), right_side.data(), work);
  clear_rounding(RoundingProbe(system).values(q.data(), y.data()), values);
  reduced.reduce(values.data());
  return null_space(reduced.rows()).basis;
}

}  // namespace

Determinacy determinacy(const System& system, int states, unsigned seed) {
  const BestState best = best_state(system, states, seed);
  Determinacy found;
  found.unknowns = static_cast<int>(system.unknowns().size());
  found.equations = static_cast<int>(system.equations().size());
  const StructuralParts parts = dulmage_mendelsohn(system.pattern());
  found.structural_rank = parts.rank;
  found.structurally_undetermined = parts.underdetermined;
  found.structurally_redundant = parts.overdetermined;
  found.rank = found.unknowns - static_cast<int>(best.open.cols());
  for (int x = 0; x < found.unknowns; ++x)
    if (best.open.cols() > 0 && best.open.row(x).cwiseAbs().maxCoeff() > 0) found.undetermined.push_back(x);
  if (found.redundant_rows() > 0) found.redundant_exact = dependent_exact_rows(system, best.values);
  if (!found.undetermined.empty()) {
    const Advice advice(system, best.q, best.v, best.open);
    found.assumptions = advice.assumptions();
    found.assumptions_remove = advice.assumptions_remove();
    found.advice = advice.single();
    found.pairs = advice.pairs();
  }
  found.determined_with_priors = found.rank == found.unknowns || priors_close_the_gap(system, best.open);
  return found;
}

RankOverStates rank_over_states(const System& system, int random, int mixed, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<std::vector<double>> states = special_configurations(system.model(), mixed, rng);
  const std::size_t special = states.size();
  for (int k = 0; k < random; ++k) states.push_back(normal_sample(system.model(), rng));
  RankOverStates found;
  for (const std::vector<double>& q : states) found.ranks.push_back(rank_at(system, q));
  found.best = *std::max_element(found.ranks.begin(), found.ranks.end());
  found.worst = *std::min_element(found.ranks.begin(), found.ranks.end());
  for (std::size_t k = 0; k < states.size(); ++k)
    if (found.ranks[k] < found.best) ++(k < special ? found.special_below : found.random_below);
  found.special = static_cast<int>(special);
  found.random = random;
  found.zero_below = found.ranks[0] < found.best;
  return found;
}

int rank_at(const System& system, const std::vector<double>& q) {
  ReducedRows reduced(system, StatedUnknowns::left_out);
  return static_cast<int>(system.unknowns().size()) - static_cast<int>(open_at(system, q, reduced).cols());
}

std::vector<std::vector<double>> open_directions_at(const System& system, const std::vector<double>& q) {
  ReducedRows reduced(system, StatedUnknowns::left_out);
  const Eigen::MatrixXd free = open_at(system, q, reduced), open = reduced.expand(free);
  std::vector<std::vector<double>> directions;
  for (Eigen::Index k = 0; k < open.cols(); ++k) directions.emplace_back(open.col(k).data(), open.col(k).data() + open.rows());
  return directions;
}

const char* verdict_name(Verdict verdict) {
  return verdict == Verdict::determined ? "determined" : verdict == Verdict::redundant ? "redundant" : "insufficient";
}

}  // namespace sparsedyn
