// Fits do not know in which unit lengths are measured: no floor is absolute.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/identification/identify.hpp"
#include "support/robots.hpp"
#include "support/scaled_robot.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

using Vector = std::vector<double>;

/// Hinges alone, of which bodies are 5 % heavier than the robot's; `noise` and all torques are those of the robot in metres.
Identification bodies_fitted(unsigned seed, double length, double noise, bool huber) {
  TreeOptions hinges;
  hinges.kinds = {JointKind::revolute};
  const Model model = in_lengths(random_tree(4, seed, hinges), length);
  Vector truth = parameters(model);
  for (double& each : truth) each *= 1.05;
  RegressorWorkspace<double> work(model);
  TorqueInformation information(model);
  const auto read = [&] {
    std::mt19937 rng(seed);
    std::normal_distribution<double> normal;
    Vector tau(static_cast<std::size_t>(model.nv));
    for (int k = 0; k < 400; ++k) {
      const State s = random_state(model, rng);
      regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), truth.data(), tau.data());
      for (double& each : tau) each += length * length * noise * normal(rng);
      information.add(s.q.data(), s.v.data(), s.a.data(), tau.data(), nullptr);
    }
  };
  read();
  PassOptions options;
  options.huber = huber;
  options.fit.fitted.assign(truth.size(), 0);
  std::fill_n(options.fit.fitted.begin(), 10 * model.joints.size(), 1);
  return identify_by_passes(information, options, read);
}

}  // namespace

TEST_CASE("A robot of millimetres, and one of micrometres, has the fit of the same robot in metres") {
  for (const bool huber : {false, true})
    for (const unsigned seed : {11u, 12u, 13u, 14u})
      for (const double noise : {2e-2, 2e-8}) {  // of millimetres: 2e-14 N m
        const Identification metres = bodies_fitted(seed, 1, noise, huber);
        CHECK(metres.chi_square == Approx(noise > 1e-3 ? 1 : 0).margin(0.05));
        for (const double length : {1e-3, 1e-6, 1e3}) {
          CAPTURE(huber, seed, noise, length);
          const Identification x = bodies_fitted(seed, length, noise, huber);
          CHECK(x.chi_square == Approx(metres.chi_square).epsilon(1e-6));
          CHECK(x.determined == metres.determined);
          CHECK(x.rank == metres.rank);
          CHECK(x.base.independent == metres.base.independent);
          CHECK(x.condition == Approx(metres.condition).epsilon(1e-6));
          for (std::size_t j = 0; 10 * j < x.value.size() && x.sd[10 * j] > 0; ++j) {
            CHECK(std::fabs(x.value[10 * j] - metres.value[10 * j]) < 1e-4 * metres.sd[10 * j]);  // masses
            CHECK(x.sd[10 * j] == Approx(metres.sd[10 * j]).epsilon(1e-6));
          }
        }
      }
}

TEST_CASE("Rows that are zero, or rounding of what cancels in them, count as no finer than that") {
  // a point mass on the last hinge's axis: its torque is rounding of terms of some newtonmetres
  const Model model = point_tip();
  RegressorWorkspace<double> work(model);
  TorqueInformation information(model);
  std::mt19937 rng(3);
  const Vector pi = parameters(model);
  Vector tau(static_cast<std::size_t>(model.nv));
  for (int k = 0; k < 300; ++k) {
    const State s = random_state(model, rng);
    regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
    information.add(s.q.data(), s.v.data(), s.a.data(), tau.data(), nullptr);
  }
  const Identification x = identify(information);
  CHECK(x.sigma.back() > 1e-12);
  CHECK(x.sigma.back() < 1e-9);
  CHECK(x.rank == static_cast<int>(x.base.independent.size()));
}

TEST_CASE("Base parameters by rank and by rules do not depend on the unit of length") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Model metres = with_joint_physics(random_tree(4, seed), seed);
    std::vector<int> all(static_cast<std::size_t>(ParameterIndex(metres).count));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
    const BaseParameters found = base_parameters(metres, all);
    for (const int power : {-20, -10, 10}) {
      CAPTURE(seed, power);
      const double length = std::ldexp(1.0, power);
      const Model model = in_lengths(metres, length);
      for (const BaseParameters& base : {base_parameters(model, all), base_parameters_by_rules(model, all)}) {
        REQUIRE(base.independent == found.independent);
        for (std::size_t d = 0; d < found.dependent.size(); ++d) {
          const auto unit = [&](int k) {  // of a body's ten
            const int of = k % 10;
            return of == 0 ? 1.0 : of < 4 ? length : length * length;
          };
          const int bodies = 10 * static_cast<int>(model.joints.size());
          for (std::size_t k = 0; found.dependent[d] < bodies && k < found.independent.size(); ++k)
            if (found.independent[k] < bodies) {
              const double by = unit(found.dependent[d]) / unit(found.independent[k]);
              CHECK(std::fabs(base.share[d][k] * by - found.share[d][k]) < 1e-9 * std::max(1.0, std::fabs(found.share[d][k])));
            }
        }
      }
    }
  }
}
