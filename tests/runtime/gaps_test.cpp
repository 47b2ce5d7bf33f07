// Samples with gaps: one order serves every pattern of them, also where the rest leaves something open.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "redundant_set.hpp"
#include "reference.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/runtime/estimate_at_state.hpp"
#include "sparsedyn/runtime/estimator.hpp"
#include "sparsedyn/runtime/gap_closer.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

/// The quadruped of docs/tutorial-estimate.md.
std::shared_ptr<const System> standing_quadruped() {
  LoadOptions options;
  options.floating = true;
  const char* const set = R"({"sensors": [
    {"name": "trunk_acc", "type": "accelerometer", "link": "imu", "sigma": 0.05},
    {"name": "lf_ft", "type": "force_torque", "joint": "lf_load_cell", "direction": "child_to_parent", "sigma": 0.5},
    {"name": "rf_ft", "type": "force_torque", "joint": "rf_load_cell", "direction": "child_to_parent", "sigma": 0.5},
    {"name": "lh_ft", "type": "force_torque", "joint": "lh_load_cell", "direction": "child_to_parent", "sigma": 0.5},
    {"name": "rh_ft", "type": "force_torque", "joint": "rh_load_cell", "direction": "child_to_parent", "sigma": 0.5},
    {"name": "motors", "type": "joint_torque", "joint": "*", "sigma": 0.3},
    {"name": "encoders", "type": "joint_acceleration", "joint": "*", "sigma": 1.0},
    {"name": "free", "type": "joint_torque", "joint": "base", "value": 0},
    {"name": "air", "type": "external_wrench", "link": "*", "except": ["lf_foot", "rf_foot", "lh_foot", "rh_foot"], "value": 0}],
    "unknown": ["fx.lf_foot", "fx.rf_foot", "fx.lh_foot", "fx.rh_foot"]})";
  return std::make_shared<const System>(load_urdf(test::source_folder() + "/robots/quadruped.urdf", options),
                                        parse_sensor_set(set, "standing"));
}

EstimatorOptions closing(const std::shared_ptr<const System>& system) {
  EstimatorOptions options = test::with_deviations();
  options.close_gaps = [closer = std::make_shared<const GapCloser>(system)](const std::vector<char>& missing) {
    return closer->close(missing);
  };
  return options;
}

/// Beside ranks decided at the state, and orthogonal factors.
/// Returns false where no order serves to full precision.
bool agrees_with_dense(Estimator& estimator, const Outputs& outputs, const test::SampleState& s) {
  const System& system = estimator.system();
  const std::size_t count = outputs.columns().size();
  std::vector<double> out(count);
  const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
  if (!status.ok()) return false;
  const StateEstimate dense = estimate_at_state(system, outputs, test::sigmas(estimator), s.q.data(), s.v.data(), s.y.data());
  CHECK(status.redundancy == dense.redundancy);
  CHECK(std::abs(status.chi_square - dense.chi_square) <= 1e-10 * std::max(1.0, dense.chi_square));
  int wrong = 0, other_ranks = 0;
  for (std::size_t c = 0; c < count; ++c) {
    const bool determined = estimator.determined(static_cast<int>(c));
    other_ranks += determined != (dense.determined[c] != 0);
    if (!determined) {
      CHECK(std::isnan(out[c]));
      continue;
    }
    const double r = dense.outputs[c], sd = dense.deviations[c];
    wrong += !(std::abs(out[c] - r) <= 1e-10 * std::max(1.0, std::abs(r)));
    wrong += !(std::abs(estimator.standard_deviations()[c] - sd) <= 1e-9 * std::max(1.0, sd));
  }
  CHECK(wrong == 0);
  CHECK(other_ranks == 0);
  return true;
}

}  // namespace

TEST_CASE("every combination of a quadruped's sensors may be missing, under one order") {
  const auto system = standing_quadruped();
  Estimator estimator(system, test::quick_plan(*system), closing(system));
  const Outputs outputs(*system, {});
  std::mt19937 rng(3);
  const std::vector<std::string> names{"trunk_acc", "lf_ft", "rf_ft", "lh_ft", "rh_ft", "motors", "encoders"};
  int served = 0;
  for (unsigned which = 0; which < 128; ++which) {
    test::SampleState s = test::random_sample(*system, rng);
    for (std::size_t k = 0; k < names.size(); ++k)
      for (int row : (which >> k) & 1 ? estimator.rows(names[k]) : std::vector<int>()) {
        const Measurement& m = system->measurements()[system->equations()[row].measurement];
        s.y[m.inputs[row - m.first_row]] = std::numeric_limits<double>::quiet_NaN();
      }
    CAPTURE(which);
    served += agrees_with_dense(estimator, outputs, s);
  }
  CHECK(served >= 124);
}

TEST_CASE("any readings of a tree may be missing, also with priors") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const bool floating = seed % 2;
    test::TreeOptions tree;
    tree.floating = floating;
    SensorSet set = test::redundant_set(floating);
    if (seed > 3) set.prior = {{"ddq", 30.0}};
    const auto system = std::make_shared<const System>(test::random_tree(3 + static_cast<int>(seed) / 2, seed, tree), set);
    Estimator estimator(system, test::quick_plan(*system), closing(system));
    const Outputs outputs(*system, {});
    std::mt19937 rng(seed);
    int served = 0;
    for (unsigned share = 1; share < 10; ++share) {
      test::SampleState s = test::random_sample(*system, rng);
      for (double& y : s.y)
        if (rng() % 10 < share) y = std::numeric_limits<double>::quiet_NaN();
      CAPTURE(seed, share);
      served += agrees_with_dense(estimator, outputs, s);
    }
    CHECK(served >= (set.prior.empty() ? 8 : 3));  // priors that are all there is: many digits apart from the rest
  }
}

TEST_CASE("an Estimator by itself answers wherever the readings that are there determine everything") {
  int answered = 0, open = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    test::TreeOptions tree;
    tree.floating = seed % 2;
    const auto system = std::make_shared<const System>(test::random_tree(3 + static_cast<int>(seed) / 2, seed, tree),
                                                       test::redundant_set(tree.floating));
    Estimator estimator(system, test::quick_plan(*system), test::with_deviations());
    const Outputs outputs(*system, {});
    std::mt19937 rng(seed);
    const auto check = [&](const test::SampleState& s) {
      const StateEstimate dense =
          estimate_at_state(*system, outputs, test::sigmas(estimator), s.q.data(), s.v.data(), s.y.data());
      const bool determined =
          std::all_of(dense.determined.begin(), dense.determined.end(), [](char each) { return each != 0; });
      ++(determined ? answered : open);
      CHECK(agrees_with_dense(estimator, outputs, s) == determined);
    };
    for (std::size_t k = 0; k < system->inputs().size(); ++k) {
      test::SampleState s = test::random_sample(*system, rng);
      s.y[k] = std::numeric_limits<double>::quiet_NaN();
      CAPTURE(seed, k);
      check(s);
      const std::size_t other = rng() % s.y.size();
      CAPTURE(other);
      s.y[other] = std::numeric_limits<double>::quiet_NaN();
      check(s);
    }
  }
  CHECK(answered > 100);
  CHECK(open > 50);
}

TEST_CASE("a pattern of gaps is asked for once, and then takes no heap") {
  const auto system = standing_quadruped();
  EstimatorOptions options = closing(system);
  int asked = 0;
  options.close_gaps = [&asked, close = options.close_gaps](const std::vector<char>& missing) {
    ++asked;
    return close(missing);
  };
  Estimator estimator(system, test::quick_plan(*system), options);
  std::mt19937 rng(5);
  std::vector<double> out(estimator.output_columns().size());
  for (int k = 0; k < 3; ++k) {
    test::SampleState s = test::random_sample(*system, rng);
    for (const char* sensor : {"trunk_acc", "encoders", "lf_ft"})
      for (int row : estimator.rows(sensor)) {
        const Measurement& m = system->measurements()[system->equations()[row].measurement];
        s.y[m.inputs[row - m.first_row]] = std::numeric_limits<double>::quiet_NaN();
      }
    const long before = test::allocations();
    const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
    const long after = test::allocations();
    CHECK(status.ok());
    CHECK(asked == 1);
    CHECK((k == 0 || after == before));
  }
}

TEST_CASE("gaps are asked for by rows, and exact rows have none") {
  const auto system = std::make_shared<const System>(test::random_tree(2, 1), test::redundant_set(false));
  const GapCloser closer(system);
  CHECK_THROWS_AS(closer.close({1}), std::invalid_argument);
  std::vector<char> dynamics(system->pattern().rows, 0);
  dynamics[0] = 1;
  CHECK_THROWS_AS(closer.close(dynamics), std::invalid_argument);
}

namespace {

/// A tree whose accelerations are known exactly, and whose torques and wrenches are measured.
std::shared_ptr<const System> with_exact_encoders() {
  SensorSet set = test::redundant_set(false);
  set.sensors[1].sigma.clear();
  return std::make_shared<const System>(test::random_tree(4, 2), set);
}

/// Rows of the first joint's torque and acceleration.
std::vector<char> missing_of(const System& system, bool motor, bool encoder) {
  std::vector<char> missing(static_cast<std::size_t>(system.pattern().rows), 0);
  if (motor) missing[static_cast<std::size_t>(system.measurements()[0].first_row)] = 1;
  for (const Measurement& m : system.measurements())
    if (encoder && m.kind == SensorKind::joint_acceleration) {
      missing[static_cast<std::size_t>(m.first_row)] = 1;
      break;
    }
  return missing;
}

}  // namespace

TEST_CASE("gaps in exact rows have orders of their own, which plan files keep") {
  const auto system = with_exact_encoders();
  const auto plain = test::quick_plan(*system);
  const std::vector<std::vector<char>> patterns{missing_of(*system, true, false), missing_of(*system, false, true),
                                                missing_of(*system, true, true), missing_of(*system, false, true)};
  const GapSearch planned = plan_gaps(system, plain, patterns);
  CHECK(planned.served == 1);
  CHECK(planned.unserved.empty());
  REQUIRE(planned.plan->gaps.size() == 2);
  CHECK(plan_gaps(system, planned.plan, patterns).served == 3);

  const std::string text = plan_to_json(stored_plan(*planned.plan), {"tree", "exact"});
  const EstimatorShape shape = estimator_shape(*system);
  const auto read = [&](const std::string& file) {
    return plan_estimator(*system, plan_from_json(json::Document::parse(file, "plan"), shape.fingerprint,
                                                  shape.augmented.pattern(), shape.unit, {}, &shape.open_gaps.pattern()));
  };
  const auto stored = read(text);
  REQUIRE(stored->gaps.size() == 2);
  CHECK(plan_to_json(stored_plan(*stored), {"tree", "exact"}) == text);

  Estimator estimator(system, stored, closing(system));
  const Outputs outputs(*system, {});
  std::mt19937 rng(8);
  std::vector<double> out(estimator.output_columns().size());
  for (const std::vector<char>& missing : patterns) {
    test::SampleState s = test::random_sample(*system, rng);
    for (const Measurement& m : system->measurements())
      for (int k = 0; k < m.rows(); ++k)
        if (missing[static_cast<std::size_t>(m.first_row + k)]) s.y[m.inputs[k]] = std::numeric_limits<double>::quiet_NaN();
    CHECK(missing_rows(*system, s.y.data()) == missing);
    CHECK(agrees_with_dense(estimator, outputs, s));
    const long before = test::allocations();
    CHECK(estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()).ok());
    CHECK(test::allocations() == before);
  }
  CHECK(estimator.replanned() == 0);
}

TEST_CASE("orders for gaps that are none for the system are refused") {
  const auto system = with_exact_encoders();
  const auto planned = plan_gaps(system, test::quick_plan(*system), {missing_of(*system, false, true)}).plan;
  const Plan sound = stored_plan(*planned);
  REQUIRE(sound.gaps.size() == 1);
  const auto refused = [&](const std::function<void(GapOrder&)>& spoil) {
    Plan spoilt = sound;
    spoil(spoilt.gaps[0]);
    CHECK_THROWS_AS(plan_estimator(*system, spoilt), std::invalid_argument);
  };
  refused([](GapOrder& gaps) { gaps.missing = {0}; });  // an equation of motion
  refused([](GapOrder& gaps) { gaps.missing = {1 << 20}; });
  refused([](GapOrder& gaps) { gaps.order.rows.pop_back(); });
  refused([](GapOrder& gaps) { gaps.order.columns[0] = gaps.order.columns[1]; });
  refused([](GapOrder& gaps) { std::reverse(gaps.order.rows.begin(), gaps.order.rows.end()); });  // pivots that are no entries
  CHECK_THROWS_AS(plan_gaps(system, planned, {{1, 0}}), std::invalid_argument);
}
