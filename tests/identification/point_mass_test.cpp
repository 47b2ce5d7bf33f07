// Bodies that a file gives no inertia, or no mass.
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

Inertia<double> point(double mass, const Vec3<double>& at) {
  return {mass,
          mass * at,
          {mass * at[0] * at[0], mass * at[0] * at[1], mass * at[0] * at[2], mass * at[1] * at[1], mass * at[1] * at[2],
           mass * at[2] * at[2]}};
}

/// root – a – b – c, the body `which` (0 to 2) with this inertia, others as bodies are.
Model with_body(int which, const Inertia<double>& inertia, JointKind kind, bool floating) {
  std::mt19937 rng(7);
  ModelBuilder builder("chain");
  builder.root("root", random_inertia(rng), floating);
  const char* const names[] = {"root", "a", "b", "c"};
  for (int k = 0; k < 3; ++k) {
    const Inertia<double> of_body = random_inertia(rng);
    JointSpec spec = random_joint(rng, k == which ? kind : JointKind::revolute);
    const Pose<double> placement = random_pose(rng);
    builder.link(names[k + 1], k == which ? inertia : of_body, names[k], std::string("joint_") + names[k + 1], spec, placement);
  }
  return builder.build();
}

/// With springs of stiffness 0 in all joints of one freedom.
Model sprung(Model model) {
  for (const Joint& joint : model.joints) {
    if (joint.nv != 1) continue;
    JointPhysics physics;
    physics.stiffness = 0;
    set_joint_physics(model, joint.name, physics);
  }
  return model;
}

/// The truth: what has mass is 5 % heavier; joints rub, and pull.
Vector truth_of(const Model& model) {
  Vector pi = parameters(model);
  for (std::size_t k = 0; k < 10 * model.joints.size(); ++k) pi[k] *= 1.05;
  for (std::size_t k = 10 * model.joints.size(); k < pi.size(); ++k) pi[k] = 0.1 + 0.01 * static_cast<double>(k % 7);
  return pi;
}

void add_samples(TorqueInformation& information, const Vector& pi, double noise, std::size_t silent) {
  const Model& model = information.model();
  RegressorWorkspace<double> work(model);
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  Vector tau(static_cast<std::size_t>(model.nv));
  for (int k = 0; k < 300; ++k) {
    const State s = random_state(model, rng);
    regressor_times(model, work, s.q.data(), s.v.data(), s.a.data(), pi.data(), tau.data());
    for (double& each : tau) each += noise * normal(rng);
    if (silent < tau.size()) tau[silent] = 0;
    information.add(s.q.data(), s.v.data(), s.a.data(), tau.data(), nullptr);
  }
}

void check_fit(const Model& model, const Vector& truth, const Identification& x, double noise) {
  double sum = x.chi_square;
  for (const Vector& each : {x.value, x.sd, x.sigma})
    for (double number : each) sum += number;
  REQUIRE(std::isfinite(sum));
  CHECK(x.rank == static_cast<int>(x.base.independent.size()));
  const Vector beta = x.base.values(truth);
  for (std::size_t k = 0; k < beta.size(); ++k)
    CHECK(std::fabs(x.base_value[k] - beta[k]) < (noise > 0 ? 6 : 1) * x.base_sd[k] + 1e-9);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (truth[10 * j] > 0) {
      CHECK(consistency(&x.value[10 * j]) > -1e-15);
      continue;
    }
    for (std::size_t k = 10 * j; k < 10 * j + 10; ++k) CHECK((x.value[k] == 0 && x.sd[k] == 0));
  }
}

struct Sloppy {
  const char* name;
  Inertia<double> inertia;
};
const Sloppy sloppy[] = {{"a point at the frame's origin", point(1.3, {{0, 0, 0}})},
                         {"a point elsewhere", point(1.3, {{0.1, -0.2, 0.05}})},
                         {"no mass", zero_inertia<double>()}};

}  // namespace

TEST_CASE("Point masses, at their frame's origin too, and bodies without mass are fitted like others") {
  for (const Sloppy& body : sloppy)
    for (const JointKind kind : {JointKind::revolute, JointKind::prismatic, JointKind::spherical})
      for (int which = 0; which < 3; ++which)
        for (const bool floating : {false, true})
          for (const double noise : {0.0, 0.1}) {
            CAPTURE(body.name, kind_name(kind), which, floating, noise);
            const Model model = sprung(with_body(which, body.inertia, kind, floating));
            const Vector truth = truth_of(model);
            TorqueInformation information(model);
            add_samples(information, truth, noise, truth.size());
            check_fit(model, truth, identify(information), noise);
          }
}

TEST_CASE("A tip without mass whose readings are zero to the last digit: nothing is in its joint") {
  for (const bool huber : {false, true}) {
    CAPTURE(huber);
    const Model model = sprung(with_body(2, zero_inertia<double>(), JointKind::revolute, false));
    Vector truth = parameters(model);
    TorqueInformation information(model);
    const auto read = [&] { add_samples(information, truth, 0, truth.size()); };
    read();
    PassOptions options;
    options.huber = huber;
    const Identification x = identify_by_passes(information, options, read);
    check_fit(model, truth, x, 0);
    CHECK(x.settled);
    for (std::size_t k = 10 * model.joints.size(); k < truth.size(); ++k) CHECK(std::fabs(x.value[k]) < 1e-5);
  }
}

TEST_CASE("Some of a body's ten parameters can be fitted if the body is physically possible as it is") {
  const Model model = with_body(1, point(1.3, {{0.1, -0.2, 0.05}}), JointKind::revolute, false);
  const Vector truth = truth_of(model);
  TorqueInformation information(model);
  add_samples(information, truth, 0.1, truth.size());
  IdentifyOptions options;
  options.start = truth, options.start[0] *= 1.1, options.start[1] *= 0.98, options.start[21] *= 0.98;
  options.fitted.assign(truth.size(), 0);
  options.fitted[0] = options.fitted[1] = options.fitted[21] = 1;
  const Identification x = identify(information, options);
  for (std::size_t k = 0; k < truth.size(); ++k) {
    if (!options.fitted[k]) CHECK((x.value[k] == truth[k] && x.sd[k] == 0));
    if (options.fitted[k]) CHECK(std::fabs(x.value[k] - truth[k]) < 5 * x.sd[k]);
  }
  options.fitted[10] = 1;  // the point: it is at the edge of what can exist
  CHECK_THROWS_WITH(identify(information, options), Contains("a.m") || Contains("b.m"));
}
