// `verify`: its table, its JSON, its exit codes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

using namespace sparsedyn::test;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("verify: a table of pairs, and the same as JSON") {
  const auto told = run_program("verify " + robot("arm") + " --samples 4 --no-programs");
  CHECK(told.code == 0);
  CHECK_THAT(told.out, Contains("joint torques\n  recursion (rnea) | M ddq + bias forces (crba)"));
  CHECK_THAT(told.out, Contains("All that was compared agrees.\n"));
  CHECK_THAT(told.out, !Contains("OFF"));

  const auto done = run_program("verify " + robot("arm") + " --samples 4 --no-programs --json");
  CHECK(done.code == 0);
  const json found = json::parse(done.out);
  CHECK(found.at("passed") == true);
  CHECK(found.at("samples") == 4);
  CHECK(found.at("pairs").size() >= 30);
  for (const json& pair : found.at("pairs")) {
    CAPTURE(pair.dump());
    CHECK(pair.at("verdict") == "agrees");
    CHECK(pair.at("worst").get<double>() <= pair.at("allowed").get<double>());
    CHECK(pair.at("at").is_string());
  }
}

TEST_CASE("verify: what it cannot do is said") {
  CHECK(run_program("verify " + robot("arm") + " --samples 0").code == 2);
  TemporaryFolder folder;
  const std::string still = folder.file("still.urdf", "<robot name=\"still\"><link name=\"a\"/></robot>");
  const auto refused = run_program("verify " + still);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("no freedoms"));
}
