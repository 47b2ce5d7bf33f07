// Motions for identification: within the limits between the instants that the search looks at, the derivatives are those of the
// positions, better than random ones, and what is identified from them is as near the truth as its deviations say.
#include "sparsedyn/identification/excite.hpp"

#include <Eigen/Core>
#include <Eigen/SVD>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/identification/identify.hpp"
#include "sparsedyn/model/coordinate_map.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;

namespace {

Model shipped_arm() { return load_urdf(source_folder() + "/robots/arm.urdf"); }

/// Of three hinges with limits.
Model small_arm() {
  TreeOptions hinges;
  hinges.kinds = {JointKind::revolute}, hinges.branching = 0;
  Model model = random_tree(3, 5, hinges);
  for (const Joint& joint : std::vector<Joint>(model.joints)) set_joint_limits(model, joint.name, {-2, 1.5, 2.5, 1000});
  return model;
}

/// The regressor's columns of base parameters along a motion, of unit length: the ratio of its singular values.
double condition_along(const Model& model, const FourierMotion& motion, int instants) {
  std::vector<int> all(parameters(model).size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  const BaseParameters base = base_parameters(model, all);
  RegressorWorkspace<double> work(model);
  const auto n = static_cast<std::size_t>(model.nv);
  std::vector<double> q(n), v(n), a(n), Y(n * all.size());
  Eigen::MatrixXd rows(instants * model.nv, static_cast<Eigen::Index>(base.independent.size()));
  for (int k = 0; k < instants; ++k) {
    motion.evaluate(motion.period * k / instants, q.data(), v.data(), a.data());
    regressor(model, work, q.data(), v.data(), a.data(), Y.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < base.independent.size(); ++c)
        rows(k * model.nv + static_cast<int>(i), static_cast<Eigen::Index>(c)) =
            Y[i * all.size() + static_cast<std::size_t>(base.independent[c])] / model.limits[i].effort;
  }
  for (Eigen::Index c = 0; c < rows.cols(); ++c) rows.col(c).normalize();
  const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(rows).singularValues();
  return sizes[0] / sizes[sizes.size() - 1];
}

}  // namespace

TEST_CASE("excite: position, velocity and effort stay within the limits, also between its instants") {
  const Model arm = shipped_arm();
  ExcitationOptions options;
  options.budget = 200;
  for (std::uint64_t seed : {1, 2}) {
    options.seed = seed;
    const Excitation best = excite(arm, options);
    REQUIRE(best.found);
    CHECK(best.motions == 200);
    Workspace<double> work(arm);
    const auto n = static_cast<std::size_t>(arm.nv);
    std::vector<double> q(n), v(n), a(n), tau(n), ahead(n), behind(n), unused(n), rate(n);
    const int instants = 5003;
    for (int k = 0; k < instants; ++k) {
      const double t = 2 * options.period * k / instants, h = 1e-5;
      best.motion.evaluate(t, q.data(), v.data(), a.data());
      rnea<double>(arm, work, q.data(), v.data(), a.data(), nullptr, tau.data());
      best.motion.evaluate(t + h, ahead.data(), rate.data(), unused.data());
      best.motion.evaluate(t - h, behind.data(), unused.data(), unused.data());
      for (std::size_t i = 0; i < n; ++i) {
        const JointLimits& limits = arm.limits[i];
        const bool within = q[i] >= limits.lower && q[i] <= limits.upper && std::fabs(v[i]) <= limits.velocity &&
                            std::fabs(tau[i]) <= limits.effort;
        if (!within) FAIL("joint " << i << " at " << t << " s: " << q[i] << ", " << v[i] << ", " << tau[i]);
        if (k % 50) continue;
        CHECK(v[i] == Approx((ahead[i] - behind[i]) / (2 * h)).margin(1e-8));
        CHECK(a[i] == Approx((rate[i] - v[i]) / h).margin(1e-3));
      }
    }
    best.motion.evaluate(0, q.data(), v.data(), a.data());
    best.motion.evaluate(options.period, ahead.data(), rate.data(), unused.data());
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(std::fabs(v[i]) < 1e-12);  // at rest where it begins
      CHECK(std::fabs(a[i]) < 1e-10);
      CHECK(q[i] == Approx(ahead[i]).margin(1e-10));  // and periodic
    }
  }
}

TEST_CASE("excite: conditions are those of the regressor, and much better than of random motions") {
  const Model arm = shipped_arm();
  ExcitationOptions options;
  options.budget = 600;
  const Excitation best = excite(arm, options);
  REQUIRE(best.found);
  CHECK(best.condition == Approx(condition_along(arm, best.motion, 60)).epsilon(1e-6));
  // random motions are those that a search of one motion tries
  ExcitationOptions once = options;
  once.budget = 1;
  std::vector<double> random;
  for (std::uint64_t seed = 1; random.size() < 11; ++seed) {
    once.seed = seed;
    const Excitation one = excite(arm, once);
    if (one.found) random.push_back(one.condition);
  }
  std::nth_element(random.begin(), random.begin() + 5, random.end());
  CHECK(best.condition < 0.3 * random[5]);
  CHECK(best.condition < 0.3 * best.random_condition);
  options.criterion = ExcitationCriterion::condition;
  CHECK(excite(arm, options).condition <= best.condition * 1.05);
}

TEST_CASE("excite: the same seed gives the same motion, another one another") {
  const Model arm = small_arm();
  ExcitationOptions options;
  options.budget = 50;
  const Excitation one = excite(arm, options), two = excite(arm, options);
  CHECK(one.motion.sine == two.motion.sine);
  CHECK(one.motion.offset == two.motion.offset);
  options.seed = 2;
  CHECK(excite(arm, options).motion.sine != one.motion.sine);
}

TEST_CASE("excite: base parameters identified from noisy torques of its motion are within two deviations in 95 % of cases") {
  const Model arm = small_arm();
  ExcitationOptions search;
  search.budget = 300;
  const Excitation best = excite(arm, search);
  REQUIRE(best.found);
  const auto n = static_cast<std::size_t>(arm.nv);
  const std::vector<double> pi = parameters(arm);
  RegressorWorkspace<double> work(arm);
  std::vector<double> q(n), v(n), a(n), tau(n);
  int within = 0, all = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 rng(seed);
    std::normal_distribution<double> noise(0, 0.05);
    TorqueInformation information(arm);
    for (int k = 0; k < 1000; ++k) {
      best.motion.evaluate(0.01 * k, q.data(), v.data(), a.data());
      regressor_times(arm, work, q.data(), v.data(), a.data(), pi.data(), tau.data());
      for (double& x : tau) x += noise(rng);
      information.add(q.data(), v.data(), a.data(), tau.data(), nullptr);
    }
    IdentifyOptions fit;
    fit.fitted.assign(pi.size(), 0);
    std::fill_n(fit.fitted.begin(), 10 * arm.joints.size(), 1);  // inertias; the joints do not rub
    fit.prior = 1e3;                                             // the data alone decide
    const Identification found = identify(information, fit);
    const std::vector<double> truth = found.base.values(pi);
    CHECK(found.rank == static_cast<int>(truth.size()));
    for (std::size_t k = 0; k < truth.size(); ++k, ++all) {
      REQUIRE(std::isfinite(found.base_sd[k]));
      within += std::fabs(found.base_value[k] - truth[k]) <= 2 * found.base_sd[k];
    }
  }
  CHECK(within >= 0.92 * all);
  CHECK(within <= 0.985 * all);
}

TEST_CASE("excite keeps the limits of followers, and postures that are not allowed are not taken") {
  Model arm = small_arm();
  arm = coupled(arm, {{arm.joints[2].name, arm.joints[1].name, -2, 0.1}});
  ExcitationOptions options;
  options.budget = 60;
  options.allowed = [](const double* q) { return q[0] < 0.5; };
  const Excitation best = excite(arm, options);
  REQUIRE(best.found);
  std::vector<double> q(2), v(2), a(2);
  for (int k = 0; k < 1000; ++k) {
    best.motion.evaluate(0.01 * k, q.data(), v.data(), a.data());
    CHECK((-2 * q[1] + 0.1 >= -2 && -2 * q[1] + 0.1 <= 1.5 && std::fabs(-2 * v[1]) <= 2.5));
    CHECK(q[0] < 0.501);
  }
}

TEST_CASE("excite takes limits of 0 for none") {
  Model arm = small_arm();
  set_joint_limits(arm, arm.joints[1].name, {-1, 1, 0, 0});
  ExcitationOptions options;
  options.budget = 30;
  const Excitation best = excite(arm, options);
  REQUIRE(best.found);
  std::vector<double> q(3), v(3), a(3);
  double fastest = 0;
  for (int k = 0; k < 500; ++k) {
    best.motion.evaluate(0.02 * k, q.data(), v.data(), a.data());
    CHECK((std::fabs(q[1]) <= 1 && std::fabs(v[1]) <= 2));
    fastest = std::max(fastest, std::fabs(v[1]));
  }
  CHECK(fastest > 0.1);
}

TEST_CASE("excite refuses floating bases and fewer than three harmonics, and finds no motion within impossible effort limits") {
  ExcitationOptions options;
  options.budget = 20;
  Model weak = small_arm();
  for (const Joint& joint : std::vector<Joint>(weak.joints)) set_joint_limits(weak, joint.name, {-2, 1.5, 2.5, 1e-6});
  CHECK_FALSE(excite(weak, options).found);
  CHECK_THROWS_WITH(excite(random_tree(2, 1, {true}), options), Contains("base") && Contains("several freedoms"));
  options.harmonics = 2;
  CHECK_THROWS_WITH(excite(small_arm(), options), Contains("harmonics"));
}
