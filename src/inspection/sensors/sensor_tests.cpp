#include "sensor_tests.hpp"

namespace sparsedyn::inspection {

namespace {

using Maker = std::unique_ptr<SensorTest> (*)(Examination&);

void run_tests(Examination& x, const WholeMotion& motion, std::size_t most, std::initializer_list<Maker> makers) {
  std::vector<std::unique_ptr<SensorTest>> tests;
  for (const Maker make : makers)
    if (std::unique_ptr<SensorTest> test = make(x)) tests.push_back(std::move(test));
  if (tests.empty()) return;
  if (!motion.known) {
    for (const auto& test : tests) test->give_up(motion.why);
    return;
  }
  const KnownWrenches wrenches(x);
  for_each_sample(x, motion, wrenches, most, [&](const LinkSample& sample) {
    for (const auto& test : tests) test->take(sample);
  });
  for (const auto& test : tests) test->judge();
}

}  // namespace

void test_supports(Examination& x, const WholeMotion& motion) {
  if (x.system && x.far_beyond_limits.empty()) run_tests(x, motion, 500, {support_test});
}

void test_sensors(Examination& x, const WholeMotion& motion) {
  if (x.system && !x.positions_doubtful) run_tests(x, motion, 2500, {inertial_test, wrench_test});
}

}  // namespace sparsedyn::inspection
