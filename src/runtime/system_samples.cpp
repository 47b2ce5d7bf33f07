#include "runtime/system_samples.hpp"

#include <algorithm>
#include <memory>

#include "constraints/hard_row_ranks.hpp"
#include "model/samples.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/system/detail/workspace.hpp"

namespace sparsedyn {
namespace {

constexpr int mixed_states = 200;

/// States, and a scratch for assembling at them.
struct SampledStates {
  std::vector<std::vector<double>> q;
  std::vector<double> v, y;
  SystemWorkspace<double> work;
};

/// Leaves out states at which hard rows say less than elsewhere: there the equations are singular, whatever the order. Returns
/// how many of the first `random` are left.
int keep_regular(const System& system, int random, std::vector<std::vector<double>>& states) {
  if (system.closures().empty()) return random;
  HardRowRanks ranks(system.model(), system.sensors().constraints);
  std::vector<int> rank;
  for (const std::vector<double>& q : states) rank.push_back(ranks.rank(q.data()));
  const int best = *std::max_element(rank.begin(), rank.end());
  std::vector<std::vector<double>> kept;
  int kept_random = 0;
  for (std::size_t s = 0; s < states.size(); ++s) {
    if (rank[s] < best) continue;
    kept_random += static_cast<int>(s) < random;
    kept.push_back(std::move(states[s]));
  }
  states = std::move(kept);
  return kept_random;
}

}  // namespace

Samples samples_of(const System& system, int random, unsigned seed) {
  std::mt19937 rng(seed);
  const Model& model = system.model();
  auto states = std::make_shared<SampledStates>(SampledStates{
      {}, std::vector<double>(model.nv), std::vector<double>(system.inputs().size()), SystemWorkspace<double>(system)});
  for (int s = 0; s < random; ++s) states->q.push_back(normal_sample(model, rng));
  for (auto& q : special_configurations(model, mixed_states, rng)) states->q.push_back(std::move(q));

  random = keep_regular(system, random, states->q);

  Samples samples;
  samples.count = static_cast<int>(states->q.size());
  samples.random = random;
  samples.state = [states](int s) { return states->q[s]; };
  samples.fill = [&system, states, seed](int s, double* values, double* right_side) {
    std::minstd_rand noise(seed * 7919u + static_cast<unsigned>(s) + 1u);
    std::normal_distribution<double> normal;
    for (double& v : states->v) v = normal(noise);
    for (double& y : states->y) y = normal(noise);
    system.assemble(states->q[s].data(), states->v.data(), states->y.data(), values, right_side, states->work);
  };
  return samples;
}

}  // namespace sparsedyn
