// Mixed sensor sets on real robots against the dense reference: every type of the catalogue, exact and noisy, in offset frames.
#include "mixed_sets.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "batches.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/sensor_type.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;

namespace {

void check_set(const std::string& path, const test::EquippedRobot& robot, const test::MixedSet& mixed) {
  INFO(robot.file << ": " << mixed.title);
  LoadOptions options;
  options.floating = robot.floating;
  const auto system =
      std::make_shared<const System>(load_urdf(path, options), parse_sensor_set(test::set_text(mixed, robot), "set"));
  const auto plan = test::quick_plan(*system);
  Estimator estimator(system, plan, test::with_deviations());
  std::mt19937 rng(11);
  for (int k = 0; k < 2; ++k) test::check_against_reference(estimator, test::random_sample(*system, rng));
  std::vector<test::SampleState> samples;
  for (int k = 0; k < Batch::lanes; ++k) samples.push_back(test::random_sample(*system, rng));
  test::check_batch(system, plan, {}, samples);
}

}  // namespace

TEST_CASE("mixed sets give the dense estimate on the robots of this project and of ../shared") {
  for (std::size_t k = 0; k < std::size(test::mixed_sets); ++k) {
    const test::EquippedRobot& robot = test::equipped_shipped[k == 0 && test::whole_robots ? 2 : k % 2];
    check_set(test::source_folder() + "/robots/" + robot.file + ".urdf", robot, test::mixed_sets[k]);
  }
  const std::vector<std::string> paths = test::shared_robots();
  for (std::size_t k = 0; k < std::size(test::mixed_sets); ++k) {
    const test::EquippedRobot& robot = test::equipped_shared[k % (test::whole_robots ? std::size(test::equipped_shared) : 2)];
    const std::string file = "/" + std::string(robot.file) + ".urdf";
    for (const std::string& path : paths)
      if (path.size() > file.size() && path.compare(path.size() - file.size(), file.size(), file) == 0)
        check_set(path, robot, test::mixed_sets[k]);
  }
}

TEST_CASE("the mixed sets hold every type of sensor") {
  std::set<std::string> types;
  for (const test::MixedSet& mixed : test::mixed_sets)
    for (const Sensor& s : parse_sensor_set(test::set_text(mixed, test::equipped_shipped[0]), "set").sensors)
      types.insert(s.type);
  for (const std::string& type : sensor_type_names()) {
    INFO(type);
    CHECK(types.count(type) == 1);
  }
}
