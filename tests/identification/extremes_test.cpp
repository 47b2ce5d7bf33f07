// Fits at the ends of what doubles hold: light and heavy bodies, priors far from the rows, readings that overflow.
#include <catch2/catch.hpp>
#include <cmath>

#include "sparsedyn/identification/identify.hpp"
#include "support/robots.hpp"
#include "support/states.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

using Vector = std::vector<double>;

Vector times(double factor, Vector pi) {
  for (double& each : pi) each *= factor;
  return pi;
}

/// What torques of a robot of parameters pi say, with noise; the eighth sample's times `spike`.
TorqueInformation rows_of(const Model& model, const Vector& pi, double noise, double spike = 1) {
  TorqueInformation information(model);
  RegressorWorkspace<double> work(model);
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  Vector tau(static_cast<std::size_t>(model.nv));
  for (int k = 0; k < 300; ++k) {
    const State s = random_state(model, rng);
    regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
    for (double& each : tau) each = (each + noise * normal(rng)) * (k == 7 ? spike : 1);
    information.add(s.q.data(), s.v.data(), s.a.data(), tau.data(), nullptr);
  }
  return information;
}

bool finite(const Identification& x) {
  double sum = x.chi_square;
  for (const Vector& each : {x.value, x.sd, x.sigma})
    for (double number : each) sum += number;
  return std::isfinite(sum);
}

void check_that_bodies_exist(const Model& model, const Identification& x) {
  CHECK(finite(x));
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    CHECK(consistency(&x.value[10 * j]) > -1e-15);  // but for the eigenvalue's own rounding
}

/// The fit of bodies alone, of a robot that is `truth` times as heavy as it is taken for; both are `unit` times the model's.
Identification bodies_alone(const Model& model, double unit, double truth, double prior) {
  IdentifyOptions options;
  options.start = times(unit, parameters(model)), options.prior = prior;
  options.fitted.assign(options.start.size(), 0);
  std::fill_n(options.fitted.begin(), 10 * model.joints.size(), 1);
  options.sigma.assign(static_cast<std::size_t>(model.nv), 0.1 * unit);
  TorqueInformation information = rows_of(model, times(truth, options.start), 0.1 * unit);
  return identify(information, options);
}

}  // namespace

TEST_CASE("Masses in another unit give the fit in that unit, as light and heavy as numbers go") {
  const Model model = random_tree(3, 11);
  for (double truth : {1.0, 1e-3, 1e-9, 30.0}) {
    const Identification x = bodies_alone(model, 1, truth, 0.3);
    check_that_bodies_exist(model, x);
    for (int power : {-400, -40, 40, 400}) {
      INFO("truth " << truth << ", unit 2^" << power);
      const double unit = std::ldexp(1.0, power);
      const Identification y = bodies_alone(model, unit, truth, 0.3);
      check_that_bodies_exist(model, y);
      for (std::size_t k = 0; k < x.value.size(); ++k) {
        CHECK(std::fabs(y.value[k] / unit - x.value[k]) <= 1e-4 * x.sd[k]);
        CHECK(y.sd[k] / unit == Approx(x.sd[k]).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("A robot that is far lighter or heavier than it is taken for is found, at the edge of what can exist") {
  const Model model = random_tree(3, 11);
  for (double truth : {1e-9, 1e-3, 1.0, 30.0}) {
    INFO("truth " << truth);
    const Identification x = bodies_alone(model, 1, truth, 30);
    check_that_bodies_exist(model, x);
    const Vector beta = x.base.values(times(truth, parameters(model)));
    for (std::size_t k = 0; k < beta.size(); ++k) CHECK(std::fabs(x.base_value[k] - beta[k]) < 5 * x.base_sd[k]);
  }
}

TEST_CASE("Priors from a billionth to a billion, with noise of any size: a fit that is settled, or an error that says so") {
  const Model model = random_tree(3, 11);
  int settled = 0, count = 0;
  for (double prior : {1e-100, 1e-9, 1e-3, 1e3, 1e6, 1e9, 1e100})
    for (double noise : {0.0, 1e-6, 0.1, 1e6})
      for (double truth : {1.0, 1e-3, 1e6}) {
        INFO("prior " << prior << ", noise " << noise << ", truth " << truth);
        IdentifyOptions options;
        options.prior = prior;
        TorqueInformation information = rows_of(model, times(truth, parameters(model)), noise);
        ++count;
        try {
          const Identification x = identify(information, options);
          check_that_bodies_exist(model, x);
          ++settled;
          const Vector beta = x.base.values(times(truth, parameters(model)));
          for (std::size_t k = 0; prior >= 1e3 && truth <= 1 && k < beta.size(); ++k)
            CHECK(std::fabs(x.base_value[k] - beta[k]) < 5 * x.base_sd[k]);
        } catch (const std::runtime_error& error) {
          CHECK_THAT(error.what(), Contains("identify: Newton's steps do not settle"));
          CHECK((prior > 1e4 || (truth != 1 && noise < 1e-3)));  // or x is at the edge, where p keeps few of its digits
        }
      }
  CHECK(settled > count / 2);
}

TEST_CASE("Readings as large as their squares can be are fitted, those whose squares overflow are named") {
  const Model model = random_tree(3, 11);
  for (double spike : {1e20, 1e100, 1e149}) {
    INFO(spike);
    TorqueInformation information = rows_of(model, parameters(model), 0.1, spike);
    check_that_bodies_exist(model, identify(information));
  }
  for (double spike : {1e155, 1e300}) {
    INFO(spike);
    TorqueInformation information = rows_of(model, parameters(model), 0.1, spike);
    CHECK_THROWS_WITH(identify(information), Contains("identify: the squares of joint") && Contains("'s rows overflow"));
  }
  IdentifyOptions options;
  options.sigma.assign(3, 1e-8);
  TorqueInformation information = rows_of(model, parameters(model), 0.1, 1e149);
  CHECK_THROWS_WITH(identify(information, options), Contains("identify: the rows' squares overflow"));
}
