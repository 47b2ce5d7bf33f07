#include "model_torques.hpp"

#include <algorithm>
#include <cmath>

#include "sparsedyn/dynamics/rnea.hpp"

namespace sparsedyn::inspection {
namespace {

bool finite(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

/// What the base needs of forces beside what the log says, in shares of the weight.
double unmeasured_share(Examination& x, const ModelTorques& found) {
  double weight = 0;
  for (const Body& body : x.model.bodies) weight += body.inertia.m;
  weight *= std::sqrt(dot(x.model.gravity, x.model.gravity));
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

}  // namespace

ModelTorques::ModelTorques(Examination& x, const WholeMotion& motion, const KnownWrenches& wrenches)
    : tau(motion.v.size()), v(motion.v.size()), a(motion.v.size()) {
  Workspace<double> work(x.model);
  std::vector<double> torques(motion.v.size());
  std::vector<Force<double>> links(x.model.links.size()), bodies(x.model.bodies.size());
  for_each_state(x, motion, most, [&](std::size_t i, const double* q_now, const double* v_now, const double* a_now) {
    wrenches.at(i, links.data());
    link_wrenches_to_bodies(x.model, links.data(), bodies.data());
    rnea(x.model, work, q_now, v_now, a_now, bodies.data(), torques.data());
    if (!finite(torques)) return;
    sample.push_back(i);
    for (std::size_t k = 0; k < torques.size(); ++k)
      tau[k].push_back(torques[k]), v[k].push_back(v_now[k]), a[k].push_back(a_now[k]);
  });
  if (x.has_base()) free = unmeasured_share(x, *this) < 0.1;
}

}  // namespace sparsedyn::inspection
