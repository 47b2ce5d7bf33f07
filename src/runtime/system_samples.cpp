#include "runtime/system_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "constraints/closed_states.hpp"
#include "model/samples.hpp"
#include "scalar/draw.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/system/workspace.hpp"

namespace sparsedyn {
namespace {

constexpr int mixed_states = 200;

using States = std::vector<std::vector<double>>;  // q of each

/// States, and a scratch for assembling at them.
class SampledStates {
 public:
  SampledStates(const System& system, unsigned seed, std::shared_ptr<const States> states)
      : system_(system),
        seed_(seed),
        states_(std::move(states)),
        q_(system.model().nq),
        v_(system.model().nv),
        y_(system.inputs().size()),
        work_(system) {}

  /// At state s, or next to it: every coordinate and velocity moved by a share of its own of 450 to 900 roundings.
  void fill(int s, bool moved, double* values, double* right_side) {
    std::minstd_rand noise(seed_ * 7919u + static_cast<unsigned>(s) + 1u);
    NormalDraw<std::minstd_rand> normal(noise);
    for (double& v : v_) v = normal();
    for (double& y : y_) y = normal();
    q_ = (*states_)[static_cast<std::size_t>(s)];
    if (moved) {
      std::minstd_rand shares(1);
      for (double& x : q_) x += share(shares) * std::max(1.0, std::abs(x));
      for (double& x : v_) x += share(shares) * x;
    }
    system_.assemble(q_.data(), v_.data(), y_.data(), values, right_side, work_);
  }

 private:
  static double share(std::minstd_rand& rng) {
    constexpr double least = 450 * std::numeric_limits<double>::epsilon();
    const double u = 2 * static_cast<double>(rng()) / static_cast<double>(std::minstd_rand::max()) - 1;  // in (−1, 1]
    return least * (u < 0 ? u - 1 : u + 1);
  }

  const System& system_;
  unsigned seed_;
  std::shared_ptr<const States> states_;
  std::vector<double> q_, v_, y_;
  SystemWorkspace<double> work_;
};

}  // namespace

Samples samples_of(const System& system, int random, unsigned seed) {
  return samples_for_threads(system, 1, random, seed).front();
}

std::vector<Samples> samples_for_threads(const System& system, int threads, int random, unsigned seed) {
  std::mt19937 rng(seed);
  const Model& model = system.model();
  States q;
  for (int s = 0; s < random; ++s) q.push_back(normal_sample(model, rng));
  for (auto& special : special_configurations(model, mixed_states, rng)) q.push_back(std::move(special));
  ClosedStates closed = closed_states(model, system.sensors().constraints, std::move(q), random);
  const auto states = std::make_shared<const States>(std::move(closed.q));

  Samples samples;
  samples.count = static_cast<int>(states->size());
  samples.random = closed.random;
  samples.left_out = closed.left_out();
  samples.state = [states](int s) { return (*states)[static_cast<std::size_t>(s)]; };
  std::vector<Samples> all(static_cast<std::size_t>(threads), samples);
  for (Samples& each : all) {
    const auto at = std::make_shared<SampledStates>(system, seed, states);
    each.fill = [at](int s, double* values, double* right_side) { at->fill(s, false, values, right_side); };
    each.moved = [at](int s, double* values, double* right_side) { at->fill(s, true, values, right_side); };
  }
  return all;
}

}  // namespace sparsedyn
