#include "model_torques.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "scalar/draw.hpp"
#include "sparsedyn/dynamics/momentum.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/model/configuration.hpp"

namespace sparsedyn::inspection {
namespace {

bool finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

/// What the base needs of forces beside what the log says, in shares of the weight.
double unmeasured_share(Examination& x, const ModelTorques& found) {
  const double weight = moving_mass(x.model) * std::sqrt(dot(x.model.gravity, x.model.gravity));
  if (!(weight > 0) || found.sample.empty()) return 0;
  const char* const names[] = {"nx", "ny", "nz", "fx", "fy", "fz"};
  double squares = 0;
  for (std::size_t k = 3; k < 6; ++k) {
    const Series* const said = x.column(std::string("tau.base.") + names[k]);
    for (std::size_t s = 0; s < found.sample.size(); ++s) {
      const double d = found.tau[k][s] - (said ? (*said)[found.sample[s]] : 0.0);
      if (std::isfinite(d)) squares += d * d;
    }
  }
  return std::sqrt(squares / static_cast<double>(found.sample.size())) / weight;
}

/// Inverse dynamics of states with noise.
class NoisyTorques {
 public:
  NoisyTorques(const Model& model, const WholeMotion& motion, const KnownWrenches& wrenches)
      : model_(model),
        motion_(motion),
        wrenches_(wrenches),
        work_(model),
        q_(motion.q.size()),
        v_(motion.v.size()),
        a_(motion.v.size()),
        tau_(motion.v.size()),
        links_(model.links.size()),
        bodies_(model.bodies.size()),
        squares_(motion.v.size(), 0) {}

  /// Adds one draw at that state. `tau`: without noise.
  void add(std::size_t sample, const double* q, const double* v, const double* a, const std::vector<double>& tau) {
    for (std::size_t k = 0; k < q_.size(); ++k) q_[k] = q[k] + motion_.noise_q[k] * normal_();
    for (std::size_t k = 0; k < v_.size(); ++k)
      v_[k] = v[k] + motion_.noise_v[k] * normal_(), a_[k] = a[k] + motion_.noise_a[k] * normal_();
    if (!normalise(model_, q_.data())) return;
    wrenches_.at(sample, links_.data());
    wrenches_.disturb(links_.data(), [this] { return normal_(); });
    link_wrenches_to_bodies(model_, links_.data(), bodies_.data());
    rnea(model_, work_, q_.data(), v_.data(), a_.data(), bodies_.data(), tau_.data());
    if (!finite(tau_)) return;
    for (std::size_t k = 0; k < tau_.size(); ++k) squares_[k] += (tau_[k] - tau[k]) * (tau_[k] - tau[k]);
    ++count_;
  }
  std::vector<double> mean_squares() const {
    std::vector<double> mean = squares_;
    for (double& square : mean) square /= std::max(1.0, count_);
    return mean;
  }

 private:
  const Model& model_;
  const WholeMotion& motion_;
  const KnownWrenches& wrenches_;
  Workspace<double> work_;
  std::vector<double> q_, v_, a_, tau_;
  std::vector<Force<double>> links_, bodies_;
  std::vector<double> squares_;
  double count_ = 0;
  std::mt19937 rng_{1};
  NormalDraw<std::mt19937> normal_{rng_};
};

}  // namespace

ModelTorques::ModelTorques(Examination& x, const WholeMotion& motion, const KnownWrenches& wrenches, std::size_t most)
    : tau(motion.v.size()), v(motion.v.size()), a(motion.v.size()) {
  Workspace<double> work(x.model);
  std::vector<double> torques(motion.v.size());
  std::vector<Force<double>> links(x.model.links.size()), bodies(x.model.bodies.size());
  NoisyTorques noisy(x.model, motion, wrenches);
  const std::size_t stride = std::max<std::size_t>(1, std::min(x.samples(), most) / draws);
  for_each_state(x, motion, most, [&](std::size_t i, const double* q_now, const double* v_now, const double* a_now) {
    wrenches.at(i, links.data());
    link_wrenches_to_bodies(x.model, links.data(), bodies.data());
    rnea(x.model, work, q_now, v_now, a_now, bodies.data(), torques.data());
    if (!finite(torques)) return;
    if (sample.size() % stride == 0) noisy.add(i, q_now, v_now, a_now, torques);
    sample.push_back(i);
    for (std::size_t k = 0; k < torques.size(); ++k)
      tau[k].push_back(torques[k]), v[k].push_back(v_now[k]), a[k].push_back(a_now[k]);
  });
  noise = noisy.mean_squares();
  if (x.has_base()) unmeasured = unmeasured_share(x, *this), free = unmeasured < 0.1;
}

}  // namespace sparsedyn::inspection
