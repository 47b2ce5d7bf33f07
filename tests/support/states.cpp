#include "states.hpp"

#include <algorithm>
#include <cmath>

#include "robots.hpp"

namespace sparsedyn::test {
namespace {

const double kPi = std::acos(-1.0);

void fill(std::vector<double>& x, std::size_t n, std::mt19937& rng) {
  std::normal_distribution<double> normal;
  x.resize(n);
  for (double& e : x) e = normal(rng);
}

State random_rates(const Model& model, std::mt19937& rng) {
  State s;
  s.q.resize(static_cast<std::size_t>(model.nq));
  const auto nv = static_cast<std::size_t>(model.nv);
  fill(s.v, nv, rng), fill(s.a, nv, rng), fill(s.tau, nv, rng);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) s.fx.push_back({random_vector(rng), random_vector(rng)});
  return s;
}

/// The quaternion of a turn by `angle` about coordinate axis `axis`.
void set_turn(double* q, int axis, double angle) {
  for (int k = 0; k < 3; ++k) q[k] = k == axis ? std::sin(angle / 2) : 0.0;
  q[3] = std::cos(angle / 2);
}

void set_angle(const Body& body, int axis, double angle, double* q_all) {
  double* q = q_all + body.q;
  const int unit = quaternion_offset(body.joint);
  for (int k = 0; k < coordinates(body.joint); ++k) q[k] = angle;
  if (unit >= 0) set_turn(q + unit, axis, angle);
}

}  // namespace

State random_state(const Model& model, std::mt19937& rng) {
  State s = random_rates(model, rng);
  std::uniform_real_distribution<double> angle(-3.0, 3.0);
  std::normal_distribution<double> normal;
  for (double& e : s.q) e = angle(rng);
  for (const Body& body : model.bodies) {
    if (quaternion_offset(body.joint) < 0) continue;
    double* u = s.q.data() + body.q + quaternion_offset(body.joint);
    double norm = 0;
    for (int k = 0; k < 4; ++k) u[k] = normal(rng), norm += u[k] * u[k];
    for (int k = 0; k < 4; ++k) u[k] /= std::sqrt(norm);
  }
  return s;
}

std::vector<State> special_states(const Model& model, std::mt19937& rng, int mixed) {
  const double angles[] = {0.0, kPi / 2, -kPi / 2, kPi};
  std::vector<State> states;
  for (int k = 0; k < 4 + mixed; ++k) {
    State s = random_rates(model, rng);
    int i = 0;
    for (const Body& body : model.bodies) set_angle(body, i++ % 3, angles[k < 4 ? k : static_cast<int>(rng() % 4)], s.q.data());
    states.push_back(s);
  }
  return states;
}

double worst_error(const std::vector<double>& x, const std::vector<double>& r) {
  double worst = x.size() == r.size() ? 0.0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(x.size(), r.size()); ++i) {
    const double error = std::fabs(x[i] - r[i]) / std::max(1.0, std::fabs(r[i]));
    worst = error <= worst ? worst : std::isnan(error) ? HUGE_VAL : error;  // a NaN is the worst error of all
  }
  return worst;
}

double norm_error(const std::vector<double>& x, const std::vector<double>& r) {
  double size = 1;
  for (double e : r) size = std::max(size, std::fabs(e));
  std::vector<double> scaled_x = x, scaled_r = r;
  for (double& e : scaled_x) e /= size;
  for (double& e : scaled_r) e /= size;
  return worst_error(scaled_x, scaled_r);
}

}  // namespace sparsedyn::test
