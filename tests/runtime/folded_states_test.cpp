// Matrices whose small entries are the rounding of an angle, such as the sine of the double next to π: what sees nothing else
// determines nothing.
#include <catch2/catch.hpp>
#include <cmath>

#include "arm_beside.hpp"
#include "batches.hpp"
#include "determinacy/simulated_sensors.hpp"
#include "sparsedyn/determinacy/determinacy.hpp"
#include "sparsedyn/system/detail/rounding_probe.hpp"
#include "support/heap.hpp"
#include "support/robots.hpp"
#include "support/systems.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

const double pi = std::acos(-1.0);

/// Folded at the second joint, the third, or both, and stretched.
const std::vector<std::vector<double>> folded{{0.4, pi, 0, 1},     {0.4, 0, pi, 1},       {0, pi, -pi, pi},
                                              {pi / 2, -pi, 0, 1}, {0.4, 3 * pi, pi, -1}, {-pi / 2, 0, 1001 * pi, 1},
                                              {0.4, 0, 0, 1}};
const std::vector<std::vector<double>> bent{
    {0.4, pi / 2, 0, 1}, {0, 3 * pi / 2, pi, 1}, {pi, -pi / 2, -pi / 2, 0}, {0.4, pi - 1e-6, 0, 1}, {0.4, 1e-6, pi, 1}};

/// The arm whose fourth link is known too: three torques for the two forces at the tip.
std::shared_ptr<const System> redundant_arm() {
  const System arm = arm_beside({"j1", "j2", "j3"}, 0.1);
  SensorSet set = arm.sensors();
  set.sensors.push_back(sensor_on("joint_acceleration", {"jb"}, 0));
  return std::make_shared<const System>(arm.model(), set);
}

SampleState at(const System& system, const std::vector<double>& q) {
  std::mt19937 rng(1);
  SampleState s = random_sample(system, rng);
  s.q = q;
  return s;
}

}  // namespace

TEST_CASE("the probe clears what is zero in exact numbers, and nothing else") {
  const System system = arm_beside({"j1", "j2", "j3"}, 0.1);
  RoundingProbe probe(system);
  SystemWorkspace<double> work(system);
  const auto assembled = [&](const System& of, const SampleState& s) {
    std::vector<double> values(of.pattern().entries()), right_side(of.pattern().rows);
    of.assemble(s.q.data(), s.v.data(), s.y.data(), values.data(), right_side.data(), work);
    return values;
  };
  for (const std::array<int, 4>& quarters : {std::array<int, 4>{0, 2, 0, 0}, {1, 2, 3, 1}, {-1, -2, 0, 5}, {4, 1, 2002, 0}}) {
    SampleState s = at(system, {0, 0, 0, 0});
    const std::vector<double> exact = assembled(arm_beside({"j1", "j2", "j3"}, 0.1, {}, quarters), s);
    for (int k = 0; k < 4; ++k) s.q[k] = quarters[k] * pi / 2;
    std::vector<double> values = assembled(system, s);
    CHECK(allocations_of([&] { clear_rounding(probe.values(s.q.data(), s.y.data()), values); }) == 0);
    for (std::size_t e = 0; e < values.size(); ++e) {
      CHECK(std::abs(values[e] - exact[e]) <= 1e-12);
      CHECK((values[e] == 0) == (exact[e] == 0));
    }
  }
}

TEST_CASE("1e-11 rad off a quarter turn, entries count as small and not as rounding") {
  const System system = arm_beside({"j1", "j2", "j3"}, 0.1);
  RoundingProbe probe(system);
  SystemWorkspace<double> work(system);
  for (double off : {1e-3, 1e-6, 1e-9, 1e-11}) {
    const SampleState s = at(system, {0.4, pi - off, off, 1});
    std::vector<double> values(system.pattern().entries()), right_side(system.pattern().rows);
    system.assemble(s.q.data(), s.v.data(), s.y.data(), values.data(), right_side.data(), work);
    const std::vector<double> before = values;
    clear_rounding(probe.values(s.q.data(), s.y.data()), values);
    CHECK(values == before);
  }
}

TEST_CASE("the planned order fails at folded arms, as at stretched ones, and not at bent ones") {
  const auto system = redundant_arm();
  const auto plan = quick_plan(*system);
  Estimator estimator(system, plan, with_deviations());
  std::vector<double> out(estimator.output_columns().size());
  for (const std::vector<double>& q : folded) {
    INFO(q[1] << " " << q[2]);
    const SampleState s = at(*system, q);
    EstimateStatus status;
    CHECK(allocations_of([&] { status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data()); }) == 0);
    CHECK(status.state == LUState::zero_pivot);
    SampleState with_gap = s;  // with a torque less it is no other
    with_gap.y[3] = std::nan("");
    CHECK_FALSE(estimator.estimate(with_gap.q.data(), with_gap.v.data(), with_gap.y.data(), out.data()).ok());
  }
  for (const std::vector<double>& q :
       {std::vector<double>{0.4, pi - 1e-3, 0.3, 1}, {pi, -pi / 2, 0.3, 0}, {0.4, 0.7, 0.3, 1}}) {
    const SampleState s = at(*system, q);
    const EstimateStatus status = estimator.estimate(s.q.data(), s.v.data(), s.y.data(), out.data());
    INFO(q[1] << " " << q[2] << ": " << estimator.describe(status));
    CHECK(status.ok());
  }
}

TEST_CASE("folded arms among other samples of a batch: as one by one") {
  const auto system = redundant_arm();
  std::vector<SampleState> samples;
  for (const std::vector<std::vector<double>>& states : {bent, folded})
    for (const std::vector<double>& q : states) samples.push_back(at(*system, q));
  std::swap(samples[1], samples.back());
  samples.resize(Batch::lanes);
  EstimatorOptions options = with_deviations();
  options.innovations = true;
  check_batch(system, quick_plan(*system), options, samples);
}

TEST_CASE("the rank at folded arms is that at the stretched one") {
  const System system = arm_beside({"j1", "j2", "j3"}, 0.1);
  const int stretched = rank_at(system, {0.4, 0, 0, 1});
  for (const std::vector<double>& q : folded) CHECK(rank_at(system, q) == stretched);
  for (const std::vector<double>& q : bent) CHECK(rank_at(system, q) == stretched + 1);
  const RankOverStates found = rank_over_states(system, 5, 0);
  CHECK(found.special_below == 2);  // all joints at 0, and at π
}

TEST_CASE("simulated forces do not answer a constant through rounding") {
  // folded at j2, the tip's force passes through j1's axis: no force there meets a torque of 5 N m, and nothing else gives way
  const System arm = arm_beside({"j2", "j3"}, 0.1);
  SensorSet set = arm.sensors();
  Sensor held = sensor_on("joint_torque", {"j1"}, 0);
  held.name = "held", held.value = {5};
  set.sensors.push_back(held);
  const System system(arm.model(), set);
  std::vector<char> fixed;
  for (const std::string& name : system.unknown_names()) fixed.push_back(name != "fx.l3.fx" && name != "fx.l3.fy");
  SimulatedSensors simulated(system, fixed);
  std::vector<double> wish(fixed.size(), 0.1), x(fixed.size());
  for (const std::vector<double>& q : folded) {
    SampleState s = at(system, q);
    std::fill(s.v.begin(), s.v.end(), 0.0);
    const double violation = simulated.read(s.q.data(), s.v.data(), wish.data(), x.data(), s.y.data());
    const bool on_axis = std::cos(q[1]) < 0;
    INFO(q[1] << " " << q[2]);
    CHECK((violation > 1) == on_axis);
    for (double force : x) CHECK(std::abs(force) < 1e3);
  }
}
