// Sensor sets, constraints, joints and plans with changes that readers mostly let through. What a reader refuses, it says
// where; what it takes is answered, and answers are held beside another way to them, or fail by name.
//
//   SPARSEDYN_FUZZ_RUNS=100000 SPARSEDYN_FUZZ_SEED=7 build/tests/test_fuzz      // so many runs in all, from that seed on
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "runtime/reference.hpp"
#include "sparsedyn/constraints/constrained_dynamics.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/dynamics/aba.hpp"
#include "sparsedyn/dynamics/rnea.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/runtime/make_solver.hpp"
#include "sparsedyn/runtime/solver.hpp"
#include "support/robots.hpp"
#include "tally.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

Model small_arm() { return random_tree(3, 5); }

const char* const set_text = R"({"name": "victim", "prior": {"ddq": 100}, "state_sigma": {"q": 0.001}, "sensors": [
  {"name": "motors", "type": "joint_torque", "joint": "*", "except": "joint2", "sigma": 0.1},
  {"name": "free", "type": "joint_torque", "joint": "joint2", "value": 0.5, "sigma": [0.2]},
  {"name": "still", "type": "joint_acceleration", "joint": ["joint2", "joint1"], "sigma": 0.5},
  {"name": "imu", "type": "accelerometer", "link": "link3", "xyz": [0.1, 0.2, 0.3], "rpy": [0.1, 0, 1.5], "sigma": 0.3},
  {"name": "gyro", "type": "angular_accelerometer", "link": "link2", "components": ["x", "z"], "sigma": [0.3, 0.4]},
  {"name": "hand", "type": "external_wrench", "link": "link3", "components": ["fx", "nz"], "sigma": [1, 0.5], "optional": true},
  {"name": "touch", "type": "normal_force", "link": "link3", "normal": [0.3, 0.1, 2], "sigma": 0.7},
  {"name": "speed", "type": "link_velocity", "link": "link2", "xyz": [0.1, 0, 0.3], "components": ["wx", "vz"], "sigma": 0.1},
  {"name": "air", "type": "external_wrench", "link": "*", "value": 0, "sigma": 0.01}]})";

const char* const constraints_text =
    R"({"name": "held", "parameters": {"cone": "elliptic", "impratio": 1.5, "solref": [0.02, 1],
  "solimp": [0.9, 0.95, 0.001, 0.5, 2], "timestep": 0.002}, "constraints": [
  {"name": "floor", "type": "contact", "link": "link3", "points": [[0.1, 0.2, 0.3], [0, 0, 0]], "radius": 0.2,
   "friction": [0.8, 0.01, 0.001], "plane": {"xyz": [0, 0, 0.5], "normal": [0.1, 0, 1]}, "margin": 0.02},
  {"name": "rod", "type": "connect", "links": ["link3", "world"], "xyz": [[0.1, 0, 0], [0.5, 0, 0.5]], "solref": [0.05, 0.8]},
  {"name": "pair", "type": "joint", "joint": "joint1", "of": "joint2", "polynomial": [0.1, 0.5, 0.2], "linear": {"joint3": 0.4},
   "hard": false},
  {"name": "rub", "type": "dry_friction", "joint": "joint3", "loss": 0.3}]})";

const char* const joints_text = R"({"joints": {
  "joint1": {"armature": 0.1, "damping": 0.2, "friction": 0.3, "offset": 0.4, "smoothing": 0.5, "stiffness": 2},
  "joint2": {"damping": 0.25, "friction": 0.35, "stribeck": 0.4, "stribeck_velocity": 0.1},
  "joint3": {"armature": 0.15, "offset": -0.45, "smoothing": 0.05}}})";

/// τ of the conventions, written down once more.
double joint_share(const Document& joint, double q, double v, double a) {
  const auto number = [&](const char* key, double otherwise) { return joint.value(key, otherwise); };
  const double share = number("stribeck", 0), x = v / number("stribeck_velocity", 0.1);
  const double g = std::tanh(v / number("smoothing", 0.01)) * (1 - share + share / (1 + x * x));
  return number("armature", 0) * a + number("damping", 0) * v + number("friction", 0) * g + number("offset", 0) +
         number("stiffness", 0) * q;
}

}  // namespace

TEST_CASE("Sensor sets changed: estimates beside dense least squares") {
  const Model model = small_arm();
  const Document valid = Document::parse(set_text);
  std::vector<std::string> names = names_of(model);
  names.insert(names.end(),
               {"joint_torque", "joint_acceleration", "accelerometer", "external_wrench", "load_cell", "fx", "nz"});
  REQUIRE_NOTHROW(System(model, parse_sensor_set(set_text, "set.json")));
  fuzz("sensor sets", [&](unsigned seed, Tally& tally) {
    Mutator mutator(seed, names);
    const Document document = mutator.changed(valid);
    const std::string text = document.dump(1);
    INFO("seed " << seed << "\n" << text);
    try {
      const SensorSet set = parse_sensor_set(text, "set.json");
      ++tally.read;
      const auto system = std::make_shared<const System>(model, set);
      std::shared_ptr<const EstimatorPlan> plan;
      try {
        plan = quick_plan(*system);
      } catch (const RedundantExactRows& redundant) {
        CHECK(!std::string(redundant.what()).empty());
        ++tally.failed;
        return;
      } catch (const SingularSystem& singular) {
        CHECK(!std::string(singular.what()).empty());
        ++tally.failed;
        return;
      }
      EstimatorOptions options;
      Estimator estimator(system, plan, options);
      const SampleState s = random_sample(*system, mutator.random);
      std::vector<double> out(estimator.output_columns().size());
      const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
      if (!status.ok()) {
        CHECK(!estimator.describe(status).empty());
        ++tally.failed;
        return;
      }
      ++tally.answered;
      const bool whole = std::none_of(plan->regularisation.undetermined.begin(), plan->regularisation.undetermined.end(),
                                      [](char open) { return open != 0; });
      if (!whole || !is_moderate(document)) return;
      ++tally.compared;
      const DenseEstimate dense = reference(*system, s, sigmas(estimator));
      for (int j = 0; j < system->pattern().columns; ++j) {
        INFO(system->unknown_names()[static_cast<std::size_t>(j)]);
        tally.compare(estimator.unknowns()[j], dense.x[j], 1e-7);
      }
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("set.json"));
    }
  });
}

TEST_CASE("Constraints changed: accelerations beside the closed form of their inverse") {
  const Model model = small_arm();
  const Document valid = Document::parse(constraints_text);
  REQUIRE_NOTHROW(ConstrainedDynamics(model, parse_constraint_set(constraints_text, "constraints.json", model)));
  fuzz("constraints", [&](unsigned seed, Tally& tally) {
    Mutator mutator(seed, names_of(model));
    const Document document = mutator.changed(valid);
    const std::string text = document.dump(1);
    INFO("seed " << seed << "\n" << text);
    try {
      const ConstraintSet set = parse_constraint_set(text, "constraints.json", model);
      ++tally.read;
      ConstrainedDynamics dynamics(model, set);
      const DrawnState s(model, mutator.random);
      std::vector<double> a(s.v.size()), tau(s.v.size()), lambda(dynamics.force_columns().size()),
          gap(dynamics.gap_columns().size());
      ConstraintStatus status =
          dynamics.forward(s.q.data(), s.v.data(), s.tau.data(), nullptr, a.data(), lambda.data(), gap.data());
      if (!status.ok()) {
        CHECK(!dynamics.describe(status).empty());
        ++tally.failed;
        return;
      }
      ++tally.answered;
      CHECK((finite(a) && finite(lambda) && finite(gap)));
      if (dynamics.has_hard_rows() || !is_moderate(document)) return;
      status = dynamics.inverse(s.q.data(), s.v.data(), a.data(), nullptr, tau.data(), lambda.data(), gap.data());
      REQUIRE(status.ok());
      ++tally.compared;
      const double size =
          *std::max_element(lambda.begin(), lambda.end(), [](double x, double y) { return std::abs(x) < std::abs(y); });
      for (std::size_t i = 0; i < tau.size(); ++i) {
        const double scale = std::max(1.0, std::abs(size));
        tally.compare(tau[i] / scale, s.tau[i] / scale, 1e-6);
      }
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("constraints.json"));
    } catch (const std::invalid_argument& wrong) {
      CHECK(!std::string(wrong.what()).empty());
    }
  });
}

TEST_CASE("Joints changed: torques beside the law written down once more") {
  const Model bare = small_arm();
  const Document valid = Document::parse(joints_text);
  fuzz("joints", [&](unsigned seed, Tally& tally) {
    Mutator mutator(seed, names_of(bare));
    const Document document = mutator.changed(valid);
    const std::string text = document.dump(1);
    INFO("seed " << seed << "\n" << text);
    try {
      Model model = bare;
      parse_joint_physics(text, "joints.json", model);
      ++tally.read;
      const DrawnState s(model, mutator.random);
      std::vector<double> tau(s.v.size()), without(s.v.size());
      Workspace<double> work(model), bare_work(bare);
      rnea(model, work, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), tau.data());
      rnea(bare, bare_work, s.q.data(), s.v.data(), s.a.data(), static_cast<const Force<double>*>(nullptr), without.data());
      ++tally.answered, ++tally.compared;
      for (const Joint& joint : model.tree().joints) {
        const auto i = static_cast<std::size_t>(joint.v);
        const Document& all = document.at("joints");
        const double share = all.contains(joint.name)
                                 ? joint_share(all.at(joint.name), s.q[static_cast<std::size_t>(joint.q)], s.v[i], s.a[i])
                                 : 0;
        if (std::isfinite(share))
          tally.compare(tau[i], without[i] + share, 1e-12);
        else
          CHECK(!std::isfinite(tau[i]));
      }
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("joints.json"));
    }
  });
}

namespace {

bool reads(const Input& input, const std::string& column) {
  return std::find(input.columns.begin(), input.columns.end(), column) != input.columns.end();
}

/// The same pivots in another order: rows and columns exchanged alike, so that each pivot stays an entry of the pattern.
Order reordered(Order order, std::mt19937& random) {
  const std::size_t n = order.rows.size();
  for (auto left = 1 + random() % 6; left > 0; --left) {
    const std::size_t i = random() % n, j = random() % n;
    std::swap(order.rows[i], order.rows[j]), std::swap(order.columns[i], order.columns[j]);
  }
  return order;
}

}  // namespace

TEST_CASE("Plans changed: their answers beside the articulated-body algorithm") {
  const Model model = small_arm();
  const auto system = std::make_shared<const System>(model, load_sensor_set("forward-dynamics"));
  const Order order = recursive_order(*system).value();
  const std::vector<std::string> names{"recursive", "sparsedyn-plan", "newton-euler", system->fingerprint(), "arm"};
  fuzz("plans", [&](unsigned seed, Tally& tally) {
    Mutator mutator(seed, names);
    std::string text;
    try {
      Plan plan = make_plan(system->pattern(), reordered(order, mutator.random));
      plan.fingerprint = system->fingerprint(), plan.strategy = "reordered";
      if (mutator.random() % 2) plan.fallback = reordered(order, mutator.random), plan.fallback_strategy = "another";
      text = plan_to_json(plan, {"arm", "forward-dynamics"});
    } catch (const ZeroPivot&) {
      --tally.runs;
      return;
    }
    if (mutator.random() % 3 == 0) text = mutator.changed(Document::parse(text)).dump(1);
    INFO("seed " << seed << "\n" << text);
    try {
      const Plan plan = plan_from_json(json::Document::parse(text, "plan.json"), system->fingerprint(), system->pattern());
      ++tally.read;
      Solver solver(system, std::make_shared<const Plan>(plan), {{"ddq"}});
      const DrawnState s(model, mutator.random);
      std::vector<double> y(system->inputs().size(), 0.0), ddq(s.v.size()), truth(s.v.size());
      for (std::size_t k = 0; k < y.size(); ++k)
        for (const Joint& joint : model.tree().joints)
          if (reads(system->inputs()[k], "tau." + joint.name)) y[k] = s.tau[static_cast<std::size_t>(joint.v)];
      const SolverStatus status = solver.solve(s.q.data(), s.v.data(), y.data(), ddq.data());
      if (!status.ok()) {
        CHECK(!solver.describe(status).empty());
        ++tally.failed;
        return;
      }
      ++tally.answered, ++tally.compared;
      Workspace<double> work(model);
      aba(model, work, s.q.data(), s.v.data(), s.tau.data(), static_cast<const Force<double>*>(nullptr), truth.data());
      for (std::size_t i = 0; i < truth.size(); ++i) tally.compare(ddq[i], truth[i], 1e-9);
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::StartsWith("plan.json:"));
    } catch (const PlanMismatch& other) {
      CHECK_THAT(other.what(), Catch::StartsWith("plan.json:"));
    }
  });
}
