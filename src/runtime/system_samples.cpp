#include "runtime/system_samples.hpp"

#include <memory>

#include "constraints/closed_states.hpp"
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

}  // namespace

Samples samples_of(const System& system, int random, unsigned seed) {
  std::mt19937 rng(seed);
  const Model& model = system.model();
  auto states = std::make_shared<SampledStates>(SampledStates{
      {}, std::vector<double>(model.nv), std::vector<double>(system.inputs().size()), SystemWorkspace<double>(system)});
  for (int s = 0; s < random; ++s) states->q.push_back(normal_sample(model, rng));
  for (auto& q : special_configurations(model, mixed_states, rng)) states->q.push_back(std::move(q));

  ClosedStates closed = closed_states(model, system.sensors().constraints, std::move(states->q), random);
  states->q = std::move(closed.q);

  Samples samples;
  samples.count = static_cast<int>(states->q.size());
  samples.random = closed.random;
  samples.left_out = closed.left_out();
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
