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

/// States, and a scratch for assembling at them.
class SampledStates {
 public:
  SampledStates(const System& system, unsigned seed)
      : system_(system), seed_(seed), q_(system.model().nq), v_(system.model().nv), y_(system.inputs().size()), work_(system) {}

  /// At state s, or next to it: every coordinate and velocity moved by a share of its own of 450 to 900 roundings.
  void fill(int s, bool moved, double* values, double* right_side) {
    std::minstd_rand noise(seed_ * 7919u + static_cast<unsigned>(s) + 1u);
    NormalDraw<std::minstd_rand> normal(noise);
    for (double& v : v_) v = normal();
    for (double& y : y_) y = normal();
    q_ = q[static_cast<std::size_t>(s)];
    if (moved) {
      std::minstd_rand shares(1);
      for (double& x : q_) x += share(shares) * std::max(1.0, std::abs(x));
      for (double& x : v_) x += share(shares) * x;
    }
    system_.assemble(q_.data(), v_.data(), y_.data(), values, right_side, work_);
  }

  std::vector<std::vector<double>> q;

 private:
  static double share(std::minstd_rand& rng) {
    constexpr double least = 450 * std::numeric_limits<double>::epsilon();
    const double u = 2 * static_cast<double>(rng()) / static_cast<double>(std::minstd_rand::max()) - 1;  // in (−1, 1]
    return least * (u < 0 ? u - 1 : u + 1);
  }

  const System& system_;
  unsigned seed_;
  std::vector<double> q_, v_, y_;
  SystemWorkspace<double> work_;
};

}  // namespace

Samples samples_of(const System& system, int random, unsigned seed) {
  std::mt19937 rng(seed);
  const Model& model = system.model();
  const auto states = std::make_shared<SampledStates>(system, seed);
  for (int s = 0; s < random; ++s) states->q.push_back(normal_sample(model, rng));
  for (auto& q : special_configurations(model, mixed_states, rng)) states->q.push_back(std::move(q));

  ClosedStates closed = closed_states(model, system.sensors().constraints, std::move(states->q), random);
  states->q = std::move(closed.q);

  Samples samples;
  samples.count = static_cast<int>(states->q.size());
  samples.random = closed.random;
  samples.left_out = closed.left_out();
  samples.state = [states](int s) { return states->q[s]; };
  samples.fill = [states](int s, double* values, double* right_side) { states->fill(s, false, values, right_side); };
  samples.moved = [states](int s, double* values, double* right_side) { states->fill(s, true, values, right_side); };
  return samples;
}

}  // namespace sparsedyn
