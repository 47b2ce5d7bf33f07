#include <catch2/catch.hpp>
#include <filesystem>

#include "runtime/system_samples.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"
#include "support/robots.hpp"
#include "system/unit_entries.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

TEST_CASE("The plans that ship fit the robots that ship, and are healthy") {
  int plans = 0;
  for (const std::string robot : {"arm", "quadruped", "humanoid"})
    for (const std::string set : {"inverse-dynamics", "forward-dynamics"}) {
      LoadOptions options;
      options.floating = robot != "arm";
      const System system(load_urdf(source_folder() + "/robots/" + robot + ".urdf", options), load_sensor_set(set));
      const Plan plan = load_plan(source_folder() + "/patterns/" + robot + "-" + set + ".json", system.fingerprint(),
                                  system.pattern(), unit_entries(system));
      INFO(robot << " " << set);
      CHECK(measure_health(plan, samples_of(system, 500, 23)).healthy());
      ++plans;
    }
  const std::filesystem::directory_iterator folder(source_folder() + "/patterns"), end;
  CHECK(std::count_if(folder, end, [](const auto& file) { return file.path().extension() == ".json"; }) == plans);
}
